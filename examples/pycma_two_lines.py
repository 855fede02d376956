"""A script that runs pycma already: two lines change, the import and the name of the class."""

import numpy as np

from janusopt import CMAEvolutionStrategy  # was: from cma import CMAEvolutionStrategy


def rosenbrock(x: np.ndarray) -> float:
    x = np.asarray(x)
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def main() -> None:
    es = CMAEvolutionStrategy(12 * [0.1], 0.5, {"seed": 3, "verbose": -9, "ftarget": 1e-8, "maxfevals": 20_000})
    while not es.stop():
        X = es.ask()
        es.tell(X, [rosenbrock(x) for x in X])
    print(f"f = {es.result.fbest:.3g} after {es.result.evaluations} evaluations; stopped by {es.stop()}")


if __name__ == "__main__":
    main()
