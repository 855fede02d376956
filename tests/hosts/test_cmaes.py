"""CyberAgent's cmaes behind the contract."""

from __future__ import annotations

import sys

import cmaes
import numpy as np
import pytest

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.metric import Metric
from janusopt.errors import HostError, InputError, MissingExtraError
from janusopt.hosts.cmaes import CmaesHost
from janusopt.testing import Bounds, HostConformance


def make(d: int = 5, seed: int = 1, half: float = 5.0, **options: object) -> CmaesHost:
    return CmaesHost(np.zeros(d), np.ones(d), np.full(d, -half), np.full(d, half), seed=seed, **options)  # type: ignore[arg-type]


def sphere(X: Rows) -> Evaluations:
    return Evaluations(((X - 1.0) ** 2).sum(axis=1), np.zeros(len(X), dtype=bool))


def advanced(host: CmaesHost, generations: int = 5) -> CmaesHost:
    for _ in range(generations):
        X = host.ask(np.empty((0, host.frame().d)))
        host.tell(X, sphere(X))
    return host


class TestCmaesHost(HostConformance):
    def make_host(self, seed: int, bounds: Bounds | None) -> CmaesHost:
        d = self.dimension
        lower, upper = bounds if bounds is not None else (np.full(d, -np.inf), np.full(d, np.inf))
        return CmaesHost(np.zeros(d), np.full(d, 1.5), lower, upper, seed=seed)

    def bare_run(self, seed: int, generations: int) -> list[Rows]:
        """``cmaes.CMA`` as its own documentation drives it."""
        optimizer = cmaes.CMA(mean=np.zeros(self.dimension), sigma=1.5, bounds=np.column_stack(self.box), seed=seed)
        run = []
        for _ in range(generations):
            X = np.array([optimizer.ask() for _ in range(optimizer.population_size)])
            optimizer.tell([(x, float(f)) for x, f in zip(X, self.objective(X), strict=True)])
            run.append(X)
        return run


def test_a_far_infill_row_is_clipped_before_it_is_evaluated() -> None:
    host = advanced(make(half=1e6))
    frame, sigma = host.frame(), host.frame().sigma
    X = host.ask(np.full((1, 5), 1e5))
    assert frame.length(X[0]) <= frame.reach * np.sqrt(5) * (1 + 1e-9)
    f = sphere(X).f
    f[0] = -1e9
    host.tell(X, Evaluations(f, np.zeros(len(X), dtype=bool)))
    assert host.frame().sigma < 3.0 * sigma


def test_infill_does_not_move_the_hosts_stream() -> None:
    bare, filled = advanced(make()), advanced(make())
    X, Y = bare.ask(np.empty((0, 5))), filled.ask(filled.frame().mean[None, :].copy())
    np.testing.assert_array_equal(X[1:], Y[1:])
    assert not np.array_equal(X[0], Y[0])


def test_each_coordinate_starts_with_its_own_deviation() -> None:
    sigma0 = np.array([0.1, 1.0, 10.0])
    host = CmaesHost(np.zeros(3), sigma0, np.full(3, -np.inf), np.full(3, np.inf), seed=1)
    frame = host.frame().axes()
    np.testing.assert_allclose(frame.sigma * frame.scale, sigma0)


def test_the_frame_is_the_strategys_own_distribution() -> None:
    host = advanced(make(), 20)
    frame = host.frame()
    Lt = frame.color(np.eye(5))
    np.testing.assert_allclose(Lt.T @ Lt, host._cma._C, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(frame.mean, host._cma.mean)
    assert frame.owns_covariance


def test_the_shape_is_new_exactly_when_the_covariance_is() -> None:
    host = advanced(make())
    first, again = host.frame().shape_id, host.frame().shape_id
    assert first == again
    assert advanced(host, 1).frame().shape_id != first


def test_reshape_is_equation_3_and_leaves_the_caches_consistent() -> None:
    host = advanced(make(), 10)
    frame, C = host.frame(), host._cma._C.copy()
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((5, 2)))[0]
    metric = Metric(V, np.array([3.0, 0.5]), 1.5)
    host.reshape(metric, 0.3)
    T = metric.rest * np.eye(5) + (V * (metric.values - metric.rest)) @ V.T
    Lt = frame.color(np.eye(5))
    expected = Lt.T @ (0.7 * np.eye(5) + 0.3 * 5 / np.trace(T) * T) @ Lt
    expected *= np.trace(C) / np.trace(expected)
    cma = host._cma
    np.testing.assert_allclose(cma._C, expected, rtol=1e-9, atol=1e-12)
    assert cma._B is not None
    assert cma._D is not None
    np.testing.assert_allclose((cma._B * cma._D**2) @ cma._B.T, cma._C, rtol=1e-9, atol=1e-12)
    advanced(host, 3)


def test_a_generation_without_a_good_row_changes_nothing() -> None:
    host = advanced(make())
    before = host.frame()
    X = host.ask(np.empty((0, 5)))
    host.tell(X, Evaluations(np.full(len(X), np.nan), np.ones(len(X), dtype=bool)))
    np.testing.assert_array_equal(host.frame().mean, before.mean)
    assert host.frame().sigma == before.sigma


def test_a_failed_row_is_ranked_last() -> None:
    told: list[list[float]] = []
    host = make()
    tell = host._cma.tell
    host._cma.tell = lambda solutions: (told.append([f for _, f in solutions]), tell(solutions))  # type: ignore[method-assign,assignment,func-returns-value]
    X = host.ask(np.empty((0, 5)))
    f = sphere(X).f
    f[0] = np.nan
    host.tell(X, Evaluations(f, np.isnan(f)))
    assert told[0][0] == max(told[0]) > max(told[0][1:])


def test_a_large_box_does_not_stop_it_at_once() -> None:
    host = CmaesHost(np.zeros(3), np.full(3, 1e6), np.full(3, -5e6), np.full(3, 5e6), seed=1)
    assert advanced(host, 3).stop() == {}


def test_it_stops_when_it_has_converged() -> None:
    host = make()
    for _ in range(2000):
        if host.stop():
            break
        advanced(host, 1)
    assert "should_stop" in host.stop()


def test_one_variable_works() -> None:
    host = advanced(make(d=1), 40)
    np.testing.assert_allclose(host.frame().mean, 1.0, atol=1e-3)


def test_too_many_infill_rows_are_refused() -> None:
    host = make()
    with pytest.raises(HostError, match="at most 4 infill rows"):
        host.ask(np.zeros((5, 5)))


def test_tell_wants_the_rows_of_ask() -> None:
    host = make()
    X = host.ask(np.empty((0, 5)))
    with pytest.raises(HostError, match="expected the 8 rows of the last ask, got 7"):
        host.tell(X[1:], sphere(X[1:]))


def test_a_tiny_population_is_refused() -> None:
    with pytest.raises(InputError, match="popsize must be at least 4"):
        make(popsize=3)


def test_an_unknown_cmaes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(cmaes.CMA, "_eigen_decomposition")
    with pytest.raises(HostError, match=r"expected to have _eigen_decomposition, as in cmaes 0\.13\.1"):
        make()


def test_without_cmaes_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(MissingExtraError, match=r"janusopt\[cmaes\]"):
        make()
