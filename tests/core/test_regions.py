"""Regions along a front: where they lie, whose turn it is, what becomes of their steps."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.front import Front
from janusopt.core.regions import Regions
from janusopt.core.trace import Trace

D = 5


def frame() -> Frame:
    return Frame(np.full(D, 0.5), 1.0, np.full(D, 0.3), np.zeros(D), np.ones(D))


def bowls(X: Rows, m: int = 2) -> Rows:
    """m ellipsoids whose minima lie apart on the diagonal of the box."""
    axes = np.arange(1.0, D + 1.0)
    return np.column_stack([((X - (0.2 + 0.6 * j / (m - 1))) ** 2) @ axes for j in range(m)])


class Run:
    """A front, a trace and regions that see the same rows."""

    def __init__(self, m: int = 2, rows: int = 300) -> None:
        self.m, self.rng = m, np.random.default_rng(0)
        self.front, self.trace, self.regions = Front(), Trace(1000), Regions(m, D)
        self.tell(self.rng.random((rows, D)))

    def tell(self, X: Rows) -> None:
        F = bowls(X, self.m)
        self.front.admit(X, F)
        self.trace.record(X, Evaluations(np.zeros(len(X)), np.zeros(len(X), dtype=bool), objectives=F))
        self.regions.observe(X, F)

    def ask(self, count: int = 10) -> Rows:
        return self.regions.rows(frame(), self.front, self.trace.window(), count, self.rng)


@pytest.mark.parametrize("m", [2, 3])
def test_regions_lead_to_the_ends_of_the_front_and_its_middle(m: int) -> None:
    run = Run(m)
    for _ in range(60):
        run.tell(run.ask())
    best = run.front.F.min(axis=0)
    assert best.max() < 0.005  # of 5.4 at the other end
    middle = np.full((1, D), 0.5)
    assert run.front.F.sum(axis=1).min() < bowls(middle, m).sum() * 1.01


def test_rows_lie_in_the_box_and_are_no_more_than_asked_for() -> None:
    run = Run()
    for count in (1, 2, 4, 30):
        X = run.ask(count)
        assert X.shape == (count, D)
        assert ((X >= 0.0) & (X <= 1.0)).all()


def test_a_single_row_is_now_a_step_now_a_sample() -> None:
    asked = []
    for seed in range(20):
        run = Run()
        run.rng = np.random.default_rng(seed)
        x = run.ask(1)[0]
        post = run.regions._posts[0]
        assert post.asked is not None
        asked.append(np.array_equal(x, post.asked.x))
    assert 0 < sum(asked) < 20


def test_a_step_is_judged_when_its_row_comes_back_whoever_brings_it_and_once() -> None:
    run = Run()
    X = run.ask()
    post = run.regions._posts[0]
    assert post.asked is not None
    before = post.region.sigma
    run.regions.observe(X[1:], bowls(X[1:]))
    assert post.region.sigma == before
    run.regions.observe(X[::-1], np.full((len(X), 2), 1e9))
    assert post.region.sigma < before
    assert post.asked is None


def test_each_region_remembers_rows_once() -> None:
    run = Run()
    for _ in range(6):
        run.ask()
    assert [len(post.memory) for post in run.regions._posts] == [300, 300, 300]


def test_without_objectives_there_is_nothing_to_offer() -> None:
    run = Run()
    assert Regions(2, D).rows(frame(), run.front, Trace(10).window(), 5, run.rng).shape == (0, D)


def test_objectives_near_the_largest_float_beside_small_ones_give_finite_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((100, D))
    F = np.column_stack([X[:, 0], 1.0 - X[:, 0] + X[:, 1]]) * 1e-5
    F[50:] += 1.7e308 * rng.random((50, 1))
    front, trace, regions = Front(), Trace(100), Regions(2, D)
    front.admit(X, F)
    trace.record(X, Evaluations(np.zeros(100), np.zeros(100, dtype=bool), objectives=F))
    for _ in range(6):
        made = regions.rows(frame(), front, trace.window(), 8, rng)
        assert len(made) > 0
        assert np.isfinite(made).all()
        regions.observe(made, np.full((len(made), 2), 1.7e308))
