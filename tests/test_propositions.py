"""The paper's propositions, as properties of the functions that the library runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import dampings, frames, jacobians, orthonormal, seeds, spread
from janusopt.core.blocks import blockwise
from janusopt.core.evaluations import Evaluations
from janusopt.core.geometry import Geometry
from janusopt.core.metric import Metric
from janusopt.hosts.pycma import PycmaHost


def metric_matrix(metric):
    return reference.normal_matrix(metric.values, metric.V.T, metric.rest)


@given(jacobians(), dampings, seeds, st.floats(0.0, 1.0))
def test_1_a_fixed_basis_of_low_rank_cannot_express_the_metric(case, damping, seed, alpha):
    """``‖C' − T‖ ≥ ‖P⊥ T P⊥‖ ≥ √(d−k)/(σ_max² + λ) > 0`` for every restricted covariance C'."""
    J, _ = case
    d = J.shape[1]
    rng = np.random.default_rng(seed)
    k = int(rng.integers(0, d))
    B = orthonormal(rng, d, k)
    M, M2 = (W @ W.T for W in rng.standard_normal((2, k, k)))
    T = metric_matrix(Geometry.of_jacobian(J).metric(damping))
    restricted = (1.0 - alpha) * B @ M @ B.T + alpha * B @ M2 @ B.T
    P = np.eye(d) - B @ B.T
    gap, hidden = np.linalg.norm(restricted - T), np.linalg.norm(P @ T @ P)
    bound = np.sqrt(d - k) / (np.linalg.norm(J, 2) ** 2 + damping)
    assert gap >= hidden * (1 - 1e-9)
    assert hidden >= bound * (1 - 1e-6)
    assert bound > 0.0


@given(jacobians(max_decades=4), dampings)
def test_2_the_damped_gn_step_descends_on_the_fitted_residual_model(case, damping):
    """``∇f̂(0)ᵀΔ = −2 s_bᵀJ T Jᵀs_b ≤ 0``, strictly where Jᵀs_b ≠ 0."""
    J, s_b = case
    step = Geometry.of_jacobian(J).gn_step(J, s_b, damping)
    gradient = 2.0 * J.T @ s_b
    slope = float(gradient @ step)
    assert slope <= 0.0
    if np.linalg.norm(gradient) > 1e-9 * max(np.linalg.norm(J), 1e-300):
        assert slope < 0.0
    T = reference.inverse_metric(J.T @ J, damping)
    np.testing.assert_allclose(slope, -0.5 * gradient @ T @ gradient, rtol=1e-4, atol=1e-12)


@given(jacobians(max_decades=4), dampings)
def test_2_also_in_value_the_model_is_never_higher_at_the_step(case, damping):
    J, s_b = case
    step = Geometry.of_jacobian(J).gn_step(J, s_b, damping)
    assert np.sum((s_b + J @ step) ** 2) <= np.sum(s_b**2) * (1 + 1e-9)


@given(frames(), seeds, st.floats(0.1, 3.0))
def test_3a_a_clipped_point_stays_on_the_hosts_scale(frame, seed, kappa):
    """``‖x_e − x̄‖ ≤ κ σ λ_max(C^½) √d``, however far the step."""
    far = frame.mean + 1e3 * frame.sigma * frame.color(np.random.default_rng(seed).standard_normal(frame.d))
    x = frame.clip(far, kappa)
    widest = np.linalg.norm(reference.factor(frame), 2)
    assert frame.length(x) <= kappa * np.sqrt(frame.d) * (1 + 1e-6)
    assert np.linalg.norm(x - frame.mean) <= kappa * frame.sigma * widest * np.sqrt(frame.d) * (1 + 1e-6)


@given(jacobians(), dampings, st.floats(0.0, 1.0), seeds)
def test_3b_cmix_preserves_the_trace(case, damping, weight, seed):
    """Eq. 3 with the library's T: on the identity as the library blends it, and on any C."""
    J, _ = case
    d = J.shape[1]
    metric = Geometry.of_jacobian(J).metric(damping)
    np.testing.assert_allclose(metric.blended(weight, 0.0, np.inf).trace, d, rtol=1e-9)
    W = np.random.default_rng(seed).standard_normal((d, d))
    C = W @ W.T
    np.testing.assert_allclose(np.trace(reference.mix(C, metric_matrix(metric), weight)), np.trace(C), rtol=1e-9)


@pytest.mark.parametrize("sampler", ["full", "diagonal"])
def test_3b_holds_for_the_covariance_of_a_host_in_x(sampler):
    rng = np.random.default_rng(5)
    d = 6
    host = PycmaHost(np.zeros(d), np.ones(d), np.full(d, -np.inf), np.full(d, np.inf), seed=1, sampler=sampler)
    for _ in range(30):
        X = host.ask(np.empty((0, d)))
        f = (X**2) @ np.logspace(0, 3, d)
        host.tell(X, Evaluations(f, np.zeros(len(X), dtype=bool)))
    host.reshape(Metric(np.eye(d, 1), np.ones(1), 1.0), 0.5)  # T = I: brings a lazy host up to date
    for weight in (0.05, 0.5, 0.9):
        before = host.frame()
        metric = Geometry.of_jacobian(spread(rng, 4, 3)[:, None] * rng.standard_normal((4, d))).metric(0.5)
        host.reshape(metric, weight)
        traces = [np.trace(L @ L.T) for L in map(reference.factor, (before, host.frame()))]
        np.testing.assert_allclose(traces[1], traces[0], rtol=1e-9)


@given(jacobians(max_decades=4), dampings, seeds)
def test_4_blockwise_gn_decomposes_into_independent_solves(case, damping, seed):
    """With JᵀJ block diagonal each block's step depends on that block's slopes alone."""
    J, s_b = case
    d = J.shape[1]
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, 3, d)
    groups = [np.flatnonzero(owner == k) for k in np.unique(owner)]
    geometry, slope = blockwise(Geometry.of_jacobian(J), groups), J.T @ s_b
    step = geometry.descend(slope, damping)
    for group in groups:
        alone = Geometry.of_jacobian(J[:, group]).descend(slope[group], damping)
        np.testing.assert_allclose(step[group], alone, rtol=1e-4, atol=1e-6 * np.abs(step).max(initial=0.0))
        elsewhere = slope + np.where(np.isin(np.arange(d), group), 0.0, rng.standard_normal(d))
        again = geometry.descend(elsewhere, damping)[group]
        np.testing.assert_allclose(again, step[group], rtol=1e-6, atol=1e-6 * np.abs(step).max(initial=0.0))
