"""Gains: who is paid, and for what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from janusopt.core.gains import Gains

OURS = np.array([True, False, False, False])


def after(*generations: list[float], best: float = 10.0) -> float:
    gains = Gains()
    for f in generations:
        gains.add(np.array(f), OURS, best)
    return gains.share


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(-0.3, 0.3))
def test_the_share_is_the_reference_one(seed: int, count: int, fall: float) -> None:
    rng = np.random.default_rng(seed)
    gains, generations, best = Gains(), [], 0.0
    for i in range(count):
        f = rng.exponential(size=7) - fall * i
        generations.append((f[:2], f[2:], best))
        gains.add(f, np.arange(7) < 2, best)
        best = min(best, float(f.min()))
    assert gains.share == pytest.approx(reference.gains_share(generations, 0.05, 1e-4, 20), abs=1e-9)


def test_before_any_gain_the_share_is_whole() -> None:
    assert Gains().share == 1.0


def test_the_share_is_that_of_the_gain_per_row() -> None:
    assert after([9.0, 9.0, 12.0, 12.0]) == pytest.approx(1.0 / (1.0 + 1.0 / 3.0), rel=1e-3)


def test_the_share_falls_when_only_the_host_gains() -> None:
    assert after(*[[11.0, 9.0, 12.0, 12.0]] * 60) < 0.01


def falling(start: float, generations: int) -> list[list[float]]:
    """Our row gains a millionth, the host's descend by one a generation."""
    return [[10.0 - 1e-6, *[start - i] * 3] for i in range(generations)]


def test_gains_far_below_the_height_of_the_hosts_rows_do_not_count_for_long_while_these_descend() -> None:
    assert after(*falling(200.0, 100)) < 0.05


def test_once_the_hosts_rows_stand_still_any_gain_counts() -> None:
    assert after(*falling(200.0, 100), *[[10.0 - 1e-6, 100.0, 101.0, 102.0]] * 100) > 0.9


def test_where_nobody_gains_the_share_comes_back() -> None:
    gained = [[11.0, 9.0, 12.0, 12.0]] * 60
    assert after(*gained, *[[11.0, 11.0, 12.0, 12.0]] * 400) > 0.9


def test_a_host_that_does_not_move_from_one_value_does_not_fall() -> None:
    gains = Gains()
    for _ in range(200):
        gains.add(np.full(4, 10.0), OURS, 10.0)
    assert gains.falls == 0.0
    assert gains.share == 1.0


def test_failed_rows_and_values_near_the_largest_float_leave_a_share_between_zero_and_one() -> None:
    for f in ([np.inf] * 4, [-1.7e308, 1.7e308, 1.7e308, 1.7e308], [np.inf, -1.7e308, np.inf, np.inf]):
        assert 0.0 <= after(f, best=1.7e308) <= 1.0


def test_a_generation_without_a_row_of_ours_pays_the_host() -> None:
    gains = Gains()
    gains.add(np.array([1.0, 2.0]), np.zeros(2, dtype=bool), 10.0)
    assert gains.share < 0.01


def test_a_generation_of_our_rows_alone_pays_us() -> None:
    gains = Gains()
    gains.add(np.array([1.0, 2.0]), np.ones(2, dtype=bool), 10.0)
    assert gains.share == 1.0
