"""Methods for several objectives: the door's own run, judged by the population, at stated counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import janusopt
from janusopt.bench import methods, suites
from janusopt.bench.job import Job, execute
from janusopt.bench.meter import Meter
from janusopt.bench.methods.multi import Multi, directions
from janusopt.bench.task import Run, Task
from janusopt.core.dominance import nondominated
from janusopt.errors import InputError
from janusopt.pareto import ParetoConfig

ZDT1 = Task("moo", "zdt1-n2", 30, 1)
MULTI = [name for name in methods.NAMES if isinstance(methods.find(name), Multi)]


def _rows(name, budget=300):
    """The rows that a method evaluates, and what it tells."""
    problem, seen = suites.build(ZDT1), []
    watched = replace(problem, fun=lambda X: seen.extend(X.copy()) or problem.fun(X))
    meter = Meter(watched, budget, target=0.0)
    outcome = methods.find(name)(meter.metered, 4, budget, np.zeros(30))
    return np.array(seen), meter, outcome


@pytest.mark.parametrize("name", [*MULTI, "random-search"])
def test_a_method_spends_its_budget_inside_the_box_and_leaves_a_front(name):
    rows, meter, outcome = _rows(name)
    assert len(rows) == meter.evaluations
    assert meter.evaluations == (200 if name.endswith("rvea") else 300)  # pymoo's RVEA ends a generation early
    assert ((rows >= 0.0) & (rows <= 1.0)).all()
    last = list(outcome.fronts.values())[-1]
    assert last.shape[1] == 2
    assert nondominated(last).all()
    assert len(last) <= 126


@pytest.mark.parametrize(
    ("name", "host", "infill"), [("sms-emoa", "sms-emoa", None), ("janus-sms", "sms-emoa", "janus")]
)
def test_the_rows_are_those_of_minimize_multi(name, host, infill):
    problem, seen = suites.build(ZDT1), []
    janusopt.minimize_multi(
        lambda X: seen.extend(X.copy()) or problem.fun(X),
        bounds=[(0.0, 1.0)] * 30, budget=300, host=host, infill=infill, rng=4, vectorized=True,
    )  # fmt: skip
    assert np.array_equal(_rows(name)[0], seen)


def test_a_front_at_a_count_knows_no_later_row():
    rows, _, outcome = _rows("nsga2", 400)
    F = suites.build(ZDT1).fun(rows)
    assert list(outcome.fronts)[-5:] == [100, 141, 200, 283, 400]
    for count, front in outcome.fronts.items():
        known = F[: count // 100 * 100]
        assert all((known == row).all(axis=1).any() for row in front)


def test_the_front_is_the_populations_and_not_the_whole_runs():
    rows, _, outcome = _rows("nsga2", 400)
    F = suites.build(ZDT1).fun(rows)
    last = outcome.fronts[400]
    assert len(last) <= 100
    assert not (F[nondominated(F)][:, None] < last).all(axis=2).any()


def test_a_capped_run_keeps_the_front_that_it_had():
    record = execute(Job(Run(ZDT1, "it", 4, 10**6), methods.find("nsga2"), 0.0, 0.3))
    assert record.status == "capped"
    assert record.grid[-1] == record.evaluations < 10**6
    assert record.front


def test_settings_in_a_name_reach_the_infill():
    config = methods.find("janus-sms-5 fraction=0.3 edge=reflect sources=['cmix']").settings()
    assert isinstance(config, ParetoConfig)
    assert (config.fraction, config.edge, config.sources, config.adaptive) == (0.3, "reflect", ("cmix",), False)


@pytest.mark.parametrize(
    ("name", "told"),
    [("janus-sms windows=3", "unknown setting 'windows'"), ("sms-emoa fraction=0.1", "has no settings")],
)
def test_wrong_settings_are_told(name, told):
    with pytest.raises(InputError, match=told):
        methods.find(name)


def test_slow_hosts_come_first_in_a_campaign():
    cost = {
        name: Job(Run(ZDT1, name, 0, 100), methods.find(name), 0.0).cost for name in ("nsga2", "janus-age2", "moead")
    }
    assert cost["nsga2"] < cost["janus-age2"] < cost["moead"]


def test_one_objective_is_refused():
    problem = suites.build(Task("bbob", "f1", 5, 1))
    with pytest.raises(InputError, match="several objectives"):
        methods.find("nsga2")(problem, 0, 300, np.zeros(5))


@pytest.mark.parametrize(("objectives", "number"), [(2, 100), (3, 105), (5, 126), (8, 120), (10, 55)])
def test_directions_are_as_near_to_the_population_as_a_layout_allows(objectives, number):
    assert directions(objectives) == number
