"""Pairs of BBOB functions: ideal, nadir, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench import suites
from janusopt.bench.suites.bbob import bbob_function
from janusopt.bench.task import Task
from janusopt.errors import InputError


@pytest.mark.parametrize("instance", [1, 11])
def test_each_optimum_is_an_end_of_the_front(instance):
    problem = suites.build(Task("biobj", "f1-f8", 20, instance))
    ends = problem.fun(np.array([bbob_function(number, 20, instance).optimum.x for number in (1, 8)]))
    assert np.diag(ends) == pytest.approx(0.0, abs=1e-9)
    assert ends.max(axis=0) == pytest.approx(problem.reference / 1.1)


def test_no_row_is_below_the_ideal_point():
    problem = suites.build(Task("biobj", "f3-f15", 20, 2))
    X = np.random.default_rng(0).uniform(problem.lower, problem.upper, (500, 20))
    assert problem.fun(X).shape == (500, 2)
    assert (problem.fun(X) > 0.0).all()


@pytest.mark.parametrize(
    ("problem", "told"), [("f1-f5", "lies on the box"), ("f1-f1", "apart"), ("f1", "such as f1-f8"), ("f1-f25", "pair")]
)
def test_pairs_without_a_front_inside_the_box_are_refused(problem, told):
    with pytest.raises(InputError, match=told):
        suites.build(Task("biobj", problem, 20, 1))
