"""The meter: exact budgets, the best so far, caps, noise."""

from __future__ import annotations

import time

import numpy as np
import pytest

from janusopt.bench.meter import Meter, Stop
from janusopt.bench.problem import Problem

BOX = np.full(2, 5.0)


def _sphere(X):
    return (X**2).sum(axis=1)


def _problem(fun=_sphere, **more):
    return Problem(-BOX, BOX, fun, **more)


def test_the_budget_is_never_passed_even_inside_a_batch():
    seen = []
    meter = Meter(_problem(lambda X: seen.extend(X) or _sphere(X)), budget=5, target=0.0)
    meter(np.ones((3, 2)))
    with pytest.raises(Stop):
        meter(np.ones((3, 2)))
    with pytest.raises(Stop):
        meter(np.ones((1, 2)))
    assert meter.evaluations == len(seen) == 5


def test_the_curve_is_the_running_best_at_the_counts_of_the_grid():
    values = np.array([9.0, 4.0, 5.0, 1.0, 2.0, 0.5, 7.0])
    meter = Meter(_problem(lambda X: X[:, 0], optimum=-1.0), budget=100, target=0.0)
    for batch in (values[:3], values[3:]):
        meter(np.column_stack([batch, batch]))
    grid, best = meter.curve()
    assert grid[0] == 1
    assert grid[-1] == meter.evaluations == 7
    assert best.tolist() == [np.minimum.accumulate(values + 1.0)[n - 1] for n in grid]
    assert meter.final == 1.5


def test_a_run_ends_at_its_target():
    meter = Meter(_problem(), budget=100, target=0.1)
    with pytest.raises(Stop):
        meter(np.array([[1.0, 1.0], [0.1, 0.1]]))
    assert meter.final == pytest.approx(0.02)
    assert not meter.capped


def test_time_over_is_marked():
    meter = Meter(_problem(), budget=100, target=0.0, cap_seconds=0.01)
    time.sleep(0.02)
    with pytest.raises(Stop):
        meter(np.ones((1, 2)))
    assert meter.capped
    assert meter.final is None


def test_noise_decides_which_row_is_best_and_the_judge_what_it_is_worth():
    noise = {1.0: 0.5, 2.0: 0.1}
    problem = _problem(lambda X: np.array([noise[x] for x in X[:, 0]]), judge=lambda X: X[:, 0])
    meter = Meter(problem, budget=10, target=0.0)
    meter(np.array([[1.0, 0.0], [2.0, 0.0]]))
    assert meter.final == 2.0
    assert meter.curve()[1].tolist() == [1.0, 2.0]


def test_a_value_that_is_not_finite_is_never_the_best():
    meter = Meter(_problem(lambda X: X[:, 0]), budget=10, target=0.0)
    meter(np.array([[np.nan, 0.0], [3.0, 0.0], [-np.inf, 0.0]]))
    assert meter.final == 3.0
    assert meter.curve()[1].tolist() == [np.inf, 3.0, 3.0]


def test_residuals_count_as_half_their_sum_of_squares():
    meter = Meter(_problem(lambda X: 2.0 * X, kind="residuals"), budget=10, target=0.0)
    answer = meter(np.array([[1.0, 2.0]]))
    assert answer.tolist() == [[2.0, 4.0]]
    assert meter.final == 10.0


def test_components_pass_through_to_the_method():
    meter = Meter(_problem(lambda X: (_sphere(X), X**2)), budget=10, target=0.0)
    f, components = meter.metered.fun(np.array([[1.0, 2.0]]))
    assert (f.tolist(), components.tolist()) == ([5.0], [[1.0, 4.0]])
    assert meter.final == 5.0


def test_several_objectives_have_no_single_error():
    meter = Meter(_problem(lambda X: X, kind="objectives"), budget=10, target=0.0)
    meter(np.ones((4, 2)))
    assert meter.evaluations == 4
    assert meter.final is None
    assert len(meter.curve()[0]) == 0


def test_the_best_row_is_kept_as_it_was_evaluated():
    meter = Meter(_problem(), budget=10, target=0.0)
    rows = np.array([[3.0, 1.0], [0.5, 0.5], [2.0, 2.0]])
    meter(rows)
    rows[1] = 9.0
    assert meter.x.tolist() == [0.5, 0.5]


def test_the_curve_has_the_counts_that_were_asked_for():
    meter = Meter(_problem(lambda X: X[:, 0]), budget=1000, target=-1.0, at=[333, 2000])
    meter(np.linspace(1000.0, 1.0, 1000)[:, None].repeat(2, axis=1))
    grid, best = meter.curve()
    assert best[grid.tolist().index(333)] == 668.0
    assert grid[-1] == 1000
    assert 333 not in Meter(_problem(), budget=1000, target=0.0).curve()[0]
