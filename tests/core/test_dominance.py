"""Dominance, front and common descent against naive twins."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from janusopt.core.common_descent import descent_weights
from janusopt.core.dominance import chain_sparsity, covered, dominated, nondominated, sparsity
from janusopt.core.front import Front

small = st.integers(-3, 3).map(float)
tables = hnp.arrays(float, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=small)


def naive_dominates(a, b):
    return bool(np.all(a <= b) and np.any(a < b))


@given(tables)
def test_nondominated_is_the_definition(F):
    expected = [not any(naive_dominates(a, b) for a in F) for b in F]
    np.testing.assert_array_equal(nondominated(F), expected)


def test_nondominated_crosses_its_blocks():
    F = np.random.default_rng(0).random((700, 3))
    expected = [not any(naive_dominates(a, b) for a in F) for b in F]
    np.testing.assert_array_equal(nondominated(F), expected)


def test_rows_with_nan_are_never_nondominated_and_dominate_nothing():
    F = np.array([[np.nan, 0.0], [1.0, 1.0], [np.inf, 0.0], [-np.inf, 5.0]])
    np.testing.assert_array_equal(nondominated(F), [False, True, True, True])


def test_no_rows_have_no_front():
    assert nondominated(np.empty((0, 2))).shape == (0,)


@given(tables, st.data())
def test_dominated_is_the_definition(S, data):
    A = data.draw(hnp.arrays(float, st.tuples(st.integers(0, 8), st.just(S.shape[1])), elements=small))
    np.testing.assert_array_equal(dominated(S, A), [any(naive_dominates(a, s) for a in A) for s in S])


@given(tables, st.data())
def test_a_row_is_covered_exactly_where_another_is_at_least_as_good(S, data):
    A = data.draw(hnp.arrays(float, st.tuples(st.integers(0, 8), st.just(S.shape[1])), elements=small))
    np.testing.assert_array_equal(covered(S, A), [any(np.all(a <= s) for a in A) for s in S])


def test_sparsity_is_the_distance_to_the_nearest_other_row():
    S = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]])
    np.testing.assert_allclose(sparsity(S, np.array([2, 0, 0])), [1.0, 5.0, 5.0])
    assert np.isinf(sparsity(S[:1], np.array([0]))).all()


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_on_a_front_of_two_objectives_the_nearest_row_is_next(seed, n):
    F = np.random.default_rng(seed).integers(0, 9, size=(n, 2)) / 8.0
    F = F[nondominated(F)]
    np.testing.assert_allclose(chain_sparsity(F), sparsity(F, np.arange(len(F))), atol=1e-7)


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_a_front_holds_the_nondominated_rows_of_all_that_came(seed, m):
    rng = np.random.default_rng(seed)
    front, X, F = Front(), np.arange(60.0)[:, None], rng.integers(0, 8, size=(60, m)).astype(float)
    for start in range(0, 60, 20):
        front.admit(X[start : start + 20], F[start : start + 20])
    assert {tuple(row) for row in front.F} == {tuple(row) for row in F[nondominated(F)]}
    np.testing.assert_array_equal(F[front.X[:, 0].astype(int)], front.F)


def test_a_full_front_is_thinned_and_keeps_its_ends():
    t = np.random.default_rng(1).random(400)
    t[:2] = 0.0, 1.0
    front = Front(capacity=50)
    for start in range(0, 400, 40):
        part = t[start : start + 40, None]
        front.admit(part, np.hstack([part, 1.0 - part]))
    assert 50 <= len(front) <= 75
    assert front.F.min() == 0.0
    assert front.F.max() == 1.0
    assert sparsity(front.F, np.arange(len(front))).max() < 0.1


@pytest.mark.parametrize("scale", [1e-250, 1.0, 1e300])
def test_a_constant_objective_does_not_divide_by_zero(scale):
    front = Front()
    F = scale * np.array([[1.0, 0.0], [1.0, 0.5], [1.0, -0.5]])
    front.admit(np.arange(3.0)[:, None], F)
    assert np.isfinite(front.scaled(F)).all()
    assert len(front) == 1


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 6), st.booleans())
def test_descent_weights_give_the_shortest_common_vector(seed, m, d, deficient):
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((m, d)) * 10.0 ** rng.integers(-3, 4)
    if deficient:
        J[-1] = J[0]
    w = descent_weights(J)
    assert w.min() >= 0.0
    assert w.sum() == pytest.approx(1.0)
    shortest = np.linalg.norm(w @ J)
    grid = [np.array(g) / 12.0 for g in product(range(13), repeat=m) if sum(g) == 12]
    size = np.abs(J).max()
    assert shortest <= min(np.linalg.norm(g @ J) for g in grid) + 1e-7 * size
    if shortest > 1e-6 * size:  # no objective gets worse along -Jᵀw
        assert (J @ (w @ J)).min() >= shortest**2 - 1e-7 * size**2


@pytest.mark.parametrize("J", [np.zeros((3, 2)), np.full((2, 2), np.nan), np.ones((1, 4))])
def test_degenerate_gradients_have_even_weights(J):
    np.testing.assert_allclose(descent_weights(J), np.full(len(J), 1.0 / len(J)))
