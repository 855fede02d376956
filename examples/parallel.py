"""Evaluate a generation on several processes: any concurrent.futures.Executor will do."""

import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import janusopt


def simulation(x: np.ndarray) -> float:
    """Stands for something slow."""
    time.sleep(0.005)
    return float(np.sum((x - 0.5) ** 2))


def main() -> None:
    with ProcessPoolExecutor(max_workers=2) as pool:
        result = janusopt.minimize(simulation, bounds=[(-5, 5)] * 8, budget=400, executor=pool, rng=1)
    seconds = result.janus["seconds"]
    print(f"f = {result.fun:.3g} after {result.nfev} evaluations")
    print(
        f"{seconds['evaluation']:.2f} s in the objective (one process would take {0.005 * result.nfev:.2f} s or more)"
    )


if __name__ == "__main__":
    main()
