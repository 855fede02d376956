"""The reservoir: a fair sample of everything."""

from __future__ import annotations

import numpy as np

from janusopt.core.reservoir import Reservoir


def test_it_holds_all_rows_until_it_is_full():
    reservoir = Reservoir(10)
    reservoir.add(np.arange(4.0)[:, None], np.random.default_rng(0))
    reservoir.add(np.arange(4.0, 9.0)[:, None], np.random.default_rng(0))
    np.testing.assert_array_equal(reservoir.rows[:, 0], np.arange(9.0))


def test_the_first_rows_stay():
    reservoir, rng = Reservoir(20, kept=7), np.random.default_rng(0)
    for start in range(0, 500, 50):
        reservoir.add(np.arange(start, start + 50.0)[:, None], rng)
    np.testing.assert_array_equal(reservoir.rows[:7, 0], np.arange(7.0))
    assert reservoir.rows[7:, 0].mean() > 100.0


def test_every_row_is_as_likely_to_be_held_as_any_other():
    rng, held = np.random.default_rng(0), np.zeros(100)
    for _ in range(400):
        reservoir = Reservoir(20)
        for start in range(0, 100, 25):
            reservoir.add(np.arange(start, start + 25.0)[:, None], rng)
        assert reservoir.rows.shape == (20, 1)
        held[reservoir.rows[:, 0].astype(int)] += 1
    assert abs(held[:25].mean() / held[75:].mean() - 1.0) < 0.1
    assert held.min() > 40
