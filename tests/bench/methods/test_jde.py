"""jDE: what a member keeps, and when the population starts again."""

from __future__ import annotations

import numpy as np

from janusopt.bench.meter import Meter, Stop
from janusopt.bench.methods.jde import _renewed, jde
from janusopt.bench.problem import Problem

BOX = np.full(3, 5.0)


def _run(fun, budget, seed=2):
    seen = []
    problem = Problem(-BOX, BOX, lambda X: seen.extend(X.copy()) or fun(X))
    meter = Meter(problem, budget, target=-np.inf)
    try:
        jde(meter.metered, seed, budget, np.full(3, 2.0))
    except Stop:
        return np.array(seen)


def test_a_tenth_of_the_settings_is_drawn_anew_within_its_range():
    old = np.full((20_000, 1), 7.0)
    new = _renewed(old, 0.1, 1.0, np.random.default_rng(0))
    changed = new[new != 7.0]
    assert abs(len(changed) / len(old) - 0.1) < 0.01
    assert changed.min() >= 0.1
    assert changed.max() <= 1.0


def test_a_population_that_is_one_point_starts_again():
    rows = _run(lambda X: np.abs(X).max(axis=1), 12_000)
    spread = [np.ptp(rows[i : i + 40], axis=0).max() for i in range(0, len(rows) - 40, 40)]
    collapsed = int(np.argmin(spread))
    assert spread[collapsed] < 1e-9
    assert max(spread[collapsed:]) > 5.0


def test_values_that_are_not_numbers_never_win():
    rows = _run(lambda X: np.where(X[:, 0] > 0.0, np.nan, (X[:, 0] + 1.0) ** 2), 2000)
    assert (rows[-40:, 0] < 0.0).all()
