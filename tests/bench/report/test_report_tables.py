"""The tables of made-up campaigns, whose outcome is known."""

from __future__ import annotations

import made_up
import numpy as np
import pytest

from janusopt.bench.report import runs, tables
from janusopt.bench.report.document import document
from janusopt.bench.report.table import Table, number, spans

GROUP = made_up.results().groups[0]


def _row(table, *start):
    return next(
        dict(zip(table.header[len(start) :], row[len(start) :], strict=True))
        for row in table.rows
        if tuple(cell.strip("*") for cell in row[: len(start)]) == start
    )


def test_a_method_that_wins_everywhere_is_shown_with_ratio_interval_and_counts():
    cells = _row(tables.overview(made_up.results()), "d = 30", "janus")
    assert float(cells["ratio to cma"]) == pytest.approx(0.01, rel=0.5)
    low, high = map(float, cells["95 % interval"].split(" – "))
    assert low < float(cells["ratio to cma"]) < high
    assert (cells["functions w/e/l"], cells["runs w/e/l"], cells["pairs"]) == ("2/0/0", "24/0/0", "24 of 24")


def test_a_loss_stands_beside_a_win():
    planned = made_up.runs()
    lost = {"f10": 30.0}
    records = [
        made_up.record(r, lost.get(r.task.problem, 0.01) if r.method == "janus" else made_up.FACTORS[r.method])
        for r in planned
    ]
    results = made_up.results(planned, records)
    table = tables.functions(results, GROUP)
    assert _row(table, "f4")["verdict"] == "**win**"
    assert _row(table, "f10")["verdict"] == "**loss**"
    assert _row(table, "f10")["runs w/e/l"] == "0/0/12"
    assert _row(tables.overview(results), "d = 30", "janus")["functions w/e/l"] == "1/0/1"


def test_one_function_that_makes_most_of_the_ratio_does_not_move_the_median():
    planned = made_up.runs(problems=("f4", "f10", "f20"))
    best = {("janus", "f10"): 1e-9, ("janus", "f4"): 0.8, ("janus", "f20"): 0.8}
    records = [made_up.record(r, best.get((r.method, r.task.problem), made_up.FACTORS[r.method])) for r in planned]
    cells = _row(tables.overview(made_up.results(planned, records)), "d = 30", "janus")
    assert float(cells["ratio to cma"]) < 0.01
    assert float(cells["median function"]) == pytest.approx(0.8, rel=0.3)


def test_too_few_seeds_are_told():
    table = tables.overview(made_up.results(made_up.runs(seeds=range(3))))
    assert _row(table, "d = 30", "janus")["functions w/e/l"] == "0/2/0 †"
    assert "too few seeds" in table.note
    assert "too few seeds" not in tables.overview(made_up.results()).note


def test_only_seeds_that_both_have_are_compared_and_the_rest_is_listed():
    planned = made_up.runs()
    records = [
        made_up.record(run, made_up.FACTORS[run.method])
        for run in planned
        if (run.method, run.task.problem, run.seed) not in {("janus", "f4", 100), ("cma", "f4", 101)}
    ]
    results = made_up.results(planned, records)
    assert _row(tables.overview(results), "d = 30", "janus")["pairs"] == "22 of 24"
    assert len(results.contest(GROUP, "janus", "cma").logs["f4"]) == 10
    assert _row(runs.incidents(results), "d = 30", "janus", "missing")["which (seeds)"] == "f4 (100)"
    assert _row(runs.incidents(results), "d = 30", "cma", "missing")["which (seeds)"] == "f4 (101)"
    assert results.state == "70 of 72 planned runs are stored: 2 missing, 0 failed, 0 capped."
    assert "(11)" in _row(tables.means(results, GROUP), "f4")["janus"]


def test_failed_and_capped_runs_are_listed_with_their_reason():
    planned = made_up.runs()
    broken = {
        "status": "failed",
        "error": "Traceback …\nValueError: out of luck",
        "final": None,
        "grid": [],
        "best": [],
    }
    changes = {
        planned[1].key: broken,
        planned[2].key: {"status": "capped", "evaluations": 10},
        planned[4].key: {"final": float("inf")},
    }  # fmt: skip
    records = [made_up.record(r, made_up.FACTORS[r.method], **changes.get(r.key, {})) for r in planned]
    results = made_up.results(planned, records)
    table = runs.incidents(results)
    assert [row[1:] for row in table.rows] == [
        ("janus", "failed", "1", "f4 (100)", "ValueError: out of luck"),
        ("janus", "failed", "1", "f4 (101)", "no finite value"),
        ("random-search", "capped", "1", "f4 (100)", "time limit"),
    ]
    assert _row(tables.overview(results), "d = 30", "random-search")["capped"] == "1"
    assert _row(tables.overview(results), "d = 30", "random-search")["pairs"] == "24 of 24"


def test_rows_outside_the_plan_are_counted_and_not_used():
    planned = made_up.runs()
    extra = made_up.runs(seeds=range(900, 902))
    records = [made_up.record(run, made_up.FACTORS[run.method]) for run in planned + extra]
    results = made_up.results(planned, records)
    assert _row(tables.overview(results), "d = 30", "janus")["pairs"] == "24 of 24"
    assert "12 stored runs are not in the plan" in runs.incidents(results).note


def test_errors_are_floored():
    planned = made_up.runs()
    records = [
        made_up.record(r, made_up.FACTORS[r.method], **({"final": -1e-14} if r.method == "janus" else {}))
        for r in planned
    ]
    assert _row(tables.means(made_up.results(planned, records), GROUP), "all")["janus"] == "**1e-8**"


def test_means_and_spreads_are_those_of_the_errors():
    results = made_up.results()
    errors = np.array(list(results.errors(GROUP, "f4", "cma").values()))
    wanted = f"{number(errors.mean())} ± {number(errors.std(ddof=1))}; {number(np.median(errors))}"
    assert _row(tables.spreads(results, GROUP), "f4")["cma"] == wanted
    cells = _row(tables.means(results, GROUP), "f4")
    assert cells["cma"] == number(np.exp(np.log(errors).mean()))
    assert cells["janus"].startswith("**")
    assert float(cells["janus / best other"]) == pytest.approx(
        float(cells["janus"].strip("*")) / float(cells["cma"]), rel=0.01
    )


def test_sources_and_seconds_are_summed_up():
    results = made_up.results()
    assert _row(runs.sources(results), "d = 30", "janus", "gn") == {
        "candidates": "4,800", "best of generation": "25.0 %", "in the better quarter": "60.0 %",
    }  # fmt: skip
    assert _row(runs.seconds(results), "d = 30", "cma") == {
        "seconds a run": "2", "host": "0.5", "infill": "0.25", "evaluation": "1",
    }  # fmt: skip


def test_groups_are_told_apart_by_what_differs():
    planned = made_up.runs() + made_up.runs(budget=200)
    results = made_up.results(planned)
    assert [results.label(group) for group in results.groups] == [
        "d = 30, 1,000 evaluations",
        "d = 30, 200 evaluations",
    ]


def test_a_table_is_markdown_and_text():
    table = Table("Title", ("", "a"), (("x|y", "**1**"),), "Note.")
    assert table.markdown() == "### Title\n\nNote.\n\n|  | a |\n| --- | --: |\n| x\\|y | **1** |\n"
    assert table.text() == "Title\n     a\n───  ─\nx|y  1"


def test_the_document_has_every_table():
    text = document(made_up.results(made_up.runs(dimensions=(30, 100))))
    for title in (
        "All methods against the host",
        "janus against cma, d = 100",
        "Geometric means, d = 30",
        "The gate",
        "Sources",
        "Wall time",
    ):
        assert f"### {title}\n" in text
    assert "72 of 72" not in text
    assert "144 of 144 planned runs are stored: 0 missing, 0 failed, 0 capped." in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0123456, "0.0123"), (1234567.0, "1.23e6"), (1e-8, "1e-8"), (2.5e-11, "2.5e-11"), (np.nan, "–")],
)
def test_numbers_have_three_digits(value, text):
    assert number(value) == text


def test_seeds_are_written_as_spans():
    assert spans([107, 100, 101, 102]) == "100–102, 107"
