"""Candidates without a model."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.variation import differential, graft, project, snap

LOWER, UPPER = np.zeros(6), np.ones(6)


def rows(n, seed=0):
    return 0.1 + 0.8 * np.random.default_rng(seed).random((n, 6))


def test_a_graft_takes_one_to_three_coordinates_of_one_other_row():
    anchors, pool = rows(200), rows(30, seed=1)
    made = graft(anchors, pool, np.random.default_rng(2))
    taken = made != anchors
    assert set(taken.sum(axis=1)) == {1, 2, 3}
    for row, mask in zip(made, taken, strict=True):
        assert (pool[:, mask] == row[mask]).all(axis=1).any()


def test_a_leap_moves_one_to_three_coordinates_by_the_difference_of_two_other_rows():
    anchors, pool = rows(200), rows(12, seed=1)
    made = graft(anchors, pool, np.random.default_rng(2), leaps=200)
    moved = made != anchors
    assert set(moved.sum(axis=1)) <= {0, 1, 2, 3}
    assert moved.any(axis=1).mean() > 0.85
    apart = (pool[:, None, :] - pool[None, :, :]).reshape(-1, 6)
    for step, mask in zip(made - anchors, moved, strict=True):
        assert np.isclose(apart[:, mask], step[mask]).all(axis=1).any()


def test_a_projection_goes_where_the_front_sits_on_bounds_and_nowhere_else():
    front = rows(50)
    front[:40, 1], front[:5, 3] = 0.0, 1.0
    made = project(front[40:], front, LOWER, UPPER, np.random.default_rng(2))
    moved = made != front[40:]
    assert moved.any(axis=1).all()
    assert not moved[:, [0, 2, 4, 5]].any()
    assert (made[moved[:, 1], 1] == 0.0).all()
    assert (made[moved[:, 3], 3] == 1.0).all()
    assert moved[:, 1].sum() > moved[:, 3].sum()


def test_a_front_inside_the_box_gives_no_projection():
    assert project(rows(5), rows(50), LOWER, UPPER, np.random.default_rng(2)).shape == (0, 6)


def test_without_bounds_nothing_is_snapped():
    free = np.full(6, np.inf)
    np.testing.assert_array_equal(snap(rows(9), -free, free, np.random.default_rng(0)), rows(9))


def test_a_differential_step_moves_at_least_one_coordinate():
    made = differential(rows(50), rows(20, 1), rows(80, 2), np.random.default_rng(0), crossover=0.0)
    np.testing.assert_array_equal((made != rows(50)).sum(axis=1), 1)


@pytest.mark.parametrize("d", [1, 2])
def test_few_coordinates_are_enough(d):
    rng = np.random.default_rng(0)
    anchors, pool = rng.random((9, d)), rng.random((4, d))
    pool[0] = 0.0
    for made in (
        graft(anchors, pool, rng),
        graft(anchors, pool, rng, leaps=len(anchors)),
        project(anchors, pool, np.zeros(d), np.ones(d), rng),
    ):
        assert made.shape == (9, d)
        assert np.isfinite(made).all()
