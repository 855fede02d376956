"""Every method keeps to its budget and its box, and repeats itself."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
import pytest

import janusopt
from janusopt.bench import methods, suites
from janusopt.bench.job import Job, execute
from janusopt.bench.meter import Meter, Stop
from janusopt.bench.methods.multi import Multi
from janusopt.bench.methods.stream import start
from janusopt.bench.problem import Problem
from janusopt.bench.task import Run, Task

TASK = Task("bbob", "f1", 5, 11)
BUDGET = 300
MULTI = [name for name in methods.NAMES if isinstance(methods.find(name), Multi)]
SCALAR = [
    name for name in methods.NAMES if name not in ("scipy-lsq", "dfo-ls", "como-cma", *MULTI)
]  # others need residuals


def _rows(name, budget=BUDGET):
    """The rows that a method evaluates."""
    problem, seen = suites.build(TASK), []
    watched = replace(problem, fun=lambda X: seen.extend(X.copy()) or problem.fun(X))
    meter = Meter(watched, budget, target=-1.0)
    with contextlib.suppress(Stop):
        methods.find(name)(meter.metered, 4, budget, start(problem, 4))
    return np.array(seen), meter


@pytest.mark.parametrize("name", SCALAR)
def test_a_method_spends_its_budget_inside_the_box(name):
    rows, meter = _rows(name)
    assert len(rows) == meter.evaluations == BUDGET
    assert (np.abs(rows) <= 5.0).all()


@pytest.mark.parametrize("name", SCALAR)
def test_the_same_seed_gives_the_same_rows(name):
    assert np.array_equal(_rows(name, 120)[0], _rows(name, 120)[0])


@pytest.mark.parametrize("name", ["l-bfgs-b", "scipy-de", "jde", "newuoa", "cobyla", "random-search"])
def test_a_peer_begins_at_the_shared_start(name):
    """BOBYQA moves a start that is less than its first step away from a bound."""
    rows, _ = _rows(name)
    assert np.abs(rows - start(suites.build(TASK), 4)).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("name", ["jde", "pso"])
def test_a_population_method_solves_a_sphere(name):
    assert _rows(name, 3000)[1].final < 1e-3


@pytest.mark.parametrize("name", ["l-bfgs-b", "bobyqa"])
def test_a_peer_that_converged_starts_again_elsewhere(name):
    rows, meter = _rows(name)
    assert meter.final < 1e-6
    jumps = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    assert jumps[-100:].max() > 1.0


def test_the_shared_start_is_the_one_that_minimize_draws():
    seen = []
    problem = suites.build(TASK)
    host = janusopt.minimize(
        lambda X: seen.append(X) or problem.fun(X),
        bounds=[(-5.0, 5.0)] * 5, budget=60, infill=None, rng=4, vectorized=True,
    )  # fmt: skip
    record = execute(Job(Run(TASK, "cma", 4, 60), methods.find("cma"), 0.0))
    assert record.final == host.fun - problem.optimum


def test_the_problems_own_start_comes_first():
    own = np.array([1.0, 2.0])
    problem = Problem(np.zeros(2), np.full(2, 5.0), lambda X: X.sum(axis=1), start=own)
    assert start(problem, 7) is own


def test_residual_problems_go_to_least_squares():
    task = np.array([1.0, -2.0, 0.5])
    problem = Problem(np.full(3, -5.0), np.full(3, 5.0), lambda X: np.sinh(X - task), kind="residuals")
    meter = Meter(problem, 400, 1e-10)
    outcome = methods.find("janus")(meter.metered, 0, 400, np.zeros(3))
    assert meter.final <= 1e-10
    assert {source["name"] for source in outcome.sources()} >= {"gn", "trust"}


def test_settings_in_a_name_reach_the_infill():
    method = methods.find("paper window=50 chart=linear trim=0.1")
    config = method.settings(10, scalar=True)
    assert (config.window, config.chart, config.trim, config.damping) == (50, "linear", 0.1, 1.0)
