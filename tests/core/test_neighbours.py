"""Neighbours that act alike: found where they do, against the dense twin, and not where the order means nothing."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from cases import close
from janusopt.config import JanusConfig
from janusopt.core import neighbours
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.neighbours import Neighbours, excess_power, smoothed, wanted

D = 400


def frame(d=D, **changes):
    wide = {"mean": np.zeros(d), "sigma": 1.0, "scale": np.ones(d), "lower": np.full(d, -9.0), "upper": np.full(d, 9.0)}
    return Frame(**(wide | {"owns_covariance": True} | changes))


def smooth_jacobian(rng, m=20, d=D, stride=1, waves=4):
    """Rows that are a few long waves over every ``stride``-th variable, for each kind of variable its own."""
    J = np.zeros((m, d))
    for kind in range(stride):
        n = len(J[0, kind::stride])
        phase = np.pi * np.arange(1, waves + 1)[:, None] * (np.arange(n) + 0.5) / n
        J[:, kind::stride] = rng.standard_normal((m, waves)) @ np.cos(phase)
    return J


def seen(J, rng, order=None, generations=12, n=25, **changes):
    """What is learned of components ``J z`` from generations of independent rows."""
    d = J.shape[1]
    learned = Neighbours(frame(d, **changes), np.random.default_rng(0))
    for _ in range(generations):
        X = rng.standard_normal((n, d))
        R = X @ (J if order is None else J[:, order]).T
        learned.observe(X, Evaluations(R.mean(axis=1), np.zeros(n, dtype=bool), components=R), 0)
    return learned


@pytest.mark.parametrize("d", [40, 41])
def test_excess_power_is_that_of_the_dense_twin(d):
    J = smooth_jacobian(np.random.default_rng(1), m=9, d=d) + 0.3 * np.random.default_rng(2).standard_normal((9, d))
    e = excess_power(J)
    assert e.any()
    close(e, reference.excess_power(J, neighbours._BAND, neighbours._SURE, neighbours._LIKELY), rtol=1e-8)


def test_neighbours_that_act_alike_are_seen_at_low_frequencies_from_fewer_rows_than_variables():
    rng = np.random.default_rng(3)
    e = seen(smooth_jacobian(rng), rng).excess
    assert e.any()
    assert e[: D // 20].sum() > 0.9 * e.sum()


def test_interleaved_kinds_of_variables_are_seen_without_being_told():
    rng = np.random.default_rng(4)
    e = seen(smooth_jacobian(rng, stride=4), rng).excess
    away = np.min(np.abs(np.arange(D + 1)[:, None] / (2 * D) - [0.0, 0.25, 0.5]), axis=1)
    assert e[away < 0.03].sum() > 0.9 * e.sum() > 0.0
    assert all(e[(away < 0.03) & (np.abs(np.arange(D + 1) / (2 * D) - at) < 0.03)].any() for at in (0.0, 0.25, 0.5))


def test_in_a_random_order_nothing_is_seen_and_no_number_is_drawn():
    rng = np.random.default_rng(5)
    J = smooth_jacobian(rng, stride=3)
    for _ in range(5):
        learned = seen(J, rng, rng.permutation(D))
        assert learned.candidates(25, 1.0) == []
        assert learned._rng.random() == np.random.default_rng(0).random()


def test_smooth_rows_have_the_lengths_asked_for_and_neighbours_that_move_alike():
    rng = np.random.default_rng(6)
    learned = seen(smooth_jacobian(rng), rng, scale=np.linspace(1.0, 2.0, D))
    lengths = np.array([1.0, 5.0, 20.0])
    Z = learned.rows(lengths)
    close(np.linalg.norm(Z, axis=1), lengths)
    assert np.all(np.einsum("kd,kd->k", Z[:, 1:], Z[:, :-1]) > 0.8 * lengths**2)


@pytest.mark.parametrize("d", [40, 41])
def test_a_smooth_part_is_that_of_the_dense_twin(d):
    rng = np.random.default_rng(10)
    e = excess_power(smooth_jacobian(rng, m=9, d=d))
    assert e.any()
    v = rng.standard_normal(d)
    close(smoothed(v, e), reference.smoothed(v, e, neighbours._NOISE), rtol=1e-7)


def test_a_smooth_part_keeps_what_is_smooth_and_drops_noise():
    rng = np.random.default_rng(11)
    learned = seen(smooth_jacobian(rng), rng)
    wave, noise = np.cos(3.0 * np.pi * np.arange(D) / D), rng.standard_normal(D)
    left = smoothed(wave + noise, learned.excess) - wave
    assert np.linalg.norm(left) < 0.5 * np.linalg.norm(noise)


def test_half_of_the_smooth_rows_lead_from_a_noisy_mean_to_its_smooth_part_and_none_is_longer_than_the_clip():
    rng = np.random.default_rng(12)
    learned = seen(smooth_jacobian(rng), rng)
    noisy = frame(mean=rng.standard_normal(D))
    learned.look(noisy)
    Z = noisy.to_z(np.array([x for _, x in learned.candidates(20, 1.0)]))
    assert len(Z) == 9
    assert np.all(np.linalg.norm(Z, axis=1) <= np.sqrt(D) * (1.0 + 1e-9))
    along = Z @ learned.rest() / np.linalg.norm(learned.rest()) ** 2
    assert np.mean(along[:4]) > 0.2 > 0.1 > np.max(np.abs(along[4:]))


def test_rows_of_infill_and_failed_rows_teach_nothing():
    rng = np.random.default_rng(7)
    learned, X = Neighbours(frame(), rng), rng.standard_normal((6, D))
    R = X @ smooth_jacobian(rng).T
    failed = np.array([False] * 4 + [True] * 2)
    learned.observe(X, Evaluations(np.where(failed, np.nan, 1.0), failed, components=R), 2)
    assert not learned._J.any()


def test_it_is_looked_for_only_with_fewer_rows_than_variables_on_a_host_that_owns_a_covariance():
    few, config, rng = frame(), JanusConfig(), np.random.default_rng(8)
    assert Neighbours.of(config, few, rng) is not None
    assert Neighbours.of(config, frame(300), rng) is None
    assert Neighbours.of(config, frame(owns_covariance=False), rng) is None
    for off in ({"neighbours": False}, {"cmix": "off"}, {"chart": "newton"}):
        assert Neighbours.of(config.replace(**off), few, rng) is None
    assert Neighbours.of(JanusConfig.paper(D, scalar=False), few, rng) is None


def test_looking_for_neighbours_leaves_all_other_draws_as_they_were():
    rng = np.random.default_rng(9)
    Neighbours.of(JanusConfig(), frame(), rng)
    assert rng.random() == np.random.default_rng(9).random()


def test_smooth_rows_give_way_to_a_fit_that_predicts():
    assert wanted(-0.3) == wanted(0.1) == 1.0
    assert 0.0 < wanted(0.3) < 1.0
    assert wanted(0.5) == wanted(0.9) == 0.0
