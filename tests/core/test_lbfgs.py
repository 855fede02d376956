"""The two-loop recursion against BFGS with matrices."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, seeds
from janusopt.core.lbfgs import GradientMemory


def recorded(rng, d, count, memory=20):
    """A memory of iterates on a convex quadratic, its pairs, a metric C and its product."""
    M = rng.standard_normal((d, d))
    H = M @ M.T + 0.1 * np.eye(d)
    N = rng.standard_normal((d, d))
    C = N @ N.T + 0.1 * np.eye(d)
    gradients = GradientMemory(memory, 1.0)
    points = np.cumsum(rng.standard_normal((count + 1, d)), axis=0)
    for i, x in enumerate(points):
        gradients.record(x, H @ x, i * d)
    pairs = [(s, H @ s) for s in np.diff(points, axis=0)]
    kept = [(s, t) for s, t in pairs if s @ t > 1e-3 * np.linalg.norm(s) * np.linalg.norm(t)]
    return gradients, kept[-memory:], C


@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_the_step_is_the_dense_one(seed, d, count):
    rng = np.random.default_rng(seed)
    gradients, pairs, C = recorded(rng, d, count)
    g, L = rng.standard_normal(d), np.linalg.cholesky(C)
    step = gradients.step(g, L.T.__matmul__, L.__matmul__)
    if not pairs:
        assert step is None
        return
    close(step, -reference.bfgs_inverse(pairs, C) @ g, rtol=1e-5)
    assert g @ step < 0.0


def test_only_the_last_pairs_count():
    rng = np.random.default_rng(4)
    gradients, pairs, C = recorded(rng, 4, 9, memory=3)
    assert len(gradients) == 3
    g, L = rng.standard_normal(4), np.linalg.cholesky(C)
    close(gradients.step(g, L.T.__matmul__, L.__matmul__), -reference.bfgs_inverse(pairs, C) @ g, rtol=1e-6)


def test_pairs_closer_than_the_spacing_are_not_kept():
    gradients = GradientMemory(20, 2.0)
    for evaluations in (0, 3, 5, 7, 8):
        gradients.record(np.full(4, float(evaluations)), np.full(4, float(evaluations)), evaluations)
    assert len(gradients) == 1


def test_a_pair_without_positive_curvature_is_not_kept():
    gradients = GradientMemory(20, 1.0)
    gradients.record(np.zeros(2), np.zeros(2), 0)
    gradients.record(np.ones(2), -np.ones(2), 10)
    assert len(gradients) == 0
    assert gradients.step(np.ones(2), lambda v: v, lambda v: v) is None


def test_what_was_recorded_is_not_changed_by_the_caller_later():
    gradients, x = GradientMemory(20, 1.0), np.zeros(2)
    gradients.record(x, np.zeros(2), 0)
    x += 5.0
    gradients.record(np.ones(2), np.ones(2), 2)
    close(gradients.step(np.array([1.0, 1.0]), lambda v: v, lambda v: v), [-1.0, -1.0])


def test_gradients_whose_squares_underflow_give_no_step():
    memory = GradientMemory(5, 0.0)
    memory.record(np.zeros(3), np.zeros(3), 0)
    memory.record(np.ones(3), np.full(3, 1e-300), 10)
    assert len(memory) == 1
    assert memory.step(np.full(3, 1e-300), lambda v: v, lambda v: v) is None
