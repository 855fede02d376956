"""Niches: who is ahead among rows in nearly the same direction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import seeds
from janusopt.core.niches import Niches


def told(*generations):
    niches = Niches()
    for F in generations:
        niches.admit(np.arange(len(F), dtype=float)[:, None] + np.zeros(3), F)
    return niches


@given(seeds, st.integers(1, 40), st.integers(2, 10))
def test_worth_is_how_far_a_row_is_ahead_of_its_ten_nearest_by_angle(seed, n, m):
    rng = np.random.default_rng(seed)
    F, new = rng.random((n, m)), rng.random((7, m))
    np.testing.assert_allclose(told(F).worth(new), reference.ahead_of_niche(new, F, 10), atol=1e-12)


@given(seeds, st.integers(2, 40), st.integers(2, 10))
def test_worth_does_not_see_the_unit_of_an_objective(seed, n, m):
    rng = np.random.default_rng(seed)
    F, new, unit, shift = rng.random((n, m)), rng.random((5, m)), 10.0 ** rng.uniform(-3, 3, m), rng.normal(size=m)
    moved = told(shift + unit * F).worth(shift + unit * new)
    np.testing.assert_allclose(told(F).worth(new), moved, atol=1e-6)


def test_a_row_that_is_ahead_in_everything_is_worth_something_and_one_that_is_behind_nothing():
    F = np.random.default_rng(0).random((50, 8))
    ahead, behind = told(F).worth(np.array([F.min(axis=0), F.max(axis=0)]))
    assert ahead == 1.0
    assert behind == 0.0


def test_an_anchor_is_never_behind_all_of_its_neighbours():
    rng = np.random.default_rng(0)
    F = rng.dirichlet(np.ones(6), size=200) * rng.uniform(1.0, 10.0, size=(200, 1))
    niches = told(F)
    lengths = np.linalg.norm(F, axis=1)
    assert np.median(lengths[niches.anchors(100, rng)]) < 0.5 * np.median(lengths)


def test_it_remembers_three_generations_of_the_largest_size():
    niches = told(*(np.full((4, 2), float(n)) for n in range(5)))
    np.testing.assert_array_equal(niches.F[:, 0], np.repeat([2.0, 3.0, 4.0], 4))
    for value in (5.0, 6.0):  # a host that goes on with one row at a time
        niches.admit(np.zeros((1, 3)), np.full((1, 2), value))
    np.testing.assert_array_equal(niches.F[:, 0], [2.0] * 2 + [3.0] * 4 + [4.0] * 4 + [5.0, 6.0])
    assert len(niches) == len(niches.X) == 12


@pytest.mark.parametrize("F", [np.ones((1, 6)), np.ones((30, 6)), np.eye(6)])
def test_one_row_and_equal_rows_are_no_trouble(F):
    niches = told(F)
    assert np.isfinite(niches.worth(F)).all()
    assert len(niches.anchors(4, np.random.default_rng(0))) == 4
    np.testing.assert_array_equal(Niches().worth(F), np.ones(len(F)))
