"""Rank correlation, its smoothing, and the credit of sources."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import seeds
from janusopt.core.evidence import Smoothed, Success, rank_correlation


@given(seeds, st.integers(2, 30), st.booleans())
def test_it_is_spearmans(seed, n, ties):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, n))
    if ties:
        a, b = np.round(a), np.round(b)
    np.testing.assert_allclose(rank_correlation(a, b), reference.spearman(a, b), atol=1e-12)


@given(seeds, st.integers(2, 30))
def test_it_does_not_see_monotone_transformations(seed, n):
    a, b = np.random.default_rng(seed).standard_normal((2, n))
    assert rank_correlation(np.exp(3.0 * a), b**3) == rank_correlation(a, b)
    np.testing.assert_allclose(rank_correlation(a, np.arctan(a)), 1.0)
    np.testing.assert_allclose(rank_correlation(a, -a), -1.0)


def test_a_smoothed_score_moves_by_its_rate_and_ignores_what_is_not_finite():
    score = Smoothed(0.25, 0.0)
    for value in (1.0, np.nan, np.inf):
        score.add(value)
    assert score.value == 0.25


def test_a_source_that_ranks_first_keeps_its_slot_and_one_that_ranks_last_fades():
    success = Success()
    assert success.chance("new") == 1.0
    for _ in range(60):
        success.add(("good", "bad"), np.array([0.0, 1.0]))
    assert success.chance("good") == 1.0
    assert 0.0 < success.chance("bad") < 0.2
    for _ in range(60):
        success.add(("bad",), np.array([0.0]))
    assert success.chance("bad") == 1.0
