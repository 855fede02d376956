"""Valleys: seen where one direction makes f and not on slopes, what is narrowed and what is given back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import janusopt
import reference
from cases import close
from janusopt.config import JanusConfig
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.latent import LatentFit, Residual
from janusopt.core.valley import Valley
from janusopt.hosts.pycma import PycmaHost

D = 40
A = np.random.default_rng(7).standard_normal(D)
A /= np.linalg.norm(A)


def owner(d=D, sigma=1.0, **changes):
    free = np.full(d, np.inf)
    frame = Frame(np.zeros(d), sigma, np.ones(d), -free, free, np.eye(d), np.ones(d), owns_covariance=True)
    return replace(frame, **changes)


def spiked(X):
    return 1e4 * (X @ A) ** 2 + (X**2).sum(axis=1) + X[:, 0]


def watched(fun, generations=60, centre=0.0, sigma=1.0):
    """A valley after some generations of 12 samples about one point."""
    valley, rng = Valley(D), np.random.default_rng(3)
    for _ in range(generations):
        X = centre + sigma * rng.standard_normal((12, D))
        f = fun(X)
        valley.look()
        valley.examine(X, f)
        valley.record(X, Evaluations(f, np.zeros(len(X), dtype=bool)))
    return valley


def known(a=A, b=0.0, score=0.9, doubt=0.0):
    valley = Valley(len(a))
    valley._fit = LatentFit(Residual(100.0 * a, b), 0.05, doubt)
    valley._score.value, valley.seen = score, True
    return valley


def test_a_stiff_direction_is_seen():
    valley = watched(spiked)
    assert valley.seen
    assert valley.found
    assert valley.sure
    assert abs(valley._fit.residual.a @ A) > 0.999 * np.linalg.norm(valley._fit.residual.a)


@pytest.mark.parametrize(
    "fun",
    [
        lambda X: X @ A,
        lambda X: (X**2).sum(axis=1),
        lambda X: (X**2) @ np.logspace(0, 4, D),
        lambda X: np.abs(X).sum(axis=1) + 5.0 * np.cos(9.0 * X).sum(axis=1),
        lambda X: np.zeros(len(X)),
        lambda X: np.where(X[:, 0] > 0.0, 1e300, -1e300),
    ],
    ids=["slope", "sphere", "ellipsoid", "rugged", "flat", "huge"],
)
def test_nothing_is_seen_elsewhere(fun):
    valley = watched(fun, generations=100)
    assert not valley.found
    X = np.random.default_rng(4).standard_normal((5, D))
    assert (valley.floor(X, X[:, 0]) == X[:, 0]).all()
    assert valley.onto(owner(), X) is X


def test_one_side_of_a_valley_is_a_slope():
    far = 40.0 * A
    assert not watched(lambda X: spiked(X), centre=far, sigma=0.2).found


def test_a_valley_that_ends_is_lost():
    valley = watched(spiked)
    rng = np.random.default_rng(5)
    for _ in range(60):
        X = rng.standard_normal((12, D))
        valley.examine(X, (X**2).sum(axis=1))
    assert not valley.seen
    assert valley.found
    assert valley.rows(10) == 0


def test_rows_come_to_lie_on_the_floor_by_the_shortest_way():
    frame = owner(sigma=0.3, roots=np.linspace(0.2, 2.0, D))
    valley = known(b=20.0)
    Z = np.random.default_rng(6).standard_normal((4, D))
    moved = valley.onto(frame, Z)
    close(valley._fit.residual(frame.from_z(moved)), np.zeros(4) + 1e-12, rtol=1e3)
    L = reference.factor(frame)
    for move in moved - Z:
        along = L.T @ A
        assert abs(move @ along) == pytest.approx(np.linalg.norm(move) * np.linalg.norm(along))


def test_in_a_folded_box_rows_lie_on_the_floor_too():
    side = np.full(D, 5.0)
    host = PycmaHost(np.linspace(-4.9, 4.9, D), side / 5.0, -side, side, seed=1)
    frame, valley = host.frame(), known(b=20.0)
    Z = np.random.default_rng(6).standard_normal((4, D))
    before, after = (np.abs(valley._fit.residual(frame.from_z(z))) for z in (Z, valley.onto(frame, Z)))
    assert (after < 0.05 * before.max()).all()


def test_what_is_left_of_f_has_no_walls_and_no_outliers_below():
    valley, X = known(), np.random.default_rng(7).standard_normal((50, D))
    f = spiked(X)
    plain = f - 1e4 * (X @ A) ** 2
    close(valley.floor(X, f), plain)
    wrong = known()
    wrong._fit = LatentFit(Residual(300.0 * A, 0.0), 0.5, 0.0)
    left, raw = wrong.floor(X, f), f - 9e4 * (X @ A) ** 2
    middle = np.median(raw)
    close(left, np.maximum(raw, middle - 6.0 * np.median(np.abs(raw - middle))))
    assert left.min() > raw.min()


def test_slots_follow_the_walls():
    assert [known(score=score).rows(10) for score in (0.2, 0.5, 0.9)] == [0, 5, 10]


def test_the_metric_is_narrow_along_the_residual_alone_and_within_bounds():
    frame = owner(sigma=0.5)
    metric = known().metric(frame)
    T = metric.rest * (np.eye(D) - metric.V @ metric.V.T) + metric.V @ np.diag(metric.values) @ metric.V.T
    close([A @ T @ A], [0.2])
    rest = np.eye(D) - np.outer(A, A)
    close(rest @ T @ rest, rest)


def test_doubt_grows_with_what_was_narrowed():
    valley = known(doubt=0.05)
    assert valley.sure
    valley.metric(owner())
    assert valley._fit.doubt == pytest.approx(0.25)
    assert not valley.sure


def test_what_does_not_vary_linearly_is_not_narrowed_for():
    valley = known()
    X = np.random.default_rng(8).standard_normal((40, D))
    valley._samples = [10.0 * X]  # ten times what the frame's spread along a explains
    assert valley.metric(owner()).values[0] == 1.0


def test_what_was_narrowed_for_an_earlier_direction_is_given_back():
    other = np.roll(A, 1)
    other -= (other @ A) * A
    other /= np.linalg.norm(other)
    roots = np.ones(D)
    roots[0] = 0.5  # the host is still narrow along the earlier one
    basis = np.linalg.qr(np.column_stack([other, A, np.eye(D)[:, 2:]]))[0]
    valley = known()
    valley._narrowed = [100.0 * other]
    metric = valley.metric(owner(basis=basis, roots=roots))
    along = metric.V.T @ basis.T @ other
    assert (along**2 * metric.values).sum() == pytest.approx(4.0, rel=1e-6)
    close(metric.V.T @ metric.V, np.eye(metric.V.shape[1]))


@pytest.mark.parametrize(
    ("config", "frame"),
    [
        (JanusConfig(cmix="off"), owner()),
        (JanusConfig(weight_rule="dimension"), owner()),
        (JanusConfig(), owner(20)),
        (JanusConfig(), owner(2_000, basis=np.empty((2_000, 3)), roots=np.ones(3))),
        (JanusConfig(), owner(basis=None, roots=None)),
        (JanusConfig(), owner(owns_covariance=False)),
    ],
    ids=["no mixing", "by dimension", "few variables", "too many", "diagonal", "no covariance"],
)
def test_where_nobody_looks(config, frame):
    valley = Valley.of(config, frame)
    X = np.zeros((3, frame.d))
    valley.record(X, Evaluations(np.zeros(3), np.zeros(3, dtype=bool)))
    valley.look()
    assert valley._trace is None
    assert Valley.of(JanusConfig(), owner())._trace is not None


def test_a_run_goes_along_the_floor_and_takes_no_detour():
    def fun(X):
        return 1e6 * ((X - 1.0) @ A) ** 2 + ((X - 1.0) ** 2).sum(axis=1)

    box = [(-5.0, 5.0)] * D
    alone = janusopt.minimize(fun, bounds=box, budget=4000, rng=1, vectorized=True, infill=None)
    janus = janusopt.minimize(fun, bounds=box, budget=4000, rng=1, vectorized=True)
    on_floor = [record for record in janus.janus["records"] if "floor" in record.sources]
    assert len(on_floor) > 20
    assert np.nanmedian([np.min(record.ranks) for record in on_floor]) == 0.0
    assert janus.fun < 1e-3 * alone.fun
    assert janus.janus["restarts"] == 0


def test_with_the_candidates_off_only_the_covariance_is_narrowed():
    def fun(X):
        return 1e6 * (X @ A) ** 2 + ((X - 1.0) ** 2).sum(axis=1)

    config = JanusConfig(gn=False, lbfgs=False)
    result = janusopt.minimize(fun, bounds=[(-5.0, 5.0)] * D, budget=2000, rng=1, vectorized=True, infill=config)
    records = result.janus["records"]
    assert not any(record.sources for record in records)
    assert any(record.weight == 1.0 and not record.looked_back for record in records)
