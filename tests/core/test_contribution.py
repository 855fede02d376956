"""Contributions to a front: exact with two objectives, in proportion with more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import spearmanr

from janusopt.core.contribution import contributions
from janusopt.core.dominance import covered

coarse = st.integers(-2, 8).map(lambda i: i / 8.0)


def counted(rows, cells=16, reference=0.75, low=-0.25):
    """Area that rows on a grid of eighths dominate up to the reference point, cell by cell."""
    edges = np.linspace(low, reference, cells, endpoint=False)
    a, b = np.meshgrid(edges, edges)
    covered = [(row[0] <= a) & (row[1] <= b) for row in rows]
    return np.any(covered, axis=0).sum() * ((reference - low) / cells) ** 2 if len(rows) else 0.0


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 6), st.just(2)), elements=coarse),
    hnp.arrays(float, st.tuples(st.integers(0, 6), st.just(2)), elements=coarse),
)
def test_two_objectives_are_exact(S, A):
    expected = [counted([*A, s]) - counted(list(A)) for s in S]
    np.testing.assert_allclose(contributions(S, A, 0.75), expected, atol=1e-12)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 10])
def test_only_rows_that_the_front_does_not_dominate_add_something(m):
    rng = np.random.default_rng(m)
    A, S = rng.random((20, m)), 1.1 * rng.random((200, m))
    np.testing.assert_array_equal(contributions(S, A, 1.2) > 0.0, ~covered(S, A))


@pytest.mark.parametrize(("m", "least"), [(3, 0.85), (5, 0.7)])
def test_more_objectives_are_ranked_much_as_the_exact_volumes_are(m, least):
    moocore = pytest.importorskip("moocore")
    rng = np.random.default_rng(0)
    A = np.abs(rng.standard_normal((60, m)))
    S = np.abs(rng.standard_normal((80, m)))
    A, S = (V / np.linalg.norm(V, axis=1, keepdims=True) for V in (A, S))
    S *= rng.uniform(0.85, 1.05, size=(80, 1))
    reference = np.full(m, 1.2)
    exact = [moocore.hypervolume(np.vstack([A, s]), ref=reference) - moocore.hypervolume(A, ref=reference) for s in S]
    assert spearmanr(contributions(S, A, 1.2), exact).statistic > least
