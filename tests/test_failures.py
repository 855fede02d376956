"""A third of all evaluations fails, in every way at once, and the run arrives all the same."""

from __future__ import annotations

import numpy as np
import pytest

import faulty
from janusopt import minimize
from janusopt.errors import DeadWorker, EvaluationTimeout
from janusopt.evaluate import NonFinite
from janusopt.workers import Workers

SEEDS = (1, 2, 3)


@pytest.mark.parametrize("fun", [faulty.sphere, faulty.rosenbrock])
def test_with_30_percent_failing_an_error_of_1e_4_costs_at_most_twice_the_evaluations(fun):
    """The geometric mean over seeds. Each way of failing occurs; a wrong best, or a hang, would be seen."""
    kinds, ratios = set(), []
    settings = {"bounds": [(-4.0, 5.0)] * 2, "popsize": 10, "budget": 1500, "target": 1e-4}
    with Workers(2, timeout=0.5) as pool:
        for seed in SEEDS:
            hit = minimize(
                faulty.failing,
                args=(fun,),
                executor=pool,
                rng=seed,
                on_error=lambda x, problem: kinds.add(type(problem)),
                **settings,
            )
            assert hit.fun == fun(hit.x) <= 1e-4
            assert hit.janus["failures"] >= 0.15 * hit.nfev
            ratios.append(hit.nfev / minimize(fun, rng=seed, **settings).nfev)
    assert kinds >= {ValueError, NonFinite}
    assert np.exp(np.mean(np.log(ratios))) <= 2.0


@pytest.mark.parametrize("fun", [faulty.sphere, faulty.rosenbrock])
def test_with_30_percent_failing_the_result_is_within_twice_the_error_without_faults(fun):
    """Errors below 1e-8 count as solved: how far below that a run gets is a number of any size."""
    settings = {"bounds": [(-4.0, 5.0)] * 2, "popsize": 10, "budget": 2500, "target": 1e-8}
    with Workers(2, timeout=0.5) as pool:
        for seed in SEEDS:
            hit = minimize(faulty.failing, args=(fun,), executor=pool, on_error="skip", rng=seed, **settings)
            clean = minimize(fun, rng=seed, **settings)
            assert max(hit.fun, 1e-8) <= 2.0 * max(clean.fun, 1e-8)


def test_with_30_percent_failing_in_every_way_the_budget_is_spent_exactly():
    kinds = []
    with Workers(2, timeout=0.5) as pool:
        hit = minimize(
            faulty.failing,
            args=(faulty.rosenbrock,),
            bounds=[(-4.0, 5.0)] * 4,
            budget=503,
            rng=1,
            executor=pool,
            on_error=lambda x, problem: kinds.append(type(problem)),
        )
    assert set(kinds) == {ValueError, NonFinite, EvaluationTimeout, DeadWorker}
    assert hit.nfev == 503
    assert hit.janus["failures"] == len(kinds) == pytest.approx(0.3 * 503, rel=0.25)
    assert f"{len(kinds)} evaluations failed" in hit.message
    assert hit.fun == faulty.rosenbrock(hit.x)
