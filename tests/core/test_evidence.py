"""Rank correlation, its smoothing, and the credit of sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import seeds
from janusopt.core.evidence import Curvature, Smoothed, Success, partial_correlations, rank_correlation


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


@given(seeds, st.integers(6, 30))
def test_a_partial_correlation_is_that_of_what_two_regressions_leave(seed, n):
    rng = np.random.default_rng(seed)
    f, parts, known = rng.standard_normal(n), rng.standard_normal((2, n)), rng.standard_normal((2, n))
    design = np.vstack([np.ones(n), known]).T
    ranks = np.argsort(np.argsort(f)).astype(float)
    left, *right = (v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (ranks, *parts))
    expected = [np.corrcoef(left, part)[0, 1] for part in right]
    np.testing.assert_allclose(partial_correlations(f, parts, known), expected, atol=1e-9)


def test_what_is_given_explains_itself_and_what_is_constant_explains_nothing():
    f = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    assert partial_correlations(f, np.array([np.zeros(5), f]), f[None]) == [0.0, 0.0]
    assert partial_correlations(f, f[None], np.full((1, 5), 1e6)) == [pytest.approx(1.0)]
    assert partial_correlations(f, np.empty((0, 5)), f[None]) == []


def test_values_whose_squares_overflow_give_no_score_and_no_warning():
    f = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    score = Smoothed(0.5, 0.25)
    score.add(*partial_correlations(f, 1e200 * f[None], np.array([[1.0, 2.0, 0.0, 1.0, 5.0]])))
    assert score.value == 0.25


def test_where_a_window_knows_all_curvatures_their_own_score_decides_and_where_it_knows_few_the_skill_does():
    good, bad = Curvature(), Curvature()
    for _ in range(200):
        good.add(0.5)
        bad.add(0.0)
    assert good.strength(skill=0.0, n=300, d=20, rows=12) > 0.45
    assert bad.strength(skill=1.0, n=300, d=20, rows=12) < 0.05
    assert bad.strength(skill=1.0, n=300, d=2000, rows=26) > 0.4


def test_the_same_score_is_stronger_evidence_where_fewer_curvatures_can_be_known():
    score = Curvature()
    for _ in range(200):
        score.add(0.1)
    assert score.strength(0.2, n=300, d=100, rows=17) > score.strength(0.2, n=300, d=30, rows=14)
