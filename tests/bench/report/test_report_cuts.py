"""Evaluation counts before the budget, read off the curves of longer runs."""

from __future__ import annotations

import made_up
import numpy as np
import pytest

from janusopt.bench.report import runs, tables
from janusopt.bench.terms import Terms


def _results(records=None, at=(100,), planned=None):
    return made_up.results(planned, records, terms=Terms(at=at))


def test_a_count_makes_a_group_of_its_own_with_the_errors_of_that_moment():
    results = _results()
    early, whole = results.groups
    assert (early.budget, whole.budget) == (100, 1000)
    for row in results.of(whole, "f4", "cma"):
        assert results.errors(early, "f4", "cma")[row.seed] == row.curve.at(np.array([100]))[0]
    labels = {row[0] for row in tables.overview(results).rows}
    assert labels == {"d = 30, 100 evaluations", "d = 30, 1,000 evaluations"}


def test_what_is_known_only_at_the_end_of_a_run_is_left_out():
    results = _results()
    row = results.of(results.groups[0], "f4", "janus")[0]
    assert (row.x, row.sources, row.ranks, row.charts, row.seconds) == (None, (), {}, {}, {})
    assert row.curve.grid[-1] <= 100 == row.evaluations
    assert {cells[0] for cells in runs.seconds(results).rows} == {"d = 30, 1,000 evaluations"}


def test_cuts_are_no_runs_of_their_own():
    results = _results()
    assert results.state.startswith("72 of 72 planned runs")
    cells = next(row for row in tables.overview(results).rows if row[1] == "**janus**")
    assert cells[-2] == "24 of 24"


def test_a_count_beyond_the_budget_or_equal_to_one_adds_nothing():
    assert len(_results(at=(1000, 2000)).groups) == 1
    both = made_up.runs() + made_up.runs(budget=100)
    results = _results(planned=both)
    assert len(results.of(results.groups[1], "f4", "cma")) == 12


@pytest.mark.parametrize(("evaluations", "status"), [(50, "capped"), (500, "ok")])
def test_a_run_is_capped_only_where_the_cap_came_first(evaluations, status):
    planned = made_up.runs()
    records = [made_up.record(r, made_up.FACTORS[r.method], status="capped", evaluations=evaluations) for r in planned]
    results = _results(records, planned=planned)
    assert {row.status for row in results.of(results.groups[0], "f4", "cma")} == {status}


def test_a_failed_run_stays_one():
    planned = made_up.runs()
    broken = {"status": "failed", "error": "x", "final": None, "grid": [], "best": []}
    records = [made_up.record(r, 1.0, **(broken if r.method == "janus" else {})) for r in planned]
    results = _results(records, planned=planned)
    assert not any(row.good for row in results.of(results.groups[0], "f4", "janus"))
    assert len(results.failed) == 24
