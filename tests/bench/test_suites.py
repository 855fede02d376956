"""The BBOB suite: optima, noise, names."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench import suites
from janusopt.bench.task import Task
from janusopt.errors import InputError

ROWS = np.random.default_rng(0).uniform(-5.0, 5.0, (50, 4))


@pytest.mark.parametrize("function", range(1, 25))
def test_no_row_is_below_the_optimum(function):
    problem = suites.build(Task("bbob", f"f{function}", 4, 3))
    values = problem.fun(ROWS)
    assert values.shape == (50,)
    assert (values >= problem.optimum).all()


def test_noise_follows_the_seed_and_the_judge_sees_through_it():
    task = Task("bbob-noisy", "f8", 4, 2)
    exact = suites.build(Task("bbob", "f8", 4, 2))
    first, same, other = (suites.build(task, seed).fun(ROWS) for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)
    problem = suites.build(task, 1)
    assert np.array_equal(problem.judge(ROWS), exact.fun(ROWS))
    factor = (first - problem.optimum) / (exact.fun(ROWS) - problem.optimum)
    assert np.abs(factor - 1.0).max() < 0.05
    assert factor.std() == pytest.approx(0.01, rel=0.4)


@pytest.mark.parametrize(("problem", "d", "instance"), [("f25", 4, 1), ("10", 4, 1), ("f1", 1, 1), ("f1", 4, 0)])
def test_a_task_that_bbob_has_not_is_refused(problem, d, instance):
    with pytest.raises(InputError, match="f1 to f24"):
        suites.build(Task("bbob", problem, d, instance))


def test_an_unknown_suite_is_refused():
    with pytest.raises(InputError, match="suite must be one of bbob"):
        suites.build(Task("cec", "f1", 4, 1))
