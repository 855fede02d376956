"""Differential evolution: the contract, its formulas against a naive loop, bounds, selection, stopping."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.errors import HostError, InputError
from janusopt.hosts.de import STRATEGIES, DEHost, default_popsize, donors
from janusopt.testing import Bounds, HostConformance

NONE = np.empty((0, 5))


def make(seed: int = 1, d: int = 5, half: float = 5.0, **options: object) -> DEHost:
    return DEHost(np.zeros(d), np.ones(d), np.full(d, -half), np.full(d, half), seed=seed, **options)  # type: ignore[arg-type]


def evaluated(f: Vec) -> Evaluations:
    return Evaluations(f, np.isnan(f))


def sphere(X: Rows) -> Evaluations:
    return evaluated(((X - 1.0) ** 2).sum(axis=1))


def begun(**options: object) -> DEHost:
    host = make(**options)  # type: ignore[arg-type]
    X = host.ask(np.empty((0, host.frame().d)))
    host.tell(X, sphere(X))
    return host


class DEConformance(HostConformance):
    strategy = "rand/1/bin"

    def make_host(self, seed: int, bounds: Bounds | None) -> DEHost:
        d = self.dimension
        lower, upper = bounds if bounds is not None else (np.full(d, -np.inf), np.full(d, np.inf))
        return DEHost(np.zeros(d), np.ones(d), lower, upper, seed=seed, popsize=20, strategy=self.strategy)

    def bare_run(self, seed: int, generations: int) -> list[Rows]:
        """The textbook loop over the naive twin."""
        lower, upper = self.box
        host = self.make_host(seed, self.box)
        rng, X = host._rng, host._X.copy()
        f = self.objective(X)
        run = [X.copy()]
        for _ in range(generations - 1):
            U = naive_trials(X, f, rng, self.strategy, 0.5, 0.9, lower, upper)
            values = self.objective(U)
            for i in range(len(X)):
                if values[i] <= f[i]:
                    X[i], f[i] = U[i], values[i]
            run.append(U)
        return run


class TestRandOne(DEConformance):
    strategy = "rand/1/bin"


class TestCurrentToBest(DEConformance):
    strategy = "current-to-best/1/bin"


def naive_trials(
    X: Rows, f: Vec, rng: np.random.Generator, strategy: str, F: float, CR: float, lower: Vec, upper: Vec
) -> Rows:
    """One coordinate at a time, from the same draws in the same order."""
    n, d = X.shape
    count = 3 if strategy == "rand/1/bin" else 2
    picks = rng.integers(0, [n - 1 - c for c in range(count)], size=(n, count))
    cross, forced, share = rng.random((n, d)), rng.integers(d, size=n), rng.random((n, d))
    best = X[int(np.argmin(f))]
    U = np.empty_like(X)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        r = [others.pop(pick) for pick in picks[i]]
        for j in range(d):
            if strategy == "rand/1/bin":
                v = X[r[0], j] + F * (X[r[1], j] - X[r[2], j])
            else:
                v = X[i, j] + F * (best[j] - X[i, j]) + F * (X[r[0], j] - X[r[1], j])
            u = v if cross[i, j] < CR or j == forced[i] else X[i, j]
            if u < lower[j]:
                u = lower[j] + share[i, j] * (X[i, j] - lower[j])
            elif u > upper[j]:
                u = upper[j] + share[i, j] * (X[i, j] - upper[j])
            U[i, j] = u
    return U


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("half", [5.0, 0.7])
def test_trials_equal_the_naive_loop(strategy: str, half: float) -> None:
    host = begun(strategy=strategy, F=0.8, CR=0.6, popsize=12, half=half)
    for _ in range(5):
        rng = copy.deepcopy(host._rng)
        assert host._f is not None
        expected = naive_trials(host._X, host._f, rng, strategy, 0.8, 0.6, host._lower, host._upper)
        X = host.ask(NONE)
        np.testing.assert_array_equal(X, expected)
        host.tell(X, sphere(X))


@pytest.mark.parametrize("n", [4, 5, 30])
def test_donors_are_distinct_and_never_the_member_itself(n: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        together = np.column_stack([np.arange(n), donors(n, 3, rng)])
        assert all(len(set(row)) == 4 for row in together.tolist())
        assert together.min() >= 0
        assert together.max() < n


def test_donors_are_equally_likely() -> None:
    rng = np.random.default_rng(0)
    drawn = np.array([donors(5, 3, rng)[2] for _ in range(6000)])
    for column in drawn.T:
        counts = np.bincount(column, minlength=5)
        assert counts[2] == 0
        assert np.abs(np.delete(counts, 2) - 1500).max() < 200


def test_infill_does_not_move_the_hosts_stream() -> None:
    bare, filled = begun(), begun()
    X, Y = bare.ask(NONE), filled.ask(np.zeros((3, 5)))
    np.testing.assert_array_equal(Y[:3], np.zeros((3, 5)))
    np.testing.assert_array_equal(Y[3:], X[3:])
    assert bare._rng.bit_generator.state == filled._rng.bit_generator.state


def test_infill_takes_parents_in_turn() -> None:
    host = begun(popsize=5)
    seen = []
    for _ in range(5):
        X = host.ask(np.zeros((2, 5)))
        assert host._rivals is not None
        assert sorted(host._rivals) == list(range(5))
        seen += host._rivals[:2].tolist()
        host.tell(X, evaluated(np.full(5, 1e9)))
    assert seen == [0, 1, 2, 3, 4] * 2


def test_a_good_infill_row_replaces_its_rival_and_a_bad_one_does_not() -> None:
    host = begun()
    far = np.array([5.0, -5.0, 5.0, -5.0, 5.0])
    X = host.ask(far[None])
    f = np.full(len(X), 1e9)
    f[0] = -1.0
    before = host._X.copy()
    host.tell(X, evaluated(f))
    np.testing.assert_array_equal(host._X[0], far)
    np.testing.assert_array_equal(host._X[1:], before[1:])


def test_rows_that_resemble_a_member_compete_with_that_one_and_the_best_of_them_stays() -> None:
    host = begun()
    before = host._X.copy()
    X = host.ask(before[7] + 1e-3 * np.arange(1, 4)[:, None])
    f = np.full(len(X), 1e9)
    f[:3] = -1.0, -3.0, -2.0
    host.tell(X, evaluated(f))
    np.testing.assert_array_equal(host._X[7], X[1])
    np.testing.assert_array_equal(np.delete(host._X, 7, axis=0), np.delete(before, 7, axis=0))


@pytest.mark.parametrize("late", [False, True])
def test_where_components_are_seen_rows_compete_in_turn(late: bool) -> None:
    host = begun()
    numbers = host._asked + np.arange(len(X := host.ask(NONE)))
    evals = Evaluations(np.full(len(X), 1e9), np.zeros(len(X), dtype=bool), components=np.ones((len(X), 2)))
    if late:
        host.tell_late(X, evals, numbers)
    else:
        host.tell(X, evals)
    host.ask(host._X[[7, 7]])
    assert host._rivals is not None
    assert host._rivals[:2].tolist() == [0, 1]


def test_a_failed_row_never_replaces_a_parent() -> None:
    host = begun()
    before = host._X.copy()
    X = host.ask(NONE)
    host.tell(X, Evaluations(np.full(len(X), -1e9), np.ones(len(X), dtype=bool)))
    np.testing.assert_array_equal(host._X, before)


def test_a_failed_first_row_loses_to_any_value() -> None:
    host = make()
    X = host.ask(NONE)
    host.tell(X, evaluated(np.full(len(X), np.nan)))
    X = host.ask(NONE)
    host.tell(X, evaluated(np.full(len(X), 1e300)))
    np.testing.assert_array_equal(host._X, X)


def test_the_first_generation_holds_no_infill_and_is_a_latin_hypercube() -> None:
    host = make(popsize=10)
    assert host.slots == 0
    with pytest.raises(HostError, match="at most 0 infill rows"):
        host.ask(np.zeros((1, 5)))
    cells = np.floor(host.ask(NONE) + 5.0).astype(int)
    assert all(sorted(column) == list(range(10)) for column in cells.T.tolist())


def test_a_normal_start_holds_x0_and_lies_about_it() -> None:
    x0 = np.full(200, 2.0)
    host = DEHost(x0, np.full(200, 0.1), np.full(200, -5.0), np.full(200, 5.0), seed=1, start="normal")
    X = host.ask(np.empty((0, 200)))
    np.testing.assert_array_equal(X[0], x0)
    assert 0.09 < (X[1:] - x0).std() < 0.11


def test_open_sides_start_about_x0_and_stay_open() -> None:
    lower, upper = np.array([-np.inf, 0.0, -1.0]), np.array([np.inf, np.inf, 1.0])
    host = DEHost(np.array([50.0, 0.5, 0.0]), np.ones(3), lower, upper, seed=2)
    for _ in range(150):
        X = host.ask(np.empty((0, 3)))
        np.testing.assert_array_equal(np.clip(X, lower, upper), X)
        host.tell(X, evaluated(((X - np.array([55.0, -3.0, 9.0])) ** 2).sum(axis=1)))
    np.testing.assert_allclose(host.frame().mean, [55.0, 0.0, 1.0], atol=0.1)


def test_the_frame_is_the_populations_centre_and_spread() -> None:
    host = begun()
    frame = host.frame()
    np.testing.assert_allclose(frame.mean, host._X.mean(axis=0))
    np.testing.assert_allclose(frame.to_z(host._X).std(axis=0), 1.0)
    assert not frame.owns_covariance


def test_a_collapsed_population_stops_and_its_frame_stays_positive() -> None:
    host = make(popsize=20)
    generations = 0
    while not host.stop() and generations < 2000:
        X = host.ask(NONE)
        host.tell(X, sphere(X))
        generations += 1
    assert "collapsed" in host.stop()
    assert (host.frame().scale > 0).all()
    np.testing.assert_allclose(host.frame().mean, 1.0, atol=1e-6)


def test_a_restart_is_larger_and_starts_elsewhere() -> None:
    host = begun(popsize=10)
    first, second = host.restarted(2.0), host.restarted(2.0)
    assert first.rows == second.rows == 20
    assert not np.array_equal(first.ask(NONE), second.ask(NONE))


@pytest.mark.parametrize("d", [1, 2])
def test_very_few_variables_work(d: int) -> None:
    host = begun(d=d)
    for _ in range(40):
        X = host.ask(np.zeros((1, d)))
        host.tell(X, sphere(X))
    assert sphere(host._X).f.min() < 1e-2


def test_the_default_population_leaves_generations_at_20000_evaluations() -> None:
    assert [default_popsize(d, "rand/1/bin") for d in (1, 2, 10, 1000)] == [20, 40, 40, 40]
    assert default_popsize(1000, "current-to-best/1/bin") == 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"popsize": 3}, "popsize must be at least 4"),
        ({"strategy": "best/2/exp"}, "strategy must be one of"),
        ({"start": "sobol"}, "start must be one of"),
        ({"F": 0.0}, "F must be in"),
        ({"CR": 1.5}, "CR must be in"),
        ({"F": float("nan")}, "F must be in"),
    ],
)
def test_a_wrong_option_says_what_was_expected(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(**options)  # type: ignore[arg-type]


def test_a_run_costs_popsize_evaluations_a_generation_with_or_without_infill() -> None:
    for k in (0, 4):
        host, spent = make(popsize=12), 0
        for _ in range(7):
            X = host.ask(np.zeros((min(k, host.slots), 5)))
            host.tell(X, sphere(X))
            spent += len(X)
        assert spent == 7 * 12


def test_tell_wants_the_rows_of_ask() -> None:
    host = begun()
    with pytest.raises(HostError, match="tell without an ask"):
        host.tell(np.zeros((2, 5)), sphere(np.zeros((2, 5))))
    X = host.ask(NONE)
    with pytest.raises(HostError, match="expected the 40 rows of ask, got 39"):
        host.tell(X[1:], sphere(X[1:]))
    host.tell(X, sphere(X))
