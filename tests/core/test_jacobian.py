"""The ridge Jacobian, primal and dual, against the explicit one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, seeds
from janusopt.core.jacobian import fit_jacobian

ridges = st.sampled_from([1e-3, 0.1, 10.0])


@st.composite
def observations(draw):
    """Z (n, d), S (n, m), weights (n,): n above and below d, m above and below d, columns of Z that repeat."""
    n, d, m = draw(st.integers(3, 12)), draw(st.integers(1, 9)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(seeds))
    Z = rng.standard_normal((n, d)) + rng.standard_normal(d)
    if d > 1 and draw(st.booleans()):
        Z[:, 0] = Z[:, -1]
    S = Z @ rng.standard_normal((d, m)) + 0.3 * rng.standard_normal((n, m)) + rng.standard_normal(m)
    return Z, S * 10.0 ** draw(st.integers(-8, 8)), rng.uniform(0.1, 3.0, n)


@given(observations(), ridges)
def test_the_fit_is_the_explicit_ridge(case, ridge):
    Z, S, weights = case
    fit = fit_jacobian(Z, S, weights, ridge=ridge)
    J, b = reference.ridge_jacobian(Z, S, weights, ridge)
    close(fit.J, J, rtol=1e-6)
    close(fit.b, b, rtol=1e-6)


@given(observations(), ridges)
def test_the_rank_cap_is_the_first_principal_directions(case, ridge):
    Z, S, weights = case
    fit = fit_jacobian(Z, S, weights, ridge=ridge, rank=2)
    close(fit.J, reference.ridge_jacobian(Z, S, weights, ridge, rank=2)[0], rtol=1e-5)
    assert np.linalg.matrix_rank(fit.J) <= 2


@given(observations(), ridges)
def test_both_forms_agree(case, ridge):
    Z, S, weights = case
    primal, dual = (fit_jacobian(Z, S, weights, ridge=ridge, rank=rank) for rank in (Z.shape[1], None))
    close(primal.J, dual.J, rtol=1e-6)
    np.testing.assert_allclose(primal.loo, dual.loo, rtol=1e-4, atol=1e-6)


@given(observations(), st.sampled_from([0.1, 10.0]))
def test_closed_form_leave_one_out_is_leaving_one_out(case, ridge):
    Z, S, weights = case
    fit = fit_jacobian(Z, S, weights, ridge=ridge)
    np.testing.assert_allclose(fit.loo, reference.ridge_loo(Z, S, weights, ridge), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("S", [np.full((6, 2), 3.0), np.full((6, 2), np.nan), np.full((6, 2), np.inf)])
def test_nothing_is_fitted_to_what_does_not_vary_or_is_not_finite(S):
    Z = np.random.default_rng(1).standard_normal((6, 3))
    with np.errstate(invalid="ignore"):
        assert fit_jacobian(Z, S, np.ones(6), ridge=1e-3) is None
