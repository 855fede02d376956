"""COMO-CMA-ES as a peer: budget, box, its own stream."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from janusopt.bench import methods, suites
from janusopt.bench.meter import Meter
from janusopt.bench.task import Task
from janusopt.errors import InputError

PAIR = Task("biobj", "f1-f8", 5, 11)


def _run(budget=700):
    problem, seen = suites.build(PAIR), []
    meter = Meter(replace(problem, fun=lambda X: seen.extend(X.copy()) or problem.fun(X)), budget, target=0.0)
    return methods.find("como-cma")(meter.metered, 3, budget, np.zeros(5)), np.array(seen)


def test_it_spends_its_budget_inside_the_box_and_leaves_at_most_a_hundred_rows():
    pytest.importorskip("comocma")
    outcome, rows = _run()
    assert len(rows) == 700
    assert (np.abs(rows) <= 5.0).all()
    assert 0 < len(outcome.fronts[700]) <= 100


def test_it_repeats_itself_and_leaves_numpys_global_stream_alone():
    pytest.importorskip("comocma")
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert np.array_equal(_run()[1], _run()[1])
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_more_than_two_objectives_are_refused():
    with pytest.raises(InputError, match="for two objectives, this problem has 3"):
        methods.find("como-cma")(suites.build(Task("moo", "dtlz2-n3", 12, 1)), 3, 700, np.zeros(12))
