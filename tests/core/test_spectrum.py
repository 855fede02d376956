"""|H| by its three routes against the dense eigendecomposition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import reference
from cases import close, dampings, windows
from janusopt.core.dual import Workspace, fit_dual
from janusopt.core.spectrum import krylov, saddle_free


def dense(geometry):
    return reference.normal_matrix(geometry.curvature, geometry.Vt, geometry.rest)


def hessian(fit):
    return fit.h0 * np.eye(fit.d) + (fit.Z.T * fit.curvature) @ fit.Z


@given(windows(max_n=12, max_d=9))
def test_the_complete_spectrum_is_that_of_the_dense_hessian(case):
    fit = fit_dual(*case, ridge=0.01)
    close(dense(saddle_free(fit)), reference.absolute(hessian(fit)), rtol=1e-5)


@given(windows(max_n=12, max_d=9))
def test_doubt_is_the_most_negative_curvature_among_the_rows_directions(case):
    fit = fit_dual(*case, ridge=0.01)
    signed = np.linalg.eigvalsh(hessian(fit))
    scale = np.abs(signed).max()
    doubt = saddle_free(fit).doubt
    assert doubt <= max(0.0, -signed[0]) + 1e-5 * scale
    if fit.h0 >= 0.0:  # then nothing is negative outside the rows' span
        assert doubt >= max(0.0, -signed[0]) - 1e-5 * scale


@given(windows(max_n=12, max_d=9), dampings)
def test_the_step_is_the_dense_saddle_free_newton_step(case, damping):
    fit = fit_dual(*case, ridge=0.01)
    H, g = hessian(fit), fit.gradient()
    step = saddle_free(fit).descend(g, damping)
    close(step, -np.linalg.solve(reference.absolute(H) + damping * np.eye(fit.d), g), rtol=1e-4)
    assert g @ step <= 0.0


@given(windows(max_n=12, max_d=9), dampings)
def test_enough_krylov_steps_solve_the_damped_system(case, damping):
    fit = fit_dual(*case, ridge=0.01)
    assert unsolved(fit, krylov(fit, 12), damping) < 0.05


def unsolved(fit, geometry, damping):
    """What is left of the gradient after the geometry's step, by the dense |H|."""
    g = fit.gradient()
    A = reference.absolute(hessian(fit)) + damping * np.eye(fit.d)
    return np.linalg.norm(A @ geometry.descend(g, damping) + g) / np.linalg.norm(g)


@given(windows(max_n=12, max_d=9))
def test_few_krylov_steps_still_descend_on_orthonormal_directions(case):
    fit = fit_dual(*case, ridge=0.01)
    geometry = krylov(fit, 2)
    assert geometry.rank <= 2
    np.testing.assert_allclose(geometry.Vt @ geometry.Vt.T, np.eye(geometry.rank), atol=1e-6)
    assert fit.gradient() @ geometry.descend(fit.gradient(), 0.1) <= 0.0


@pytest.mark.parametrize("n", [6, 30])
def test_rows_that_repeat_do_no_harm(n):
    rng = np.random.default_rng(7)
    Z = rng.standard_normal((n // 2, 12)).repeat(2, axis=0)
    fit = fit_dual(Z, rng.standard_normal(n), np.ones(n), ridge=0.1)
    close(dense(saddle_free(fit)), reference.absolute(hessian(fit)), rtol=1e-4)
    assert unsolved(fit, krylov(fit, 12), 0.1) < 0.05


def test_krylov_agrees_at_a_size_where_it_is_used():
    rng = np.random.default_rng(8)
    for n, d in ((90, 70), (70, 90)):
        Z = rng.standard_normal((n, d))
        fit = fit_dual(Z, (Z**2) @ np.linspace(0.5, 2.0, d) + Z[:, 0], np.ones(n), ridge=1e-2)
        assert unsolved(fit, krylov(fit, 20), 0.1) < 0.05


@pytest.mark.parametrize(("n", "d"), [(90, 70), (70, 90)])
def test_in_float32_the_spectrum_is_the_same_up_to_its_rounding(n, d):
    rng = np.random.default_rng(9)
    Z = rng.standard_normal((n, d))
    Z[1] = -Z[0]  # dependent rows, as the host's own always are
    fit = fit_dual(Z, (Z**2) @ np.linspace(0.5, 2.0, d), np.ones(n), ridge=1e-2, work=Workspace(single=True))
    assert fit.Z.dtype == np.float32
    geometry, expected = saddle_free(fit), reference.absolute(hessian(fit))
    assert geometry.Vt.dtype == geometry.curvature.dtype == fit.gradient().dtype == np.float64
    np.testing.assert_allclose(dense(geometry), expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(geometry.Vt @ geometry.Vt.T, np.eye(geometry.rank), atol=1e-5)
