"""ZDT, DTLZ and WFG: shapes, known fronts, names."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench import suites
from janusopt.bench.task import Task
from janusopt.core.dominance import dominated
from janusopt.errors import InputError

TASKS = [
    ("zdt1-n2", 30), ("zdt3-n2", 30), ("zdt4-n2", 10), ("zdt6-n2", 10), ("wfg1-n2", 12), ("wfg2-n2", 12),
    ("wfg8-n2", 12), ("wfg9-n3", 12), ("dtlz1-n3", 7), ("dtlz4-n3", 12), ("dtlz7-n3", 22), ("dtlz3-n10", 19),
]  # fmt: skip


def _build(name, d):
    return suites.build(Task("moo", name, d, 1))


@pytest.mark.parametrize(("name", "d"), TASKS)
def test_no_row_of_the_box_dominates_the_known_front(name, d):
    problem = _build(name, d)
    X = np.random.default_rng(0).uniform(problem.lower, problem.upper, (3000, d))
    F, front = problem.fun(X), problem.front()
    assert F.shape == (3000, problem.objectives)
    assert 100 <= len(front) <= 1000
    assert not dominated(front, F).any()


@pytest.mark.parametrize(("name", "d"), TASKS)
def test_the_reference_point_lies_beyond_the_whole_front(name, d):
    problem = _build(name, d)
    assert (problem.front() < problem.reference).all()


def test_rows_with_the_best_distances_lie_on_the_front():
    problem = _build("wfg4-n3", 12)
    X = np.hstack([np.random.default_rng(1).uniform(size=(50, 4)), np.full((50, 8), 0.35)]) * problem.upper
    radius = np.linalg.norm(problem.fun(X) / (problem.reference / 1.1), axis=1)
    assert radius == pytest.approx(1.0)
    assert np.linalg.norm(problem.front() / (problem.reference / 1.1), axis=1) == pytest.approx(1.0)


def test_wfg1_starts_and_ends_at_its_corners():
    front = _build("wfg1-n2", 12).front()
    assert front[[0, -1]] == pytest.approx(np.array([[0.0, 4.0], [2.0, 0.0]]), abs=1e-12)


@pytest.mark.parametrize(("name", "d"), [("dtlz7-n8", 27), ("wfg2-n5", 18), ("wfg1-n3", 12)])
def test_a_front_that_is_not_known_is_not_claimed(name, d):
    assert _build(name, d).front is None


@pytest.mark.parametrize("name", ["zdt1", "zdt1-n3", "zdt5-n2", "dtlz8-n3", "wfg4-n1", "kursawe-n2"])
def test_a_task_that_the_suite_has_not_is_refused(name):
    with pytest.raises(InputError, match="zdt1, zdt2"):
        _build(name, 12)


@pytest.mark.parametrize(("name", "d"), [*TASKS, ("dtlz7-n8", 27), ("wfg4-n5", 18), ("wfg4-n8", 24), ("wfg4-n10", 28)])
def test_every_problem_has_its_published_dimension(name, d):
    assert suites.standard_dimension("moo", name) == d


def test_a_dimension_that_the_problem_cannot_have_is_refused():
    with pytest.raises(InputError, match="5 variables and 5 objectives"):
        _build("wfg2-n5", 5)
