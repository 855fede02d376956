"""The host contract as tests: subclass :class:`HostConformance`, and pytest runs them on your adapter.

    class TestMyHost(HostConformance):
        def make_host(self, seed, bounds):
            ...

        def bare_run(self, seed, generations):
            ...  # the same optimizer, driven without janusopt

Quality is not measured here, but for one loose run on a sphere.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest

from janusopt.core.arrays import Mask, Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.metric import Metric
from janusopt.hosts.base import Host, LateTells, Reshapable

Bounds: TypeAlias = tuple[Vec, Vec]


class HostConformance:
    """What every :class:`~janusopt.hosts.base.Host` keeps. Provide :meth:`make_host`; set the attributes that differ.

    dimension: d of the hosts made. objectives: how many values a row has (if several, in ``Evaluations.objectives``).
    unbounded: whether ``make_host(seed, None)`` works. pickles: True, or the reason why a host does not pickle.
    seeded: True, or the reason why the same seed does not give the same run. smoke_generations: of the sphere run.
    """

    dimension: int = 5
    objectives: int = 1
    unbounded: bool = True
    pickles: bool | str = True
    seeded: bool | str = True
    smoke_generations: int = 60

    def make_host(self, seed: int, bounds: Bounds | None) -> Host:
        """A fresh host over ``dimension`` variables in the box (lower, upper), or without bounds where it is None."""
        raise NotImplementedError("make_host(seed, bounds) must be provided by the subclass")

    def bare_run(self, seed: int, generations: int) -> list[Rows]:
        """The rows of each generation (n, d) of the bare optimizer inside :attr:`box`, on :meth:`objective`.

        Override it with a loop over the optimizer itself: the default only shows that reading a host does not move it.
        """
        return self.drive(self.make_host(seed, self.box), generations)

    @property
    def box(self) -> Bounds:
        return np.full(self.dimension, -4.0), np.full(self.dimension, 5.0)

    def objective(self, X: Rows) -> Vec:
        """A sphere (n,) with its centre off the centre of the box, d·1.44 from zero."""
        return np.asarray(((X - 1.2) ** 2).sum(axis=1))

    def evaluations(self, X: Rows, failed: Mask | None = None) -> Evaluations:
        """:meth:`objective` at the rows; with several objectives, spheres about as many centres."""
        failed = np.zeros(len(X), dtype=bool) if failed is None else failed
        if self.objectives == 1:
            return Evaluations(np.where(failed, np.nan, self.objective(X)), failed)
        values = np.column_stack([self.objective(X + 0.5 * i) for i in range(self.objectives)])
        return Evaluations(np.full(len(X), np.nan), failed, objectives=np.where(failed[:, None], np.nan, values))

    def drive(
        self,
        host: Host,
        generations: int,
        infill: Callable[[Host], Rows] | None = None,
        fails: Callable[[int, Rows], Mask] | None = None,
    ) -> list[Rows]:
        """The rows of each generation, with ``infill(host)`` in its slots and the rows of ``fails(g, X)`` failed."""
        run = []
        for g in range(generations):
            X = host.ask(np.empty((0, self.dimension)) if infill is None else infill(host))
            run.append(X.copy())
            host.tell(X, self.evaluations(X, None if fails is None else fails(g, X)))
        return run

    def near_rows(self, host: Host, k: int) -> Rows:
        """k rows (k, d) half a whitened unit from the host's centre, inside its box."""
        frame = host.frame()
        Z = np.random.default_rng(k).standard_normal((k, self.dimension))
        Z /= 2.0 * np.sqrt((Z**2).sum(axis=1, keepdims=True))
        return np.clip(frame.from_z(Z), frame.lower, frame.upper)

    def one_row(self, host: Host) -> Rows:
        """One infill row where the host has a slot."""
        return self.near_rows(host, min(1, host.slots))

    def inside(self, X: Rows) -> bool:
        lower, upper = self.box
        return bool(np.isfinite(X).all() and (np.clip(X, lower, upper) == X).all())

    def test_it_is_a_host(self) -> None:
        host = self.make_host(1, self.box)
        assert isinstance(host, Host)
        assert host.rows >= 1
        assert 0 <= host.slots <= host.rows
        assert host.stop() == {}

    def test_infill_off_is_the_bare_host_bit_for_bit(self) -> None:
        host = self.make_host(3, self.box)

        def looked_at(host: Host) -> Rows:
            self.near_rows(host, host.slots)
            host.stop()
            return np.empty((0, self.dimension))

        _same(self.drive(host, 8, infill=looked_at), self.bare_run(3, 8))

    def test_infill_never_changes_the_row_count(self) -> None:
        host = self.make_host(4, self.box)
        self.drive(host, 2)
        for k in range(host.slots + 1):
            rows, k = host.rows, min(k, host.slots)
            (X,) = self.drive(host, 1, infill=lambda host, k=k: self.near_rows(host, k))  # type: ignore[misc]
            assert X.shape == (rows, self.dimension)

    def test_infill_rows_come_first(self) -> None:
        host = self.make_host(5, self.box)
        self.drive(host, 3)
        infill = self.near_rows(host, min(2, host.slots))
        X = host.ask(infill)
        np.testing.assert_allclose(X[: len(infill)], infill, rtol=1e-6, atol=1e-8)

    def test_rows_stay_inside_the_bounds(self) -> None:
        lower, upper = self.box

        def corners(host: Host) -> Rows:
            return np.where(np.random.default_rng(1).random((host.slots, self.dimension)) < 0.5, lower, upper)

        assert all(self.inside(X) for X in self.drive(self.make_host(6, self.box), 12, infill=corners))

    def test_arguments_are_not_modified(self) -> None:
        host = self.make_host(7, self.box)
        self.drive(host, 2)
        infill = self.near_rows(host, host.slots)
        given = infill.copy()
        X = host.ask(infill)
        evals, rows = self.evaluations(X), X.copy()
        kept = evals.f.copy()
        host.tell(X, evals)
        self.drive(host, 3)
        np.testing.assert_array_equal(infill, given)
        np.testing.assert_array_equal(X, rows)
        np.testing.assert_array_equal(evals.f, kept)

    def test_the_same_seed_gives_the_same_run(self) -> None:
        if isinstance(self.seeded, str):
            pytest.skip(self.seeded)
        first, second, other = (
            self.drive(self.make_host(seed, self.box), 6, infill=self.one_row) for seed in (8, 8, 9)
        )
        _same(first, second)
        assert not np.array_equal(first[0], other[0])

    def test_numpys_global_random_state_is_untouched(self) -> None:
        before = np.random.get_state(legacy=False)  # noqa: NPY002
        host = self.make_host(10, self.box)
        self.drive(host, 5, infill=self.one_row)
        host.restarted(2.0)
        after = np.random.get_state(legacy=False)  # noqa: NPY002
        np.testing.assert_equal(after, before)

    def test_the_frame_is_read_only(self) -> None:
        host = self.make_host(11, self.box)
        self.drive(host, 2)
        for array in _arrays(host.frame()):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0.0

    def test_a_frame_stays_what_it_was(self) -> None:
        host = self.make_host(12, self.box)
        self.drive(host, 2)
        frame = host.frame()
        before = [array.copy() for array in _arrays(frame)]
        self.drive(host, 6, infill=self.one_row)
        _same(_arrays(frame), before)

    def test_the_frame_maps_there_and_back(self) -> None:
        host = self.make_host(13, self.box)
        for _ in range(3):
            frame = host.frame()
            X = self.drive(host, 1)[0]
            assert frame.sigma > 0
            assert (frame.scale > 0).all()
            assert ((frame.mean >= frame.lower) & (frame.mean <= frame.upper)).all()
            np.testing.assert_allclose(frame.from_z(frame.to_z(X)), X, rtol=1e-9, atol=1e-9)

    def test_whitened_rows_of_a_covariance_host_have_unit_variance(self) -> None:
        host = self.make_host(14, None) if self.unbounded else self.make_host(14, self.box)
        if not host.frame().owns_covariance:
            pytest.skip("the host owns no covariance")
        Z = []
        for _ in range(20):
            frame = host.frame()
            Z.append(frame.to_z(self.drive(host, 1)[0]))
        assert 0.5 < float((np.concatenate(Z) ** 2).mean()) < 1.5

    def test_reshape_keeps_the_trace_and_is_bounded(self) -> None:
        host, reshapable = self._reshapable(15)
        before = host.frame()
        reshapable.reshape(Metric(np.eye(self.dimension, 2), np.array([9.0, 0.1]), 1.0), 0.5)
        C, shaped = _covariance(before), _covariance(host.frame())
        np.testing.assert_allclose(np.trace(shaped), np.trace(C), rtol=1e-9)
        change = before.whiten(before.whiten(shaped).T) / before.sigma**2
        values = np.linalg.eigvalsh((change + change.T) / 2.0)
        assert values.min() > 1.0 / 30.0
        assert values.max() < 30.0
        assert change[0, 0] > change[1, 1]
        assert host.frame().shape_id != before.shape_id or before.basis is None

    def test_reshape_with_no_weight_is_harmless(self) -> None:
        host, reshapable = self._reshapable(16)
        before = _covariance(host.frame())
        reshapable.reshape(Metric(np.eye(self.dimension, 2), np.array([9.0, 0.1]), 1.0), 0.0)
        np.testing.assert_allclose(_covariance(host.frame()), before, rtol=1e-9, atol=1e-12 * np.trace(before))

    def test_extreme_reshapes_stay_positive_definite_and_conditioned(self) -> None:
        host, reshapable = self._reshapable(17)
        metric = Metric(np.eye(self.dimension, 2), np.array([1e12, 1e-12]), 1.0)
        for _ in range(30):
            reshapable.reshape(metric, 0.9)
        values = np.linalg.eigvalsh(_covariance(host.frame()))
        assert values.max() > 0
        assert values.min() > -1e-12 * values.max()
        L = host.frame().color(np.eye(self.dimension))
        assert np.linalg.cond(L) <= 1.1e7
        assert all(self.inside(X) for X in self.drive(host, 2))

    def test_it_pickles_or_says_why_not(self) -> None:
        if isinstance(self.pickles, str):
            pytest.skip(self.pickles)
        host = self.make_host(18, self.box)
        self.drive(host, 4, infill=self.one_row)
        copy = pickle.loads(pickle.dumps(host))
        _same(self.drive(copy, 4, infill=self.one_row), self.drive(host, 4, infill=self.one_row))

    def test_it_survives_failed_rows(self) -> None:
        def some_or_all(g: int, X: Rows) -> Mask:
            return np.ones(len(X), dtype=bool) if g in (0, 3) else np.arange(len(X)) % 3 == g % 3

        host = self.make_host(19, self.box)
        assert all(self.inside(X) for X in self.drive(host, 9, infill=self.one_row, fails=some_or_all))
        assert all(np.isfinite(array).all() for array in _arrays(host.frame())[:2])

    def test_what_a_failed_row_says_is_not_heard(self) -> None:
        quiet, loud = self.make_host(20, self.box), self.make_host(20, self.box)
        for g in range(6):
            X, Y = quiet.ask(np.empty((0, self.dimension))), loud.ask(np.empty((0, self.dimension)))
            np.testing.assert_array_equal(X, Y)
            failed = np.arange(len(X)) % 4 == g % 4
            told = self.evaluations(X, failed)
            F = None if told.objectives is None else np.where(failed[:, None], -1e6, told.objectives)
            quiet.tell(X, told)
            loud.tell(Y, Evaluations(np.where(failed, -1e6, told.f), failed, objectives=F))

    def test_failed_rows_do_not_attract(self) -> None:
        host = self.make_host(21, self.box)
        run = self.drive(host, 30, fails=lambda _, X: X[:, 0] > 0.0)
        assert np.mean([(X[:, 0] > 0.0).mean() for X in run[20:]]) < 0.9

    def test_huge_values_are_survived(self) -> None:
        host = self.make_host(22, self.box)
        for _ in range(5):
            X = host.ask(self.one_row(host))
            told = self.evaluations(X)
            sign = np.where(np.arange(len(X)) % 2, 1e300, -1e300)
            F = None if told.objectives is None else np.repeat(sign[:, None], self.objectives, axis=1)
            host.tell(X, Evaluations(sign if F is None else told.f, told.failed, objectives=F))
            assert self.inside(X)
        assert np.isfinite(host.frame().mean).all()

    def test_a_restart_is_a_fresh_host_or_none(self) -> None:
        host, twin = self.make_host(23, self.box), self.make_host(23, self.box)
        self.drive(host, 3)
        fresh = host.restarted(2.0)
        self.drive(twin, 3)
        _same(self.drive(host, 3), self.drive(twin, 3))
        if fresh is not None:
            assert fresh.rows >= host.rows
            assert all(self.inside(X) for X in self.drive(fresh, 2))

    def test_rows_may_be_told_late_where_the_host_says_so(self) -> None:
        """A third of every generation comes one generation late, mixed with the next; two asks come before a tell."""
        host = self.make_host(1, self.box)
        if not isinstance(host, LateTells) or not host.late:
            pytest.skip("this host is told of whole generations only")
        rng = np.random.default_rng(1)
        out: list[tuple[int, Vec]] = []
        asked, best = 0, list[float]()
        for g in range(self.smoke_generations):
            for _ in range(2 if g == 0 else 1):
                X = host.ask(self.one_row(host))
                assert self.inside(X)
                out += list(enumerate(X, start=asked))
                asked += len(X)
            late = len(X) // 3
            chosen = [out.pop(int(i)) for i in sorted(rng.choice(len(out) - late, len(X), replace=False), reverse=True)]
            rows = np.array([x for _, x in chosen])
            evals = self.evaluations(rows, rng.random(len(rows)) < 0.1)
            host.tell_late(rows, evals, np.array([number for number, _ in chosen]))
            best.append(float(self.objective(rows).min()))
        assert min(best) < 0.5 * best[0]

    def test_it_improves_on_a_sphere(self) -> None:
        run = self.drive(self.make_host(24, self.box), self.smoke_generations)
        first, last = (min(float(self.objective(X).min()) for X in part) for part in (run[:1], run[1:]))
        assert last < 0.5 * first

    def _reshapable(self, seed: int) -> tuple[Host, Reshapable]:
        """A host some generations into a run, its frame up to date; skips where it says that it owns no covariance.

        A host that decomposes lazily shows an older shape: Eq. 3 with T = I changes nothing and makes it decompose.
        """
        host = self.make_host(seed, self.box)
        self.drive(host, 4)
        if not host.frame().owns_covariance:
            pytest.skip("the host owns no covariance")
        assert isinstance(host, Reshapable)
        host.reshape(Metric(np.eye(self.dimension, 1), np.ones(1), 1.0), 0.5)
        return host, host


def _arrays(frame: Frame) -> list[Vec]:
    fields = (frame.mean, frame.scale, frame.lower, frame.upper, frame.basis, frame.roots)
    return [array for array in fields if array is not None]


def _covariance(frame: Frame) -> Rows:
    """``sigma² L Lᵀ`` (d, d)."""
    Lt = frame.sigma * frame.color(np.eye(frame.d))
    return np.asarray(Lt.T @ Lt)


def _same(first: list[Rows], second: list[Rows]) -> None:
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
