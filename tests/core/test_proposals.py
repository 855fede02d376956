"""Candidates: GN steps in and out of a box, CMIX rows, weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, dampings, frames, jacobians, orthonormal, seeds, spread
from janusopt.core.charts import components_chart
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.jacobian import JacobianFit
from janusopt.core.proposals import cmix_metric, cmix_rows, evidence_weight, gn_candidate, mixing_weight


def plain(d):
    return Frame(np.zeros(d), 1.0, np.ones(d), np.full(d, -np.inf), np.full(d, np.inf))


@given(jacobians(max_decades=4), dampings, st.floats(0.1, 2.0))
def test_a_free_candidate_is_the_anchor_and_eq_2(case, damping, step):
    J, b = case
    chart = components_chart(JacobianFit(J, b, 1.0))
    z_a = np.full(J.shape[1], 0.3)
    z = gn_candidate(chart, plain(J.shape[1]), z_a, damping=damping, step=step, kappa=1.0)
    close(z, z_a + step * reference.gn_step(J, b + J @ z_a, damping), rtol=1e-4)


@given(jacobians(max_decades=4), st.floats(0.2, 2.0))
def test_without_a_damping_the_step_fits_the_clip(case, kappa):
    J, b = case
    chart = components_chart(JacobianFit(J, b, 1.0))
    d = J.shape[1]
    z = gn_candidate(chart, plain(d), np.zeros(d), damping=None, step=1.0, kappa=kappa)
    assert np.linalg.norm(z) <= kappa * np.sqrt(d) * (1 + 1e-6)


@given(frames(d=4, box=True), seeds)
def test_a_candidate_stays_in_the_box_of_its_frame(frame, seed):
    rng = np.random.default_rng(seed)
    chart = components_chart(JacobianFit(rng.standard_normal((5, 4)), 3.0 * rng.standard_normal(5), 1.0))
    z = gn_candidate(chart, frame, np.zeros(4), damping=None, step=1.0, kappa=1.0)
    x = frame.mean + frame.sigma * frame.color(z)
    width = frame.upper - frame.lower
    assert ((x >= frame.lower - 1e-6 * width) & (x <= frame.upper + 1e-6 * width)).all()


def test_a_box_that_the_step_does_not_touch_changes_nothing():
    rng = np.random.default_rng(1)
    chart = components_chart(JacobianFit(rng.standard_normal((5, 3)), 0.1 * rng.standard_normal(5), 1.0))
    free, boxed = plain(3), replace(plain(3), lower=np.full(3, -50.0), upper=np.full(3, 50.0))
    one, other = (gn_candidate(chart, f, np.zeros(3), damping=1.0, step=1.0, kappa=1.0) for f in (free, boxed))
    np.testing.assert_array_equal(one, other)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 2000))
def test_the_mixing_weight_is_eq_4(m, n, d):
    assert mixing_weight(m, n, d, 0.5, 0.02, 0.6) == pytest.approx(reference.mixing_weight(m, n, d, 0.5, 0.02, 0.6))


def test_the_papers_own_example_of_eq_4():
    assert mixing_weight(111, 300, 1135, 0.5, 0.02, 0.6) == pytest.approx(0.049, abs=5e-4)


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_the_weight_by_evidence_never_falls_with_evidence(a, b):
    low, high = (evidence_weight(e, 0.5, 0.02, 0.3, 0.8) for e in sorted((a, b)))
    assert 0.0 <= low <= high <= 0.5
    assert evidence_weight(-1.0, 0.5, 0.02, 0.3, 0.8) == 0.0
    assert evidence_weight(1.0, 0.5, 0.02, 0.3, 0.8) == 0.5


@given(seeds, st.integers(1, 7), st.sampled_from([0.0, 0.3, 30.0]), dampings)
def test_the_cmix_metric_is_the_inverse_in_units_of_the_median_curvature(seed, d, rest, damping):
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, d + 1))
    geometry = Geometry(spread(rng, r, 4), orthonormal(rng, d, r).T, rest)
    every = np.sort([*geometry.curvature, *[rest] * (d - r)])
    metric = cmix_metric(geometry, damping)
    if every[d // 2] == 0.0:
        assert np.isfinite(metric.values).all()
        return
    G = reference.normal_matrix(geometry.curvature, geometry.Vt, rest) / every[d // 2]
    close(reference.normal_matrix(metric.values, metric.V.T, metric.rest), reference.inverse_metric(G, damping))


def test_a_doubtful_fit_reshapes_only_by_what_stands_out():
    curvature, Vt = np.array([0.5, 1.0, 2.0, 1000.0]), np.eye(4)
    sure = cmix_metric(Geometry(curvature, Vt), 0.5).blended(1.0, 0.01, 100.0).values
    wary = cmix_metric(Geometry(curvature, Vt, doubt=1.0), 0.5).blended(1.0, 0.01, 100.0).values
    assert sure[0] > 1.9 * sure[2]
    assert wary[0] < 1.5 * wary[2]
    assert wary[3] < 0.05


@given(jacobians(max_decades=3), dampings, st.floats(0.0, 1.0))
def test_cmix_rows_are_drawn_with_the_covariance_of_eq_3(case, damping, weight):
    """Exactly: the rows are linear in ξ, so their covariance is read off the unit vectors."""
    J, _ = case
    d = J.shape[1]
    xi = np.zeros((2, 2 * d, d))
    xi[0, :d], xi[1, d:] = np.eye(d), np.eye(d)
    root = cmix_rows(Geometry.of_jacobian(J), np.zeros(d), xi, weight=weight, damping=damping)
    close(root.T @ root, reference.mix(np.eye(d), reference.inverse_metric(J.T @ J, damping), weight), rtol=1e-6)
    moved = cmix_rows(Geometry.of_jacobian(J), np.ones(d), xi, weight=weight, damping=damping)
    np.testing.assert_allclose(moved - root, 1.0)
