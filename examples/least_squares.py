"""Fit two exponential decays to noisy measurements: the residual vector is all that JANUS needs."""

import numpy as np

import janusopt

TRUTH = np.array([2.0, 0.8, 1.0, 0.1])  # amplitude, rate, amplitude, rate
BOX = [(0, 5), (0.3, 3), (0, 5), (0.01, 0.3)]
times = np.linspace(0.0, 20.0, 60)
noise = 0.01 * np.random.default_rng(0).standard_normal(len(times))


def decay(x: np.ndarray) -> np.ndarray:
    a, k, b, q = x
    return a * np.exp(-k * times) + b * np.exp(-q * times)


measured = decay(TRUTH) + noise


def residuals(x: np.ndarray) -> np.ndarray:
    return decay(x) - measured


def main() -> None:
    fit = janusopt.least_squares(residuals, bounds=BOX, budget=2000, rng=1)
    print("fitted:", np.round(fit.x, 3))
    print("truth: ", TRUTH)
    print(f"cost {fit.cost:.3g} after {fit.nfev} evaluations")


if __name__ == "__main__":
    main()
