"""The audit of made-up campaigns: plain means, feasible runs, the best other method, verdicts of unpaired runs."""

from __future__ import annotations

import made_up
import numpy as np
import pytest

from janusopt.bench.report import audit, tables
from janusopt.bench.report.document import document
from janusopt.bench.terms import Terms

TERMS = Terms("mann-whitney", feasible=50.0)
FACTORS = {"cma": 1.0, "janus": 0.5, "de": 0.7, "janus-gn": 0.6, "random-search": 50.0}
PLANNED = made_up.runs(methods=FACTORS)


def _results(changed=None, terms=TERMS, planned=PLANNED):
    """``changed(run)``: what differs from the factors in a run's record."""
    records = []
    for run in planned:
        sources = [{"name": "gn", "proposed": 1, "first": 0, "upper": 0}] if run.method.startswith("janus") else []
        more = changed(run) if changed else {}
        records.append(made_up.record(run, FACTORS[run.method], **{"sources": sources, **more}))
    return made_up.results(planned, records, terms=terms)


def _row(table, *start):
    return next(
        dict(zip(table.header[len(start) :], row[len(start) :], strict=True))
        for row in table.rows
        if tuple(cell.strip("*") for cell in row[: len(start)]) == start
    )


def test_costs_are_plain_means_and_medians_and_their_ratios():
    results = _results()
    group = results.groups[0]
    errors = {
        method: np.array([list(results.errors(group, p, method).values()) for p in ("f4", "f10")]) for method in FACTORS
    }
    cells = _row(audit.costs(results), "d = 30", "janus")
    assert float(cells["mean"]) == pytest.approx(errors["janus"].mean(), rel=0.01)
    assert float(cells["median"]) == pytest.approx(np.median(errors["janus"]), rel=0.01)
    assert float(cells["mean / cma"]) == pytest.approx(errors["janus"].mean() / errors["cma"].mean(), rel=0.01)
    theirs = _row(audit.costs(results), "d = 30", "de")
    assert float(theirs["median janus / it"]) == pytest.approx(
        np.median(errors["janus"]) / np.median(errors["de"]), rel=0.01
    )
    assert (cells["feasible"], _row(audit.costs(results), "d = 30", "random-search")["feasible"]) == (
        "100.0 %",
        "0.0 %",
    )


def test_every_problem_weighs_the_same_in_the_mean():
    few = [run for run in PLANNED if run.task.problem == "f4" or run.seed < 103]
    results = _results(lambda run: {"final": 3.0 if run.task.problem == "f4" else 1.0}, planned=few)
    assert _row(audit.costs(results), "d = 30", "cma")["mean"] == "2"


def test_the_best_other_method_is_named_with_and_without_infill():
    table = audit.rivals(_results())
    assert _row(table, "d = 30", "all others")["least mean"] == "janus-gn"
    assert _row(table, "d = 30", "those without infill")["least mean"] == "de"
    assert float(_row(table, "d = 30", "those without infill")["ratio of means"]) == pytest.approx(0.5 / 0.7, rel=0.3)


def test_verdicts_are_those_of_unpaired_runs():
    """The seeds differ more than the methods, and each pair the same way: evidence for a paired test only."""

    def apart(run):
        return {"final": 10.0 + run.seed % 12 + (5.5 if run.method == "cma" else 0.0)}

    results, paired = _results(apart), _results(apart, Terms())
    table = audit.problems(results, results.groups[0])
    verdicts = results.contest(results.groups[0], "janus", "cma").verdicts
    assert float(_row(table, "f4")["p better"]) == pytest.approx(verdicts["f4"].better, rel=0.01)
    assert paired.contest(results.groups[0], "janus", "cma").verdicts["f4"].better < verdicts["f4"].better
    assert "Mann–Whitney" in tables.overview(results).note
    assert "Wilcoxon" in tables.overview(paired).note


def test_a_loss_is_marked_and_counted():
    results = _results(
        lambda run: {"final": 999.0 + run.seed} if (run.method, run.task.problem) == ("janus", "f10") else {}
    )
    table = audit.problems(results, results.groups[0])
    assert (_row(table, "f4")["verdict"], _row(table, "f10")["verdict"]) == ("**win**", "**loss**")
    assert _row(table, "f10")["feasible janus"] == "0.0 %"
    assert _row(table, "f10")["mean janus"] == "1,104"
    assert _row(audit.costs(results), "d = 30", "janus")["won/lost against cma"] == "1/1"
    assert _row(tables.overview(results), "d = 30", "janus")["functions w/e/l"] == "1/0/1"


def test_too_few_unpaired_runs_are_told():
    results = _results(planned=made_up.runs(methods=FACTORS, seeds=range(2)))
    assert "too few seeds" in audit.problems(results, results.groups[0]).note
    assert _row(audit.costs(results), "d = 30", "janus")["won/lost against cma"] == "0/0 †"


def test_a_plan_that_asks_for_no_audit_has_none():
    results = _results(terms=Terms())
    assert (
        audit.costs(results).rows == audit.rivals(results).rows == audit.problems(results, results.groups[0]).rows == ()
    )
    assert "Plain means" not in document(results)
    assert "### Plain means and medians" in document(_results())


def test_a_method_without_runs_on_a_problem_has_no_mean():
    planned = [run for run in PLANNED if (run.method, run.task.problem) != ("de", "f10")]
    results = _results(planned=planned)
    assert _row(audit.costs(results), "d = 30", "de")["mean"] == "–"
    assert _row(audit.rivals(results), "d = 30", "those without infill")["least mean"] == "cma"
