"""Credit: who gets the slots."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.credit import Credit

HOST = [0.2] * 18


def test_credit_follows_what_is_earned():
    credit = Credit(("good", "bad"))
    assert credit.ratio("good") == 1.0
    for _ in range(50):
        credit.pay(("good", "bad"), np.array([1.0, 0.0, *HOST]))
    assert credit.ratio("good") > 3.0
    assert credit.ratio("bad") < 0.2
    good, bad = credit.shares()
    assert good > 0.8
    assert bad < 0.02


def test_sources_that_earn_like_the_host_share_two_thirds_however_many_there_are():
    for names in (("a",), ("a", "b", "c")):
        credit = Credit(names)
        credit.pay(("a",), np.full(10, 0.3))
        np.testing.assert_allclose(credit.shares(), 2.0 / 3.0 / len(names))


def test_a_source_that_earns_where_the_host_does_not_is_worth_much():
    credit = Credit(("a", "b"))
    for _ in range(200):
        credit.pay(("a", "b"), np.array([0.5, *[0.0] * 9]))
    assert credit.ratio("a") == 10.0


def test_nothing_earned_leaves_belief_as_it_was():
    credit = Credit(("a", "b", "c"))
    credit.pay(("a",), np.zeros(10))
    np.testing.assert_allclose(credit.shares(), 2.0 / 9.0)


def test_gains_that_shrink_as_a_run_converges_count_alike():
    credit, gain = Credit(("a",)), 1.0
    for _ in range(100):
        credit.pay(("a",), gain * np.array([3.0, *[1.0] * 9]))
        gain *= 0.9
    assert credit.ratio("a") == pytest.approx(3.0, rel=0.2)


def test_a_source_that_is_not_seen_any_more_gets_another_chance():
    credit = Credit(("a",), half_life=100.0)
    for _ in range(20):
        credit.pay(("a", "a"), np.array([0.0, 0.0, *HOST]))
    assert credit.ratio("a") < 0.3
    for _ in range(100):
        credit.pay((), np.array(HOST))
    assert credit.ratio("a") == pytest.approx(1.0, abs=0.05)


def test_sources_that_earn_alike_share_by_their_parts():
    np.testing.assert_allclose(Credit(("a", "b", "c"), {"b": 4.0, "d": 9.0}).shares(), np.array([1, 4, 1]) / 9.0)
