"""Optima on the box, at small scale: with JANUS a host ends no worse. ``janusopt.bench.bounds`` has the full size."""

from __future__ import annotations

import numpy as np
import pytest

import janusopt

D, BUDGET, SEEDS = 10, 600, (0, 1, 2)
SOLVED = 1e-6  # of the starting error
WORSE = 1.2


def problem(name, active):
    """An objective on [-5, 5]^d whose optimum has its first ``active`` coordinates on a bound, and its least value."""
    side = np.where(np.arange(D) % 2 == 0, 1.0, -1.0)
    outside = np.arange(D) < active
    centre = np.where(outside, 7.0 * side, 1.3)
    weights = {"sphere": np.ones(D), "ellipsoid": np.logspace(0, 4, D)}
    slope = np.where(outside, -side * np.arange(1.0, D + 1.0), 0.0)

    def fun(X):
        return X @ slope if name == "linear" else ((X - centre) ** 2) @ weights[name]

    return fun, float(fun(np.clip(centre, -5.0, 5.0)[None, :])[0])


def error(fun, least, host, infill, seed):
    """The error at the end of the budget, in units of a random start's."""
    start = float(fun(np.random.default_rng(seed).uniform(-5.0, 5.0, (1, D)))[0]) - least
    result = janusopt.minimize(
        fun, bounds=[(-5.0, 5.0)] * D, budget=BUDGET, host=host, infill=infill, rng=seed, vectorized=True
    )
    return max((result.fun - least) / start, SOLVED)


@pytest.mark.parametrize("active", [D // 3, D])
@pytest.mark.parametrize("name", ["linear", "sphere", "ellipsoid"])
@pytest.mark.parametrize("host", ["cma", "sep-cma", "cmaes", "de"])
def test_on_the_box_janus_ends_no_worse_than_the_bare_host(host, name, active):
    fun, least = problem(name, active)
    ratios = [error(fun, least, host, "janus", seed) / error(fun, least, host, None, seed) for seed in SEEDS]
    assert np.exp(np.mean(np.log(ratios))) <= WORSE, ratios
