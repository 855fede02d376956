"""The region about the best row: its shape, its rows, its radius."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.vicinity import Vicinity

D = 6


def population(d: int = D) -> Frame:
    return Frame(np.zeros(d), 1.0, np.ones(d), np.full(d, -5.0), np.full(d, 5.0), population=True)


def told(X: Rows, f: Vec) -> tuple[Rows, Evaluations]:
    return X, Evaluations(f, np.isnan(f))


def bowl(X: Rows) -> Vec:
    return np.asarray(((X - 0.3) ** 2 @ np.arange(1.0, X.shape[1] + 1.0)) + 7.0)


def begun(seed: int = 0, rows: int = 200) -> Vicinity:
    vicinity = Vicinity.of(JanusConfig(), population())
    assert vicinity is not None
    X = np.random.default_rng(seed).uniform(-5.0, 5.0, (rows, D))
    vicinity.observe(*told(X, bowl(X)), ())
    return vicinity


def test_only_populations_have_a_vicinity() -> None:
    assert Vicinity.of(JanusConfig(), replace(population(), population=False)) is None
    assert Vicinity.of(JanusConfig.paper(D), population()) is None
    assert Vicinity.of(JanusConfig(cmix="off"), population()) is None


def test_rows_lie_in_the_box_and_take_no_more_than_their_share() -> None:
    vicinity, rng = begun(), np.random.default_rng(1)
    rows = vicinity.candidates(population(), 40, rng)
    X = np.array([x for _, x in rows])
    assert [source for source, _ in rows] == ["local"] + ["around"] * 11
    assert np.abs(X).max() <= 5.0


def test_on_a_quadratic_the_step_soon_ends_at_its_minimum() -> None:
    vicinity, rng = begun(), np.random.default_rng(2)
    best = np.inf
    for _ in range(30):
        rows = vicinity.candidates(population(), 40, rng)
        if rows:
            X = np.array([x for _, x in rows])
            best = min(best, float(bowl(X).min()))
            vicinity.observe(*told(X, bowl(X)), tuple(source for source, _ in rows))
    assert best - 7.0 < 1e-6


def test_a_step_that_brings_nothing_shrinks_the_region_and_a_good_one_does_not() -> None:
    for value, smaller in ((1e9, True), (-1e9, False)):
        vicinity = begun()
        rows = vicinity.candidates(population(), 40, np.random.default_rng(1))
        X = np.array([x for _, x in rows])
        before = vicinity._region.sigma
        f = np.full(len(X), 1e9)
        f[0] = value
        vicinity.observe(*told(X, f), tuple(source for source, _ in rows))
        assert (vicinity._region.sigma < before) is smaller


def test_where_all_rows_fail_nothing_is_proposed() -> None:
    vicinity = Vicinity(JanusConfig(), D)
    vicinity.observe(*told(np.zeros((4, D)), np.full(4, np.nan)), ())
    assert vicinity.candidates(population(), 40, np.random.default_rng(0)) == []


def test_values_near_the_largest_float_give_finite_rows() -> None:
    vicinity, rng = Vicinity(JanusConfig(), D), np.random.default_rng(3)
    X = rng.uniform(-5.0, 5.0, (100, D))
    vicinity.observe(*told(X, 1.7e308 * rng.uniform(-1.0, 1.0, 100)), ())
    for _, x in vicinity.candidates(population(), 40, rng):
        assert np.isfinite(x).all()
