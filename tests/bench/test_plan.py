"""Plans: what they mean, and what a wrong one is told."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from janusopt.bench.plan import League, read_plan, span
from janusopt.bench.problem import Problem
from janusopt.bench.terms import Terms
from janusopt.errors import InputError

PLANS = sorted((Path(__file__).parents[2] / "plans").glob("*.toml"))

GOOD = """
title = "Try"
suite = "bbob"
problems = ["f1", "f10"]
dimensions = [2]
instances = [11, 12]
seeds = "100:103"
budget = 50
methods = ["cma", "janus"]
host = "cma"
subject = "janus"
"""


def _read(text, **more):
    Path("try.toml").write_text(text, encoding="utf-8")
    return read_plan(Path("try.toml"), **more)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_plan_of_the_repository_is_sound_and_has_a_quick_form(path):
    full, quick = read_plan(path), read_plan(path, quick=True)
    assert 0 < len(quick.jobs) < len(full.jobs)
    assert (full.name, quick.name) == (path.stem, f"{path.stem}-quick")
    reference = {run.task for run in full.runs if run.method == full.leagues[run.key].host}
    assert reference == {run.task for run in full.runs if run.method == "random-search"}


def test_tuning_and_reports_share_no_instance_and_no_seed():
    seen = {path.stem: read_plan(path).runs for path in PLANS if path.stem.startswith(("bbob", "tune"))}
    del seen["tune-components"]
    tuned = {(run.task.instance, run.seed) for run in seen.pop("tune")}
    for runs in seen.values():
        assert not {instance for instance, _ in tuned} & {run.task.instance for run in runs}
        assert not {seed for _, seed in tuned} & {run.seed for run in runs}


def test_tuning_and_reports_on_components_share_no_seed_no_terrain_and_no_scenes():
    tuned = [run for path in PLANS if path.stem == "tune-components" for run in read_plan(path).runs]
    shown = [run for path in PLANS if path.stem.startswith(("uav", "awb")) for run in read_plan(path).runs]
    assert tuned
    assert not {run.seed for run in tuned} & {run.seed for run in shown}
    assert not {run.task.problem for run in tuned if run.task.suite == "uav"} & {run.task.problem for run in shown}
    scenes = [{run.task.instance for run in runs if run.task.suite == "awb"} for runs in (tuned, shown)]
    assert not scenes[0] & scenes[1]


def test_the_standard_suite_has_38_tasks_in_two_regimes():
    plan = read_plan(PLANS[0].parent / "moo.toml")
    regimes = {run.task: plan.leagues[run.key].regime for run in plan.runs}
    assert Counter(regimes.values()) == {"2 and 3 objectives": 18, "5, 8 and 10 objectives": 20}
    objectives = Counter(int(task.problem.rpartition("-n")[2]) for task in regimes)
    assert objectives == {2: 12, 3: 6, 5: 6, 8: 7, 10: 7}
    assert {run.seed for run in plan.runs} == set(range(100, 110))


def test_seeds_choose_their_instance_alike_for_every_method():
    plan = _read(GOOD)
    assert len(plan.runs) == 2 * 3 * 2
    assert {(run.seed, run.task.instance) for run in plan.runs} == {(100, 11), (101, 12), (102, 11)}


def test_runs_of_one_task_stand_together():
    tasks = [run.task for run in _read(GOOD).runs]
    changes = sum(a != b for a, b in itertools.pairwise(tasks))
    assert changes == len(set(tasks)) - 1


def test_parts_override_keys_and_a_run_in_two_parts_is_one():
    plan = _read(GOOD + '[[part]]\n[[part]]\ndimensions = [3]\nseeds = "100:101"\n[[part]]\nseeds = "100:101"\n')
    by_dimension = {d: sum(run.task.dimension == d for run in plan.runs) for d in (2, 3)}
    assert by_dimension == {2: 12, 3: 4}


def test_the_quick_form_overrides_and_leaves_the_parts_out():
    text = GOOD + "[[part]]\ndimensions = [40]\n[quick]\nbudget = 7\nfloor = 0.5\n"
    quick = _read(text, quick=True)
    assert {(run.task.dimension, run.budget) for run in quick.runs} == {(2, 7)}
    assert quick.floor == quick.jobs[0].target == 0.5


def test_the_quick_form_may_have_parts_of_its_own():
    text = (
        GOOD + "[quick]\nbudget = 7\n[[quick.part]]\ndimensions = [3]\n[[quick.part]]\ndimensions = [4]\nbudget = 9\n"
    )
    assert {(run.task.dimension, run.budget) for run in _read(text, quick=True).runs} == {(3, 7), (4, 9)}


def test_a_part_may_have_its_own_host_and_regime():
    part = '[[part]]\n[[part]]\ndimensions = [3]\nmethods = ["de", "janus-de"]\nhost = "de"\nsubject = "janus-de"\n'
    plan = _read(GOOD + part + 'regime = "other"\n')
    leagues = {run.task.dimension: plan.leagues[run.key] for run in plan.runs}
    assert leagues == {2: League("cma", "janus"), 3: League("de", "janus-de", "other")}


def test_extra_counts_are_those_at_which_fronts_are_stored_where_there_are_several_objectives():
    pairs = GOOD.replace('"bbob"', '"biobj"').replace('"f1", "f10"', '"f1-f8"').replace("budget = 50", "budget = 40")
    assert _read(pairs + "at = [10, 20]\n").terms.at == (10, 20)
    with pytest.raises(InputError, match="a quarter or half of the budget is expected, got 30"):
        _read(pairs + "at = [10, 30]\n")


def test_only_the_seeds_that_were_asked_for_are_kept():
    assert {run.seed for run in _read(GOOD, seeds=range(101, 500)).runs} == {101, 102}


def test_a_plan_may_define_a_method():
    added = '[[method]]\nname = "wide"\nhost = "de"\ninfill = "janus"\nconfig = {window = 600}\nrestarts = "race"\n'
    plan = _read(GOOD.replace('"janus"]', '"janus", "wide"]') + added)
    method = next(job.method for job in plan.jobs if job.run.method == "wide")
    assert (method.host, method.restarts) == ("de", "race")
    assert method.settings(5, scalar=True).window == 600


def test_a_spread_sets_how_wide_a_method_starts():
    plan = _read(GOOD.replace('"janus"]', '"janus", "near"]') + '[[method]]\nname = "near"\nspread = 0.001\n')
    near = next(job.method for job in plan.jobs if job.run.method == "near")
    seen = []
    problem = Problem(np.full(2, -5.0), np.full(2, 5.0), lambda X: seen.extend(X.copy()) or (X**2).sum(axis=1))
    near(problem, 1, 12, np.ones(2))
    assert np.abs(np.array(seen) - 1.0).max() < 0.1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("budget = 50", "budget = 50\nbugdet = 2", "unknown key 'bugdet'"),
        ("budget = 50", "budget = 0", "budget: a whole number of at least 1"),
        ("budget = 50", "budget = true", "budget: a whole number"),
        ("budget = 50", "", "'budget' is missing"),
        ('"janus"]', '"janus", "anneal"]', "one of cma, janus.* got 'anneal'"),
        ('"janus"]', '"janus", "janus window=3"]', "window must be a whole number"),
        ('"janus"]', '"janus", "janus windows=30"]', "unknown setting 'windows'"),
        ('"janus"]', '"janus", "janus window"]', "settings such as window=600"),
        ('"janus"]', '"janus", "bobyqa window=600"]', "bobyqa takes no settings"),
        ('"janus"]', '"janus", "cma window=600"]', "has no settings"),
        ('seeds = "100:103"', 'seeds = "100-103"', "FIRST:LAST"),
        ('seeds = "100:103"', 'seeds = "103:100"', "FIRST:LAST"),
        ('seeds = "100:103"', "seeds = 100", "FIRST:LAST"),
        ('suite = "bbob"', 'suite = "cec"', "suite must be one of bbob"),
        ("dimensions = [2]", "dimensions = []", "at least one entry"),
        ("dimensions = [2]", "", "'dimensions' is missing"),
        ('host = "cma"', 'host = "de"', "host must be one of the plan's methods"),
        ('title = "Try"', "title = 3", "title: a text is expected"),
        ("budget = 50", "budget = 50\ncap_seconds = -1", "cap_seconds: a positive number"),
        ("budget = 50", "budget = 50\nat = [0]", "at: a whole number of at least 1"),
        ("budget = 50", 'budget = 50\ntest = "t"', "test: one of wilcoxon, mann-whitney is expected, got 't'"),
        ("budget = 50", "budget = 50\nfeasible = -1", "feasible: a positive number"),
        ("budget = 50", "budget = ", "not TOML"),
    ],
)
def test_a_wrong_plan_is_told_what_is_wrong(old, new, told):
    with pytest.raises(InputError, match=told) as raised:
        _read(GOOD.replace(old, new))
    assert "try.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ("[[part]]\nfloor = 1.0\n", r"\[\[part\]\] has the unknown key 'floor'"),
        ('[[part]]\nhost = "de"\n', "host must be one of the plan's methods, got 'de'"),
        ("[quick]\nparts = 2\n", r"\[quick\] has the unknown key 'parts'"),
        ('[[method]]\nname = "a/b"\n', "letters, digits"),
        ('[[method]]\nname = "a"\nhost = "sa"\n', "host of method 'a' must be one of"),
        ('[[method]]\nname = "a"\ninfill = "jan"\n', "infill must be one of"),
        ('[[method]]\nname = "a"\nrestarts = "always"\n', "restarts of method 'a' must be 'ipop', 'race' or 'encore'"),
        ('[[method]]\nname = "a"\nspread = 0\n', "spread of method 'a' must be above 0 and at most 1, got 0"),
    ],
)
def test_wrong_tables_of_a_plan_are_told(added, told):
    with pytest.raises(InputError, match=told):
        _read(GOOD + added, quick="quick" in added)


def test_a_plan_without_a_quick_form_says_so():
    with pytest.raises(InputError, match=r"no \[quick\] table"):
        _read(GOOD, quick=True)


def test_a_plan_that_is_not_there_is_told():
    with pytest.raises(InputError, match=r"nowhere\.toml cannot be read: No such file"):
        read_plan(Path("nowhere.toml"))


def test_seeds_that_the_plan_has_not_are_told():
    with pytest.raises(InputError, match="has a seed in 5:7"):
        _read(GOOD, seeds=span("5:7"))


def test_terms_and_extra_counts_are_read():
    plan = _read(GOOD + 'test = "mann-whitney"\nfeasible = 10000\nsolved = 1e-5\nat = [40, 20]\n')
    assert plan.terms == Terms("mann-whitney", 10000.0, 1e-5, (20, 40))
    assert {job.at for job in plan.jobs} == {(20, 40)}
    assert _read(GOOD).terms == Terms()
