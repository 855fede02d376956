"""The thin SVD's uses against G and T as matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, dampings, jacobians, orthonormal, seeds, spread
from janusopt.core.geometry import Geometry


@st.composite
def geometries(draw):
    """With and without curvature outside the special directions."""
    d = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(seeds))
    r = draw(st.integers(0, d))
    rest = draw(st.sampled_from([0.0, 0.01, 1.0, 100.0]))
    return Geometry(spread(rng, r, 6), orthonormal(rng, d, r).T, rest), rng.standard_normal(d)


def dense(geometry):
    return reference.normal_matrix(geometry.curvature, geometry.Vt, geometry.rest)


@given(jacobians())
def test_a_jacobians_geometry_is_its_normal_matrix(case):
    J, _ = case
    close(dense(Geometry.of_jacobian(J)), J.T @ J, rtol=1e-9)


@given(jacobians())
def test_directions_below_rounding_are_dropped(case):
    J, _ = case
    geometry = Geometry.of_jacobian(J)
    assert geometry.rank <= min(J.shape)
    assert (geometry.curvature > 0.0).all()
    np.testing.assert_allclose(geometry.Vt @ geometry.Vt.T, np.eye(geometry.rank), atol=1e-10)


@given(jacobians(max_decades=4), dampings)
def test_the_gn_step_is_the_dense_solve(case, damping):
    J, s_b = case
    close(Geometry.of_jacobian(J).gn_step(J, s_b, damping), reference.gn_step(J, s_b, damping), rtol=1e-6)


@given(geometries(), dampings)
def test_a_step_solves_the_damped_system(case, damping):
    geometry, slope = case
    A = dense(geometry) + damping * np.eye(geometry.d)
    step = geometry.descend(slope, damping)
    close(step, -np.linalg.solve(A, slope), rtol=1e-6)
    close(geometry.product(step, damping), -slope, rtol=1e-6)


@given(geometries(), dampings)
def test_trace_root_and_metric_are_those_of_the_inverse(case, damping):
    geometry, _ = case
    T = reference.inverse_metric(dense(geometry), damping)
    close(geometry.inverse_trace(damping), np.trace(T))
    close(geometry.sample(np.eye(geometry.d), damping), reference.symmetric_root(T), rtol=1e-6)
    metric = geometry.metric(damping)
    close(reference.normal_matrix(metric.values, metric.V.T, metric.rest), T)
    close(metric.trace, np.trace(T))


def test_samples_have_the_covariance_t():
    rng = np.random.default_rng(1)
    J = rng.standard_normal((2, 3))
    geometry = Geometry.of_jacobian(J)
    Y = geometry.sample(rng.standard_normal((60_000, 3)), 0.5)
    np.testing.assert_allclose(np.cov(Y.T), reference.inverse_metric(J.T @ J, 0.5), atol=0.04)


@given(geometries(), st.floats(-2.0, 2.0))
def test_the_damping_that_fits_a_radius_fits_it_and_hardly_less_would(case, power):
    geometry, slope = case
    radius = 10.0**power
    damping = geometry.damping_for(slope, radius)
    assert damping > 0.0
    assert np.linalg.norm(geometry.descend(slope, damping)) <= radius * (1 + 1e-6)
    least = 1e-10 * max(geometry.curvature.max(initial=0.0), geometry.rest)
    if damping > 1.1 * least:
        assert np.linalg.norm(geometry.descend(slope, damping / 1.1)) >= radius * (1 - 1e-6)


@pytest.mark.parametrize("damping", [1e-12, 1e-6, 1.0])
def test_rounding_outside_the_span_does_not_become_a_step(damping):
    rng = np.random.default_rng(3)
    J = 1e8 * rng.standard_normal((2, 6))
    step = Geometry.of_jacobian(J).gn_step(J, rng.standard_normal(2), damping)
    basis = np.linalg.svd(J)[2][2:]
    assert np.abs(basis @ step).max() <= 1e-12 * np.linalg.norm(step) + 1e-24
