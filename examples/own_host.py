"""Your own optimizer as the host: anything with a batch ask and tell."""

import numpy as np

import janusopt
from janusopt.hosts.ask_tell import AskTell


class ShrinkingCloud:
    """A toy: sample around the mean of the best quarter, and narrow the cloud a little each time."""

    def __init__(self, mean: np.ndarray, spread: float, rng: np.random.Generator) -> None:
        self.mean, self.spread, self.rng = mean, spread, rng

    def ask(self) -> np.ndarray:
        return self.mean + self.spread * self.rng.standard_normal((20, len(self.mean)))

    def tell(self, X: np.ndarray, f: np.ndarray) -> None:
        self.mean = np.asarray(X)[np.argsort(f)[:5]].mean(axis=0)
        self.spread *= 0.97


def cigar(x: np.ndarray) -> float:
    return float(x[0] ** 2 + 1e3 * np.sum(x[1:] ** 2))


def main() -> None:
    for infill in (None, "janus"):
        cloud = ShrinkingCloud(np.full(10, 3.0), 2.0, np.random.default_rng(1))
        host = AskTell(cloud, lower=np.full(10, -5.0), upper=np.full(10, 5.0), rows=20)
        result = janusopt.minimize(cigar, bounds=[(-5, 5)] * 10, budget=3000, host=host, infill=infill, rng=1)
        print(f"infill {infill}: f = {result.fun:.3g} after {result.nfev} evaluations")


if __name__ == "__main__":
    main()
