"""Minimize a function, with JANUS and without, on the same seed and the same number of evaluations."""

import numpy as np

import janusopt

WEIGHTS = np.logspace(0, 6, 20)


def ellipsoid(x: np.ndarray) -> float:
    """A long, thin bowl: condition number one million."""
    return float(np.sum(WEIGHTS * (x - 1.0) ** 2))


def main() -> None:
    box = [(-5, 5)] * len(WEIGHTS)
    with_janus = janusopt.minimize(ellipsoid, bounds=box, budget=4000, rng=1)
    host_alone = janusopt.minimize(ellipsoid, bounds=box, budget=4000, rng=1, infill=None)
    print(f"CMA-ES alone:      f = {host_alone.fun:.3g} after {host_alone.nfev} evaluations")
    print(f"CMA-ES with JANUS: f = {with_janus.fun:.3g} after {with_janus.nfev} evaluations")


if __name__ == "__main__":
    main()
