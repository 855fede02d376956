"""A run becomes a record, whatever happens in it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from janusopt.bench import suites
from janusopt.bench.job import Job, execute
from janusopt.bench.methods import find
from janusopt.bench.methods.stream import start
from janusopt.bench.outcome import Outcome
from janusopt.bench.suites import build
from janusopt.bench.task import Run, Task
from janusopt.volume import igd_plus

TASK = Task("bbob", "f1", 5, 11)
PAIR = Task("biobj", "f1-f8", 5, 11)
ZDT1 = Task("moo", "zdt1-n2", 30, 1)


def _run(method, budget=300, target=1e-8, cap=None, task=TASK):
    return execute(Job(Run(task, "it", 4, budget), method, target, cap))


def test_a_record_tells_where_the_time_went_and_what_infill_did():
    record = _run(find("janus"), budget=200, target=0.0)
    assert (record.status, record.error, record.evaluations) == ("ok", None, 200)
    spent = record.seconds_host + record.seconds_infill + record.seconds_evaluation
    assert 0.0 < spent <= record.seconds_total
    assert record.seconds_infill > 0.0
    assert sum(source["proposed"] for source in record.sources) == sum(sum(r["histogram"]) for r in record.ranks) > 0
    assert sum(sum(chart["counts"]) for chart in record.charts) == 200 // 8
    assert json.loads(record.versions)["numpy"] == np.__version__
    assert record.best[-1] == record.final


@pytest.mark.parametrize("name", ["cma", "janus", "bobyqa"])
def test_a_run_ends_at_its_target_for_every_kind_of_method(name):
    record = _run(find(name), budget=3000, target=1e-3)
    assert record.status == "ok"
    assert record.evaluations < 3000
    assert record.final <= 1e-3


@pytest.mark.parametrize("name", ["janus", "l-bfgs-b"])
def test_a_capped_run_keeps_what_it_found(name):
    record = _run(find(name), budget=10**7, target=-1.0, cap=0.3)
    assert record.status == "capped"
    assert 0 < record.evaluations < 10**7
    assert record.grid[-1] == record.evaluations
    assert record.seconds_total < 5.0


def _fails(problem, seed, budget, x0):
    problem.fun(x0[None, :])
    raise ZeroDivisionError("by design")


def test_a_failing_method_is_recorded_with_its_traceback():
    record = _run(_fails)
    assert (record.status, record.final) == ("failed", None)
    assert "ZeroDivisionError: by design" in record.error
    assert "_fails" in record.error


def test_a_problem_that_cannot_be_built_is_recorded_too():
    record = _run(find("cma"), task=Task("bbob", "f99", 5, 11))
    assert record.status == "failed"
    assert "f1 to f24" in record.error


def test_a_front_is_kept():
    record = _run(lambda *_: Outcome(fronts={40: np.array([[3.0, 3.0]]), 300: np.array([[1.0, 2.0]])}), task=PAIR)
    assert record.front == [[1.0, 2.0]]
    assert record.grid == [40, 300]
    assert 0.0 < record.volumes[0] < record.volumes[1] < 1.0


def test_fronts_at_a_quarter_and_half_of_the_budget_are_kept_and_the_distance_to_the_true_front():
    fronts = {count: np.array([[0.5, 0.5 + 1.0 / count]]) for count in (50, 75, 150, 300)}
    record = _run(lambda *_: Outcome(fronts=fronts), task=ZDT1)
    assert [kept["evaluations"] for kept in record.fronts] == [75, 150]
    assert record.fronts[0]["rows"] == fronts[75].tolist()
    assert record.igd_plus == pytest.approx(igd_plus(fronts[300], suites.build(ZDT1).front()))


def test_noisy_runs_are_judged_noise_free():
    record = _run(find("random-search"), budget=50, task=Task("bbob-noisy", "f1", 5, 11))
    exact = _run(find("random-search"), budget=50)
    assert record.final in [pytest.approx(value, rel=1e-12) for value in record.best]
    assert record.final >= exact.final
    assert record.final == pytest.approx(exact.final, rel=0.06)


def test_the_best_row_and_the_error_of_the_start_are_kept():
    record = _run(find("random-search"), budget=50)
    problem = build(TASK)
    assert problem.error(np.array(record.x)) == pytest.approx(record.final, rel=1e-4)
    assert record.start == problem.error(start(problem, 4)) >= record.final


def test_a_long_row_is_not_kept():
    record = _run(find("random-search"), budget=3, task=Task("uav", "t02", 129, 1))
    assert record.x is None
    assert record.start > record.final


def test_the_start_of_a_noisy_problem_is_judged_without_noise_and_moves_no_run():
    task = Task("lsq-noisy", "rosenbrock", 2, 1)
    record = _run(find("random-search"), budget=50, task=task)
    assert record.start == pytest.approx(12.1)
    assert record.best[0] == record.start
