"""Counts that are stored of an infill's records."""

from __future__ import annotations

from janusopt.bench.outcome import Outcome
from janusopt.infill import StepRecord

NAN = float("nan")


def test_sources_ranks_and_charts_are_counted():
    records = [StepRecord(i, "none" if i < 2 else "newton") for i in range(20)]
    records[5] = StepRecord(5, "newton", sources=("newton", "lbfgs"), ranks=(0.0, 0.25))
    records[6] = StepRecord(6, "linear", sources=("newton", "lbfgs"), ranks=(1.0, NAN))
    outcome = Outcome(records=records)
    assert outcome.sources() == [
        {"name": "lbfgs", "proposed": 1, "first": 0, "upper": 1},
        {"name": "newton", "proposed": 2, "first": 1, "upper": 1},
    ]
    assert outcome.ranks() == [
        {"name": "lbfgs", "histogram": [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]},
        {"name": "newton", "histogram": [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]},
    ]
    assert outcome.charts() == [
        {"name": "linear", "counts": [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]},
        {"name": "newton", "counts": [0, 2, 2, 1, 2, 2, 2, 2, 2, 2]},
        {"name": "none", "counts": [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]},
    ]


def test_a_method_without_records_has_no_counts():
    assert Outcome().sources() == Outcome().ranks() == Outcome().charts() == []
