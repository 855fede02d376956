"""The gate: no report on a host that is not shown to beat random search."""

from __future__ import annotations

import made_up

from janusopt.bench.report.gate import refusal, trials
from janusopt.bench.terms import Terms

COMMAND = ["janusopt bench run plans/x.toml"]


def _refusal(results):
    """With the gate in the plan itself."""
    return refusal(results, results, COMMAND)


def test_a_host_that_beats_random_search_everywhere_passes():
    results = made_up.results()
    assert _refusal(results) == ""
    assert all(trial.passed and trial.ratio < 0.1 for trial in trials(results, results))


def test_the_functions_where_random_search_is_better_are_named():
    planned = made_up.runs(problems=("f4", "f10", "f20"))
    factors = {("random-search", "f10"): 0.2}
    records = [
        made_up.record(run, factors.get((run.method, run.task.problem), made_up.FACTORS[run.method])) for run in planned
    ]
    told = _refusal(made_up.results(planned, records))
    assert "random search beats the host 'cma'" in told
    assert "d = 30: f10 (host / random search = " in told
    assert "f4" not in told
    assert "f20" not in told


def test_a_tie_passes_but_is_not_ahead():
    planned = made_up.runs()
    results = made_up.results(planned, [made_up.record(run, 1.0, final=1e-12) for run in planned])
    assert _refusal(results) == ""
    assert not any(trial.ahead for trial in trials(results, results))


def test_without_random_search_it_says_how_to_get_it():
    planned = made_up.runs(methods=("cma", "janus"))
    told = _refusal(made_up.results(planned))
    assert "d = 30: f4, f10" in told
    assert "add 'random-search' to the plan's methods" in told
    assert COMMAND[0] in told


def test_runs_that_lack_on_one_function_are_named():
    planned = made_up.runs(dimensions=(30, 100))
    lacking = [r for r in planned if (r.method, r.task.problem, r.task.dimension) == ("random-search", "f10", 100)]
    records = [made_up.record(run, made_up.FACTORS[run.method]) for run in planned if run not in lacking]
    told = _refusal(made_up.results(planned, records))
    assert "d = 100: f10" in told
    assert "d = 30" not in told
    assert "add 'random-search'" not in told


def test_random_search_with_other_seeds_is_no_pair():
    host = made_up.runs(methods=("cma", "janus"), seeds=range(5))
    chance = made_up.runs(methods=("random-search",), seeds=range(5, 10))
    assert "no paired runs" in _refusal(made_up.results(host + chance))


def test_another_plan_may_show_it_at_its_own_budget_and_only_for_what_it_has():
    short = made_up.results(made_up.runs(methods=("cma", "janus")))
    long = made_up.results()
    assert refusal(short, long, COMMAND) == ""
    wider = made_up.results(made_up.runs(methods=("cma", "janus"), problems=("f4", "f24")))
    told = refusal(wider, long, COMMAND)
    assert "f24" in told
    assert "f4," not in told


def test_where_feasibility_counts_the_host_must_be_ahead_over_all_problems_and_may_lose_single_ones():
    planned = made_up.runs(problems=("t01", "t03", "t05"), suite="uav")

    def told(factors):
        records = [made_up.record(run, factors.get(run.task.problem, 50.0) if run.method == "random-search" else 1.0)
                   for run in planned]  # fmt: skip
        return _refusal(made_up.results(planned, records, terms=Terms(feasible=20.0)))

    assert told({"t03": 0.2}) == ""
    assert "random search beats the host 'cma' over the problems of d = 30" in told(
        {"t01": 0.2, "t03": 0.2, "t05": 0.2}
    )
