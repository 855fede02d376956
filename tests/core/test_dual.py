"""The dual quadratic fit against a ridge regression on explicit monomials."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, windows
from janusopt.core.dual import Workspace, fit_dual, heights, invert

ridges = st.sampled_from([1e-2, 0.3])
weights_of_curvature = st.sampled_from([1e-80, 0.1, 0.3, 1.0, 4.0])


@given(windows(), ridges, weights_of_curvature)
def test_values_gradients_and_hessian_are_those_of_the_explicit_quadratic(case, ridge, q):
    Z, f, weights = case
    fit = fit_dual(Z, f, weights, ridge=ridge, q=q)
    naive = reference.Quadratic(Z, reference.heights(f), weights, ridge, q)
    query = np.vstack([Z[:3], np.zeros(Z.shape[1]), 2.0 * Z[3:5]])
    close(fit.predict(query), naive.predict(query), rtol=1e-5)
    close(fit.gradient(), naive.gradient(np.zeros(fit.d)), rtol=1e-5)
    for z in query:
        close(fit.gradient(z), naive.gradient(z), rtol=1e-5)
    close(fit.h0 * np.eye(fit.d) + Z.T @ np.diag(fit.curvature) @ Z, naive.hessian(), rtol=1e-5)


@given(windows(), ridges, weights_of_curvature)
def test_closed_form_leave_one_out_is_leaving_one_out(case, ridge, q):
    Z, f, weights = case
    fit = fit_dual(Z, f, weights, ridge=ridge, q=q)
    naive = reference.quadratic_loo(Z, reference.heights(f), weights, ridge, q)
    np.testing.assert_allclose(fit.loo, naive, rtol=1e-4, atol=1e-5)


@given(windows(), ridges)
def test_without_curvature_it_is_linear_but_for_the_isotropic_term(case, ridge):
    Z, f, weights = case
    fit = fit_dual(Z, f, weights, ridge=ridge, q=0.0)
    assert not fit.curvature.any()
    close(fit.gradient(Z[0]), fit.gradient() + fit.h0 * Z[0])


@given(windows())
def test_the_gradient_is_the_derivative_of_the_prediction(case):
    Z, f, weights = case
    fit = fit_dual(Z, f, weights, ridge=0.1)
    h = 1e-5
    steps = h * np.eye(fit.d)
    slope = (fit.predict(Z[0] + steps) - fit.predict(Z[0] - steps)) / (2 * h)
    np.testing.assert_allclose(slope, fit.gradient(Z[0]), rtol=1e-4, atol=1e-6 * (1 + np.abs(fit.gradient(Z[0])).max()))


def test_an_exact_quadratic_is_found_exactly():
    rng = np.random.default_rng(5)
    Z = rng.standard_normal((200, 5))
    A = rng.standard_normal((5, 5))
    f = np.einsum("ni,ij,nj->n", Z, A, Z) + Z @ rng.standard_normal(5)
    fit = fit_dual(Z, f, np.ones(200), ridge=1e-9)
    assert fit.loo > 1 - 1e-6
    close(fit.unit * (fit.h0 * np.eye(5) + (Z.T * fit.curvature) @ Z), A + A.T, rtol=1e-4)
    close(fit.predict(Z) * fit.unit + fit.floor, f, rtol=1e-4)


@given(windows(), st.sampled_from([1e-200, 1e-30, 1e30, 1e200]))
def test_the_unit_of_f_changes_nothing(case, unit):
    Z, f, weights = case
    one, other = (fit_dual(Z, values, weights, ridge=0.1) for values in (f, f * unit))
    close(other.alpha, one.alpha, rtol=1e-6)
    np.testing.assert_allclose(other.loo, one.loo, rtol=1e-6, atol=1e-9)


def test_rows_of_one_length_leave_the_isotropic_term_out():
    Z = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.6, 0.8]])
    fit = fit_dual(Z, np.array([1.0, 2.0, 4.0, 8.0, 3.0]), np.ones(5), ridge=0.1)
    assert fit.h0 == 0.0
    assert np.isfinite(fit.loo)


@pytest.mark.parametrize("value", [0.0, 1.0, -1e300, 1e-320])
def test_a_flat_window_carries_no_fit(value):
    Z = np.random.default_rng(1).standard_normal((8, 3))
    assert fit_dual(Z, np.full(8, value), np.ones(8), ridge=1e-3) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_window_that_is_not_finite_carries_no_fit(value):
    rng = np.random.default_rng(1)
    f = rng.standard_normal(8)
    f[3] = value
    assert fit_dual(rng.standard_normal((8, 3)), f, np.ones(8), ridge=1e-3) is None


def test_heights_of_the_largest_numbers_do_not_overflow():
    y, _, unit = heights(np.array([-8e299, 1e299, 8e299, -8e299, 5e299]))
    assert y is None or np.isfinite(y).all()
    y, floor, unit = heights(np.array([-1e280, 1e280, 0.0]))
    np.testing.assert_allclose(y, [0.0, 2.0, 1.0])
    assert (floor, unit) == (-1e280, 1e280)


def test_a_workspace_is_reused_and_gives_the_same_fit():
    rng = np.random.default_rng(2)
    work, held = Workspace(), []
    for n in (9, 6, 9, 4):
        Z, f = rng.standard_normal((n, 3)), rng.standard_normal(n)
        kept, fresh = (fit_dual(Z, f, np.ones(n), ridge=0.1, work=w) for w in (work, None))
        np.testing.assert_array_equal(kept.alpha, fresh.alpha)
        held.append(kept.P)
    assert all(np.shares_memory(held[0], P) for P in held[1:])


@pytest.mark.parametrize("n", [1, 40, 41, 170])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_triangle_is_inverted_whatever_stands_above_its_diagonal(n, kind):
    rng = np.random.default_rng(n)
    L = np.tril(rng.standard_normal((n, n))) / np.sqrt(n) + 2.0 * np.eye(n)
    inverse = np.zeros((n, n), kind)
    invert(np.asfortranarray(L + 7.0 * np.triu(np.ones((n, n)), 1), dtype=kind), inverse)
    np.testing.assert_allclose(inverse @ L, np.eye(n), atol=1e-5 if kind is np.float32 else 1e-12)


def test_an_unscored_fit_is_the_same_fit():
    rng = np.random.default_rng(2)
    Z, f = rng.standard_normal((9, 3)), rng.standard_normal(9)
    scored, plain = (fit_dual(Z, f, np.ones(9), ridge=0.1, score=score) for score in (True, False))
    np.testing.assert_allclose(plain.alpha, scored.alpha, rtol=1e-12)
    assert np.isnan(plain.loo)


def _alone_and_single(spread, ridge, n=200, d=20):
    rng = np.random.default_rng(4)
    Z = spread * rng.standard_normal((n, d))
    f = ((Z - 1.0) ** 2) @ np.logspace(0, 2, d)
    fits = [fit_dual(Z, f, np.linspace(2.0, 0.5, n), ridge=ridge, work=Workspace(single=s)) for s in (False, True)]
    return (*fits, 0.5 * spread * rng.standard_normal((50, d)))


def test_a_float32_fit_predicts_what_the_float64_fit_predicts():
    double, single, Zq = _alone_and_single(1.0, 1e-3)
    assert single.Z.dtype == np.float32
    error = np.abs(single.predict(Zq) - double.predict(Zq)).max()
    assert error < 1e-3 * np.ptp(double.predict(Zq))
    assert abs(single.loo - double.loo) < 1e-3


@pytest.mark.parametrize(("spread", "ridge"), [(1.0, 1e-8), (8.0, 1e-3)], ids=["little ridge", "rows far away"])
def test_where_float32_would_round_more_than_the_ridge_a_fit_is_in_float64(spread, ridge):
    double, single, _ = _alone_and_single(spread, ridge)
    assert single.Z.dtype == np.float64
    np.testing.assert_array_equal(single.alpha, double.alpha)


@pytest.mark.parametrize("d", [5, 80])
def test_a_workspace_that_was_pickled_gives_the_same_fits(d):
    rng = np.random.default_rng(1)
    Z, f, weights, work = rng.standard_normal((60, d)), rng.standard_normal(60), np.ones(60), Workspace()
    fit_dual(rng.standard_normal((60, d)), f, weights, ridge=0.1, work=work)
    copy = pickle.loads(pickle.dumps(work))
    fits = [fit_dual(Z, f, weights, ridge=0.1, work=used) for used in (work, copy)]
    assert (fits[0].alpha == fits[1].alpha).all()
