"""Generations told from outside: they repeat, and failed or infeasible rows never look good."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.integrations.generations import Generations, Outcome, Setup
from janusopt.space import Space


def _space(d=4):
    return Space(np.zeros(d), np.ones(d), np.full(d, 0.5), np.full(d, 0.2))


def _outcome(X, f=None, failed=None, violation=None):
    n = len(X)
    values = np.sum((X - 0.3) ** 2, axis=1) if f is None else np.asarray(f, float)
    return Outcome(
        X,
        values,
        np.zeros(n, bool) if failed is None else np.asarray(failed),
        np.zeros(n) if violation is None else np.asarray(violation, float),
    )


def _run(count, infill="janus", entropy=5):
    run = Generations(_space(), Setup("cma", infill, None), entropy, _outcome(np.empty((0, 4))))
    for _ in range(count):
        run.tell(_outcome(run.X), _outcome(np.empty((0, 4))))
    return run


def test_the_same_telling_gives_the_same_rows():
    one, other = _run(12), _run(12)
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.row(50), other.row(50))
    assert not np.array_equal(one.X, _run(12, entropy=6).X)


@pytest.mark.parametrize("generation", [0, 3, 12])
def test_rows_beyond_the_generation_are_in_the_box_and_differ(generation):
    run = _run(generation)
    rows = np.array([run.row(i) for i in range(len(run.X) + 40)])
    assert np.all((rows >= 0.0) & (rows <= 1.0))
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_a_host_that_stops_starts_again_with_twice_the_rows():
    run = _run(0)
    rows = len(run.X)
    for _ in range(400):
        run.tell(_outcome(run.X), _outcome(np.empty((0, 4))))
        if len(run.X) != rows:
            break
    assert len(run.X) == 2 * rows


def test_infeasible_rows_rank_behind_feasible_ones_by_violation():
    X = np.zeros((4, 2))
    told = _outcome(X, [5.0, -100.0, -200.0, np.nan], [False, False, False, True], [0.0, 1e-9, 2.0, 0.0])
    ranked = told.for_host(7.0).ranking(7.0)
    assert ranked[0] == 5.0
    assert 7.0 < ranked[1] < ranked[2] < ranked[3]
    assert told.for_window().failed.tolist() == [False, True, True, True]


def test_infill_rows_may_come_back_as_others():
    run = _run(8)
    proposed = 0
    for _ in range(8):
        proposed += len(run.infill.records[-1].sources)
        run.tell(_outcome(np.array([run.row(len(run.X) + i) for i in range(len(run.X))])), _outcome(np.empty((0, 4))))
    assert proposed > 0


def test_the_window_sees_rows_that_the_host_is_not_told():
    run = _run(0, infill="janus")
    late = np.random.default_rng(1).uniform(size=(30, 4))
    run.tell(_outcome(run.X), _outcome(late))
    assert len(run.infill._trace) == len(late) + 8
