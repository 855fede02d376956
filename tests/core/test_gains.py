"""Gains: who is paid, and for what."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.gains import Gains

OURS = np.array([True, False, False, False])


def after(*generations: list[float], best: float = 10.0) -> float:
    gains = Gains()
    for f in generations:
        gains.add(np.array(f), OURS, best)
    return gains.share


def test_before_any_gain_the_share_is_whole() -> None:
    assert Gains().share == 1.0


def test_the_share_is_that_of_the_gain_per_row() -> None:
    assert after([9.0, 9.0, 12.0, 12.0]) == pytest.approx(1.0 / (1.0 + 1.0 / 3.0))


def test_the_share_falls_when_only_the_host_gains() -> None:
    assert after(*[[11.0, 9.0, 12.0, 12.0]] * 60) < 0.01


def test_gains_far_below_the_height_of_the_hosts_rows_do_not_count_for_long() -> None:
    assert after(*[[10.0 - 1e-6, 20.0, 20.0, 20.0]] * 100) < 0.05


def test_failed_rows_and_values_near_the_largest_float_leave_a_share_between_zero_and_one() -> None:
    for f in ([np.inf] * 4, [-1.7e308, 1.7e308, 1.7e308, 1.7e308], [np.inf, -1.7e308, np.inf, np.inf]):
        assert 0.0 <= after(f, best=1.7e308) <= 1.0


def test_a_generation_without_a_row_of_ours_changes_nothing() -> None:
    gains = Gains()
    gains.add(np.array([1.0, 2.0]), np.zeros(2, dtype=bool), 10.0)
    assert gains.share == 1.0
