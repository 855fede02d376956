"""One region: its shape, the rows that its fit reads, what it offers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reference
from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.metric import Metric
from janusopt.core.proposals import in_box
from janusopt.core.region import Offer, Region, boxed, is_near, near_rows, shaped, whitened

D = 6


def population(d: int = D) -> Frame:
    return Frame(np.zeros(d), 1.0, np.ones(d), np.full(d, -5.0), np.full(d, 5.0), population=True)


@pytest.mark.parametrize("k", [0, 2, D])
def test_shaped_is_the_blended_metric_in_the_frames_own_coordinates(k: int) -> None:
    rng = np.random.default_rng(k)
    V, _ = np.linalg.qr(rng.standard_normal((D, D)))
    basis, _ = np.linalg.qr(rng.standard_normal((D, D)))
    frame = replace(population(), scale=rng.uniform(0.5, 2.0, D), basis=basis, roots=rng.uniform(0.5, 2.0, D))
    metric = Metric(V[:, :k], rng.uniform(0.2, 4.0, k), 0.7)
    T = 0.7 * np.eye(D) + V[:, :k] @ np.diag(metric.values - 0.7) @ V[:, :k].T
    M = reference.mix(np.eye(D), T, 0.9)
    L, after = frame.color(np.eye(D)).T, shaped(frame, metric).color(np.eye(D)).T
    np.testing.assert_allclose(after @ after.T, L @ M @ L.T, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shape", [False, True])
def test_whitened_rows_are_those_of_the_frame(shape: bool) -> None:
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.standard_normal((D, D)))
    frame = replace(population(), mean=rng.standard_normal(D), sigma=0.3, scale=rng.uniform(0.5, 2.0, D))
    if shape:
        frame = replace(frame, basis=basis, roots=rng.uniform(0.5, 2.0, D))
    X = rng.standard_normal((7, D))
    np.testing.assert_allclose(whitened(frame, X), frame.to_z(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [False, True])
def test_a_step_at_the_box_is_the_one_that_holds_active_bounds(shape: bool) -> None:
    rng = np.random.default_rng(1)
    basis, _ = np.linalg.qr(rng.standard_normal((D, D)))
    frame = replace(population(), mean=np.full(D, 4.5), sigma=0.7, scale=rng.uniform(0.5, 2.0, D))
    if shape:
        frame = replace(frame, basis=basis, roots=rng.uniform(0.5, 2.0, D))
    geometry = Geometry(rng.uniform(0.5, 2.0, 3), np.linalg.qr(rng.standard_normal((D, D)))[0][:3], 0.3)
    slope = -2.0 * frame.pullback(rng.uniform(0.0, 1.0, D))
    z = geometry.descend(slope, 0.1)
    inside = boxed(frame, z, slope, geometry, 0.1)
    assert not np.allclose(inside, z)
    np.testing.assert_allclose(inside, in_box(frame, np.zeros(D), z, slope, geometry, 0.1), rtol=1e-6, atol=1e-9)


def test_near_rows_are_the_nearest_without_the_worst_of_them() -> None:
    squares, f = np.array([0.0, 1.0, 2.0, 40.0, 3.0]), np.array([1.0, 5.0, 2.0, 0.0, 3.0])
    rows, weights = near_rows(f, squares, most=4, trim=0.25, enough=0)
    assert rows.tolist() == [0, 2, 4]
    np.testing.assert_allclose(weights, np.array([2.0, 1.4, 0.8]) / (1.0 + squares[rows]))
    assert len(near_rows(f, squares, most=4, trim=0.25, enough=4)[0]) == 4


def bowl(X: Rows) -> Vec:
    return np.asarray(((X - 0.3) ** 2 @ np.arange(1.0, D + 1.0)) + 7.0)


def opened(seed: int = 0) -> tuple[Region, Offer]:
    region, rng = Region(JanusConfig()), np.random.default_rng(seed)
    X = rng.uniform(-5.0, 5.0, (200, D))
    return region, region.offer(population(), X[np.argmin(bowl(X))], X, bowl(X), 5, rng)


def test_before_it_is_opened_nothing_moves_it() -> None:
    region = Region(JanusConfig())
    region.move(np.ones(D), theirs=True)
    assert np.isnan(region.sigma)
    assert region.here is None


def test_an_offer_is_a_step_that_gains_what_it_promises_and_samples() -> None:
    _, offer = opened()
    assert offer.step is not None
    assert offer.Z.shape == (4, D)
    before, after = bowl(offer.frame.from_z(np.stack([np.zeros(D), offer.step.z])))
    assert before - after == pytest.approx(offer.step.promised, rel=0.1)
    assert offer.step.length <= 1.0 + 1e-9


def test_with_too_few_rows_there_are_only_samples() -> None:
    X = np.zeros((3, D)) + np.arange(3.0)[:, None]
    offer = Region(JanusConfig()).offer(population(), X[0], X, bowl(X), 5, np.random.default_rng(0))
    assert offer.step is None
    assert offer.Z.shape == (4, D)


def test_a_kept_promise_widens_it_and_a_broken_one_narrows_it() -> None:
    for share, wider in ((1.0, True), (0.3, None), (0.0, False)):
        region, offer = opened()
        assert offer.step is not None
        step = replace(offer.step, length=1.0)
        before = region.sigma
        region.judge(share * step.promised, step)
        assert (region.sigma > before, region.sigma < before) == (wider is True, wider is False)


def test_a_row_of_the_hosts_far_outside_widens_it_and_one_of_ours_does_not() -> None:
    for theirs in (True, False):
        region, offer = opened()
        assert offer.step is not None
        for _ in range(30):
            region.judge(0.0, offer.step)
        before = region.sigma
        region.move(np.full(D, 4.0), theirs=theirs)
        assert (region.sigma > before) is theirs
        assert region.here is not None
        assert is_near(whitened(region.here, np.full((1, D), 4.0))).all()
