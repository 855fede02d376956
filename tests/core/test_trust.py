"""The trust region: its Jacobian against the dense twin, its steps on residuals that are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reference
from cases import close
from janusopt.core import trust
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.trace import Trace
from janusopt.core.trust import TrustRegion, local_jacobian

D = 3
A = np.array([[2.0, 0.5, 0.0], [0.0, 1.0, -1.0], [0.3, 0.0, 1.0], [1.0, 1.0, 1.0]])
OPTIMUM = np.array([0.5, -0.3, 0.2])


def frame(sigma=1.0, limit=np.inf):
    return Frame(np.zeros(D), sigma, np.ones(D), np.full(D, -limit), np.full(D, limit))


def told(R, residuals=True):
    f = 0.5 * (R**2).sum(axis=1) if residuals else R.mean(axis=1)
    return Evaluations(f, np.zeros(len(R), dtype=bool), components=R, residuals=residuals)


def started(residuals, n=20, seed=0):
    """A region and a window after ``n`` random rows."""
    X = np.random.default_rng(seed).standard_normal((n, D))
    evals = told(residuals(X))
    region, trace = TrustRegion(), Trace(50)
    region.observe(X, evals, None)
    trace.record(X, evals)
    return region, trace, X, evals


def linear(X):
    return (X - OPTIMUM) @ A.T


def test_the_jacobian_is_the_ridge_weighted_by_distance(monkeypatch):
    rng = np.random.default_rng(1)
    Z, S = rng.standard_normal((8, D)), rng.standard_normal((8, 5))
    monkeypatch.setattr(trust, "_RIDGES", (1e-3,))
    close(local_jacobian(Z, S, 0.7), reference.local_jacobian(Z, S, 0.7, 1e-3), rtol=1e-9)


def test_near_rows_outweigh_far_ones():
    rng = np.random.default_rng(2)
    near, far = 1e-3 * rng.standard_normal((4, D)), rng.standard_normal((40, D))
    Z = np.vstack([near, far])
    S = np.sin(3.0 * Z) + (Z**2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(local_jacobian(Z, S, 1e-3), 3.0 * np.eye(D), atol=0.02)


def test_linear_residuals_are_solved_in_one_step():
    region, trace, _, _ = started(linear)
    x = region.candidate(frame(), trace.window(), residuals=True, kappa=1.0)
    np.testing.assert_allclose(x, OPTIMUM, atol=1e-6)


def test_components_that_are_linear_in_x_fall_in_the_first_step():
    X = np.random.default_rng(3).uniform(0.5, 1.5, (20, D))
    evals = told(X @ np.abs(A).T, residuals=False)
    region, trace = TrustRegion(), Trace(50)
    region.observe(X, evals, None)
    trace.record(X, evals)
    x = region.candidate(frame(), trace.window(), residuals=False, kappa=1.0)
    assert (np.abs(A) @ x).sum() < 0.5 * 4 * evals.f.min()


def test_a_step_that_brings_nothing_halves_the_region_and_one_that_keeps_its_word_doubles_it():
    region, trace, _, _ = started(linear)
    x = region.candidate(frame(), trace.window(), residuals=True, kappa=1.0)
    before = region._radius
    region.observe(x[None, :], told(linear(X=x[None, :] + 9.0)), 0)
    assert region._radius <= 0.5 * before

    region, trace, X, evals = started(linear)
    region._radius = 1e-2
    x = region.candidate(frame(), trace.window(), residuals=True, kappa=1.0)
    step = np.linalg.norm(x - X[evals.f.argmin()])
    assert step == pytest.approx(1e-2, rel=0.02)
    region.observe(x[None, :], told(linear(x[None, :])), 0)
    assert region._radius == pytest.approx(2.0 * step)


def test_a_step_is_shortened_until_the_host_takes_the_row():
    region, trace, _, _ = started(lambda X: linear(X - 50.0))
    here = frame()
    x = region.candidate(here, trace.window(), residuals=True, kappa=1.0)
    assert here.length(x) <= here.reach * np.sqrt(D)
    region.observe(x[None, :], told(linear(x[None, :] + 1e6)), 0)
    assert region.kept < 1.0


def test_a_row_from_beyond_the_hosts_reach_is_pulled_in_and_says_nothing_of_the_region():
    region, trace, _, _ = started(lambda X: linear(X - 50.0))
    here = frame()
    x = region.candidate(here, trace.window(), residuals=True, kappa=0.1)
    assert here.length(x) == pytest.approx(0.1 * here.reach * np.sqrt(D))
    before = region._radius
    region.observe(x[None, :], told(linear(x[None, :] + 1e6)), 0)
    assert region._radius == before


def test_the_step_stays_in_the_box():
    region, trace, _, _ = started(linear)
    boxed = frame(limit=0.4)
    x = region.candidate(boxed, trace.window(), residuals=True, kappa=1.0)
    assert np.abs(x).max() <= 0.4
    assert x[0] == 0.4


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_residuals_of_any_unit_have_a_step(unit):
    region, trace = TrustRegion(), Trace(50)
    X = np.random.default_rng(4).standard_normal((20, D))
    R = unit * np.abs(linear(X))
    evals = told(R, residuals=False)
    region.observe(X, evals, None)
    trace.record(X, evals)
    assert region.candidate(frame(), trace.window(), residuals=False, kappa=1.0) is not None


def test_nothing_is_proposed_without_rows_components_or_a_slope():
    assert TrustRegion().candidate(frame(), Trace(5).window(), residuals=True, kappa=1.0) is None
    region, trace, _, _ = started(linear, n=D)
    assert region.candidate(frame(), trace.window(), residuals=True, kappa=1.0) is None
    region, trace, _, _ = started(lambda X: np.ones((len(X), 2)))
    assert region.candidate(frame(), trace.window(), residuals=True, kappa=1.0) is None
    region, trace, _, evals = started(linear)
    bare = replace(evals, components=None)
    region = TrustRegion()
    region.observe(np.zeros((20, D)), bare, None)
    assert region.candidate(frame(), trace.window(), residuals=True, kappa=1.0) is None


def stepped(X):
    """Components that fall smoothly across a step of f."""
    return np.abs(X - OPTIMUM)


def test_by_merit_the_region_walks_on_where_f_has_a_step():
    X = np.random.default_rng(6).standard_normal((30, D))
    R = stepped(X)
    f = R.mean(axis=1) + np.where(R.sum(axis=1) < 1.5, 10.0, 0.0)  # what the components call better, f does not
    evals = replace(told(R, residuals=False), f=f)
    by_value, by_merit = TrustRegion(), TrustRegion(merit=True)
    for region in (by_value, by_merit):
        region.observe(X, evals, None)
    np.testing.assert_array_equal(by_value.best, X[f.argmin()])
    np.testing.assert_array_equal(by_merit.best, X[R.sum(axis=1).argmin()])


def test_a_region_knows_how_often_its_steps_kept_their_promise():
    region, trace, _, _ = started(linear)
    assert region.kept == 1.0
    x = region.candidate(frame(), trace.window(), residuals=True, kappa=1.0)
    region.observe(x[None, :], told(linear(x[None, :] + 9.0)), 0)
    assert region.kept < 1.0


def test_a_failing_region_stays_as_wide_as_the_hosts_sampling_allows():
    region, trace, _, _ = started(linear)
    region._radius = 1e-30
    region.candidate(frame(), trace.window(), residuals=True, kappa=1.0)
    assert region._radius == pytest.approx(1e-3 * np.sqrt(D))
