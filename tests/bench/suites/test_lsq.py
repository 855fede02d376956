"""Classical least squares: starts, minima and boxes are what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from janusopt.bench.suites import build
from janusopt.bench.suites.lsq import PROBLEMS
from janusopt.bench.task import Task
from janusopt.errors import InputError

CASES = [(name, d) for name, classic in PROBLEMS.items() for d in classic.minima]
FAR = [
    *(f"linear-{kind}" for kind in ("full-rank", "rank-1", "rank-1-zeros")),
    *("rosenbrock", "helical-valley", "powell-singular", "freudenstein-roth", "bard", "watson", "brown-dennis"),
    *("osborne-2", "mancino", "heart8"),
]  # Moré and Wild's
PUBLISHED = {  # ½‖r‖² at the standard start, from the published values of ‖r‖² where they are printed
    ("rosenbrock", 2): 12.1,
    ("helical-valley", 3): 1250.0,
    ("powell-singular", 4): 107.5,
    ("freudenstein-roth", 2): 200.25,
    ("watson", 6): 15.0,
    ("wood", 4): 9596.0,
    ("beale", 2): 7.1015625,
    ("brown-dennis", 4): 3963346.668498716,
    ("bdqrtic", 8): 452.0,
}


def _problem(name, d, suite="lsq", seed=0):
    return build(Task(suite, name, d, 1), seed)


@pytest.mark.parametrize(("name", "d"), CASES)
def test_some_start_reaches_the_stated_minimum(name, d):
    problem = _problem(name, d)
    rng = np.random.default_rng(7)
    spread = 0.3 * np.maximum(np.abs(problem.start), 1.0)
    margin = 1e-9 * (problem.upper - problem.lower)
    best = np.inf
    for i in range(40):
        x = problem.start + (i > 0) * 2.0 ** (i % 4) * spread * rng.standard_normal(d)
        found = least_squares(
            lambda x: problem.fun(x[None, :])[0],
            np.clip(x, problem.lower + margin, problem.upper - margin),
            bounds=(problem.lower, problem.upper),
            x_scale=1.0 if name != "meyer" else "jac",
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
            max_nfev=1000,
        ).cost
        best = min(best, float(found))
        if best <= problem.optimum * (1.0 + 1e-6) + 1e-12:
            break
    assert best == pytest.approx(problem.optimum, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("name", "d"), CASES)
def test_the_box_holds_the_start_and_every_value_in_it_is_finite(name, d):
    problem = _problem(name, d)
    assert np.all((problem.lower < problem.start) & (problem.start < problem.upper))
    X = np.random.default_rng(0).uniform(problem.lower, problem.upper, (500, d))
    X[:200] = np.where(X[:200] > problem.start, problem.upper, problem.lower)
    assert np.all(np.isfinite(problem.scalars(problem.fun(X))))


@pytest.mark.parametrize(("name", "d"), PUBLISHED)
def test_the_value_at_the_start_is_the_published_one(name, d):
    problem = _problem(name, d)
    assert problem.value(problem.start) == pytest.approx(PUBLISHED[name, d], rel=1e-8)


@pytest.mark.parametrize("name", FAR)
def test_far_starts_are_ten_times_as_far_and_in_the_box(name):
    d = next(iter(PROBLEMS[name].minima))
    near, far = _problem(name, d), _problem(f"{name}-far", d)
    assert far.start == pytest.approx(10.0 * near.start if name != "watson" else np.full(d, 10.0))
    assert np.array_equal(near.lower, far.lower)


def test_noise_multiplies_residuals_by_a_thousandth_and_follows_the_seed():
    clean, noisy = _problem("bard", 3), _problem("bard", 3, "lsq-noisy", seed=5)
    X = np.repeat(clean.start[None, :], 4000, axis=0)
    exact, seen = clean.fun(X), noisy.fun(X)
    ratio = (seen / exact).ravel()
    assert ratio.std() == pytest.approx(1e-3, rel=0.05)
    assert ratio.mean() == pytest.approx(1.0, abs=1e-4)
    assert np.array_equal(seen, _problem("bard", 3, "lsq-noisy", seed=5).fun(X))
    assert noisy.judge(X[:1])[0] == pytest.approx(clean.value(clean.start))


@pytest.mark.parametrize(("name", "d"), [("rosenbrok", 2), ("bard", 4), ("meyer-far", 3)])
def test_what_is_not_there_is_refused(name, d):
    with pytest.raises(InputError, match=r"lsq is one of|no -far form"):
        _problem(name, d)
