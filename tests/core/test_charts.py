"""Charts: slopes, geometries and predictions of residual coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import reference
from cases import close, dampings, jacobians, windows
from janusopt.core.charts import (
    components_chart,
    linear_chart,
    moderate,
    newton_chart,
    quadratic_chart,
    residual_coordinates,
)
from janusopt.core.dual import fit_dual
from janusopt.core.jacobian import JacobianFit


def dense(geometry):
    return reference.normal_matrix(geometry.curvature, geometry.Vt, geometry.rest)


def hessian(fit):
    return fit.h0 * np.eye(fit.d) + (fit.Z.T * fit.curvature) @ fit.Z


@given(windows(), dampings)
def test_gn_on_the_newton_chart_is_the_damped_saddle_free_newton_step(case, damping):
    fit = fit_dual(*case, ridge=0.05)
    chart = newton_chart(fit, 0.5, complete=True)
    z = case[0][0]
    step = chart.geometry.descend(chart.slope(z), damping)
    close(step, reference.saddle_free_step(hessian(fit), fit.gradient(z), damping), rtol=1e-4)
    np.testing.assert_array_equal(chart.predict(case[0]), fit.predict(case[0]))
    assert (chart.name, chart.score, chart.m) == ("newton", 0.5, min(case[0].shape))


@given(windows(), dampings)
def test_the_newton_chart_is_the_completed_square(case, damping):
    """s_i = √|λ_i| u_iᵀ(z − z*), signed by λ_i: its Jᵀs is half the gradient, its JᵀJ is half of |H|."""
    fit = fit_dual(*case, ridge=0.05)
    chart = newton_chart(fit, 0.5, complete=True)
    values, U = np.linalg.eigh(hessian(fit) / 2.0)
    assume(np.abs(values).min() > 1e-6)
    z_star = -np.linalg.solve(hessian(fit), fit.gradient())
    J = np.sqrt(np.abs(values))[:, None] * U.T
    z = case[0][1]
    signed = np.sign(values) * (J @ (z - z_star))
    close(chart.slope(z), J.T @ signed, rtol=1e-3)
    close(dense(chart.geometry), J.T @ J, rtol=1e-4)


def bowl_chart(weights, complete=False):
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((40, len(weights)))
    return newton_chart(fit_dual(Z, np.square(Z - 0.1) @ weights, np.ones(40), ridge=1e-6), 0.5, complete)


@pytest.mark.parametrize("complete", [False, True])
def test_a_newton_step_that_fits_needs_no_spectrum(complete):
    chart = bowl_chart(np.array([1.0, 4.0, 9.0]), complete)
    slope = chart.slope(np.zeros(3))
    assert chart.rank == 3
    step, damping = chart.step_within(slope, 2.0)
    assert ("geometry" in vars(chart)) == complete
    np.testing.assert_allclose(step, chart.geometry.step_within(slope, 2.0)[0], rtol=1e-6)
    np.testing.assert_allclose(step, np.full(3, 0.1), atol=1e-3)
    assert damping <= 1e-8


@pytest.mark.parametrize(("weights", "radius"), [((1.0, 4.0, 9.0), 0.01), ((1.0, -4.0, 9.0), 2.0)])
def test_a_step_that_is_too_long_or_from_a_saddle_goes_by_the_spectrum(weights, radius):
    chart = bowl_chart(np.array(weights))
    slope = chart.slope(np.zeros(3))
    step, damping = chart.step_within(slope, radius)
    expected, needed = chart.geometry.step_within(slope, radius)
    np.testing.assert_array_equal(step, expected)
    assert damping == needed > 0.0
    assert np.linalg.norm(step) <= radius


@given(windows())
def test_the_printed_quadratic_only_walks_to_the_centre(case):
    fit = fit_dual(*case, ridge=0.05)
    chart = quadratic_chart(fit, 0.5, 50)
    close(chart.J.T @ chart.J, dense(chart.geometry))
    assert not chart.slope(np.zeros(fit.d)).any()
    z = case[0][0]
    before, after = z, z + chart.geometry.descend(chart.slope(z), 0.1)
    assert after @ dense(chart.geometry) @ after <= before @ dense(chart.geometry) @ before + 1e-12


def test_the_printed_quadratic_keeps_the_largest_curvatures():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((60, 4))
    fit = fit_dual(Z, (Z**2) @ np.array([1.0, 5.0, 25.0, 125.0]), np.ones(60), ridge=1e-6)
    chart = quadratic_chart(fit, 0.5, 2)
    assert chart.m == chart.geometry.rank == 2
    np.testing.assert_allclose(np.abs(chart.geometry.Vt), np.eye(4)[[3, 2]], atol=0.05)


def test_the_linear_chart_has_its_zero_downhill():
    a = np.array([3.0, 4.0])
    chart = linear_chart(a, 0.2, reach=2.0)
    step = chart.geometry.descend(chart.slope(np.zeros(2)), 1e-12)
    np.testing.assert_allclose(step, -2.0 * a / 5.0)
    assert chart.predict(step[None, :]) < chart.predict(np.zeros((1, 2)))
    assert not linear_chart(a, 0.2, reach=0.0).slope(np.zeros(2)).any()


@given(jacobians(max_decades=4), dampings)
def test_gn_on_components_is_eq_2(case, damping):
    J, b = case
    chart = components_chart(JacobianFit(J, b, 0.7))
    z = np.linspace(-1.0, 1.0, J.shape[1])
    close(chart.geometry.descend(chart.slope(z), damping), reference.gn_step(J, b + J @ z, damping), rtol=1e-5)
    np.testing.assert_allclose(chart.predict(z[None, :]), ((b + J @ z) ** 2).sum())
    assert (chart.m, chart.score) == (len(b), 0.7)


def test_a_fit_without_a_slope_has_no_newton_chart():
    Z = np.array([[1.0], [-1.0], [2.0], [-2.0], [0.5], [-0.5]])
    fit = fit_dual(Z, Z[:, 0] ** 2, np.ones(6), ridge=0.1)
    chart = newton_chart(fit, 0.5, complete=True)
    assert chart is None or np.abs(chart.slope(np.zeros(1))).max() < 1e-12


R = np.array([[0.0, 4.0], [1.0, 9.0], [4.0, 16.0]])


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("raw", R),
        ("sqrt", np.sqrt(R)),
        ("auto", np.sqrt(R)),
        ("shifted", R - [0.0, 4.0]),
        ("standardized", (R - [0.0, 4.0]) / R.std(axis=0)),
    ],
)
def test_components_become_residuals_by_their_scale(scale, expected):
    np.testing.assert_allclose(residual_coordinates(R, scale), expected)


def test_components_below_zero_are_shifted_and_constant_ones_are_not_divided_by_zero():
    np.testing.assert_array_equal(residual_coordinates(R - 1.0, "auto"), R - [0.0, 4.0])
    flat = np.column_stack([R[:, 0], np.full(3, 7.0)])
    np.testing.assert_array_equal(residual_coordinates(flat, "standardized")[:, 1], 0.0)


def test_square_roots_of_components_make_f_their_mean_square():
    s = residual_coordinates(R, "sqrt")
    np.testing.assert_allclose((s**2).mean(axis=1), R.mean(axis=1))


def test_levelled_components_are_linear_and_have_f_as_their_mean_square_at_their_level():
    level = R + 1.0
    factors = residual_coordinates(level, "level") / level
    np.testing.assert_allclose(factors, np.broadcast_to(factors[:1], R.shape))
    at_level = residual_coordinates(np.vstack([level, level.mean(axis=0)]), "level")[-1]
    np.testing.assert_allclose((at_level**2).mean(), level.mean())


@pytest.mark.parametrize("unit", [1e-160, 1e-3, 1e3, 1e150])
def test_residuals_of_any_unit_have_squares(unit):
    S = unit * np.array([[1.0, -2.0], [3.0, 0.0]])
    scaled = moderate(S)
    assert np.isfinite(scaled**2).all()
    assert (scaled**2).max() > 0.0
    np.testing.assert_allclose(scaled / scaled.max(), S / S.max())
    np.testing.assert_array_equal(moderate(np.zeros((2, 2))), 0.0)
