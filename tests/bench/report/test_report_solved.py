"""Problems solved, by seeds and by method, and the gate of plans that count them."""

from __future__ import annotations

import made_up

from janusopt.bench.report import solved
from janusopt.bench.report.gate import refusal
from janusopt.bench.terms import Terms

SEEDS = range(4)
PLANNED = made_up.runs(seeds=SEEDS)
REACHED = {  # seeds that solve
    ("cma", "f4"): 1, ("cma", "f10"): 3, ("janus", "f4"): 4, ("janus", "f10"): 2,
}  # fmt: skip


def _results(reached=REACHED, terms=None, **changes):
    records = []
    for run in PLANNED:
        good = run.seed < reached.get((run.method, run.task.problem), 0)
        records.append(made_up.record(run, 1.0, **{"final": 10.0 if good else 10.1, "start": 1e6, **changes}))
    return made_up.results(PLANNED, records, terms=terms or Terms(solved=1e-5))


def test_a_run_solves_its_problem_at_the_stated_share_of_the_starts_error():
    results = _results()
    assert solved.seeds(results, results.groups[0], "f10", "janus") == {0: True, 1: True, 2: False, 3: False}


def test_problems_are_counted_as_means_over_the_seeds():
    rows = {row[1].strip("*"): row[2:] for row in solved.methods(_results()).rows}
    assert rows["cma"] == ("1.0", "2", "1", "0")
    assert rows["janus"] == ("1.5", "2", "1.5", "1")
    assert rows["random-search"] == ("0.0", "2", "0", "2")


def test_problems_with_fewer_seeds_than_the_host_are_named():
    results = _results()
    ((_, places),) = solved.suites(results).items()
    assert solved.behind(results, places, "janus") == ["f10 (d = 30)"]
    words = {row[1]: row[-1] for row in solved.problems(results).rows}
    assert words == {"f4": "**more**", "f10": "**fewer**"}
    assert {row[1]: row[2:4] for row in solved.problems(results).rows}["f4"] == ("1 of 4", "4 of 4")


def test_a_failed_run_has_solved_nothing_and_a_run_without_a_start_is_left_out():
    failed = _results(status="failed")
    assert not any(solved.seeds(failed, failed.groups[0], "f4", "janus").values())
    assert len(solved.seeds(failed, failed.groups[0], "f4", "janus")) == 4
    older = _results(start=None)
    assert solved.seeds(older, older.groups[0], "f4", "janus") == {}


def test_a_plan_that_does_not_ask_has_no_such_table():
    results = _results(terms=Terms())
    assert solved.methods(results).rows == solved.problems(results).rows == ()


def test_the_gate_of_such_a_plan_counts_problems():
    """Errors alone would refuse it: random search ends as low as the host."""
    results = _results()
    assert refusal(results, results, ["do"]) == ""
    lucky = _results({**REACHED, ("random-search", "f4"): 4})
    told = refusal(lucky, lucky, ["do"])
    assert "'cma' solves 1.0 problems of bbob, random search 1.0" in told
