"""Any ask/tell object: each style of asking and telling, and nevergrad."""

from __future__ import annotations

import random
from typing import Any

import cma
import cmaes
import nevergrad as ng
import numpy as np
import pytest

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.errors import HostError, InputError
from janusopt.hosts.ask_tell import AskTell
from janusopt.testing import Bounds, HostConformance

NONE = np.empty((0, 3))


class Toy:
    """A (μ, λ) strategy in plain Python: lists of floats, one candidate at a time."""

    popsize = 10

    def __init__(self, d: int, seed: int, lower: float = -np.inf, upper: float = np.inf) -> None:
        self.rng, self.mean, self.sigma = random.Random(seed), [0.0] * d, 1.0
        self.box, self.told = (lower, upper), []  # type: ignore[var-annotated]

    def ask(self) -> list[float]:
        lower, upper = self.box
        return [min(max(m + self.sigma * self.rng.gauss(0.0, 1.0), lower), upper) for m in self.mean]

    def tell(self, x: list[float], f: float) -> None:
        self.told.append((f, list(x)))
        if len(self.told) >= self.popsize:
            best = [x for _, x in sorted(self.told)[: self.popsize // 3]]
            self.mean = [sum(column) / len(best) for column in zip(*best, strict=True)]
            self.told, self.sigma = [], 0.95 * self.sigma


class BatchToy(Toy):
    """The same, a batch of arrays at a time."""

    def ask(self) -> Any:
        return np.array([Toy.ask(self) for _ in range(self.popsize)])

    def tell(self, X: Any, f: Any) -> None:
        assert isinstance(X, np.ndarray)
        assert isinstance(f, np.ndarray)
        for x, value in zip(X.tolist(), f.tolist(), strict=True):
            Toy.tell(self, x, value)


class CountToy(BatchToy):
    """As many as asked for, told as pairs."""

    def ask(self, count: int) -> Any:  # type: ignore[override]
        return [np.array(Toy.ask(self)) for _ in range(count)]

    def tell(self, pairs: Any) -> None:  # type: ignore[override]
        for x, value in pairs:
            Toy.tell(self, x.tolist(), value)


class Loop(HostConformance):
    """Conformance of a host around :attr:`toy`, against the toy's own loop."""

    toy: type[Toy] = Toy

    def make_host(self, seed: int, bounds: Bounds | None) -> AskTell:
        lower, upper = bounds if bounds is not None else (np.full(5, -np.inf), np.full(5, np.inf))
        return AskTell(self.toy(5, seed, lower[0], upper[0]), lower, upper)

    def bare_run(self, seed: int, generations: int) -> list[Rows]:
        toy = Toy(5, seed, -4.0, 5.0)
        run = []
        for _ in range(generations):
            rows = [toy.ask() for _ in range(toy.popsize)]
            run.append(np.array(rows))
            for x, f in zip(rows, self.objective(run[-1]).tolist(), strict=True):
                toy.tell(x, f)
        return run


class TestOneAtATime(Loop):
    toy = Toy


class TestBatch(Loop):
    toy = BatchToy


class TestCountAndPairs(Loop):
    toy = CountToy


def nevergrad_optimizer(name: str, seed: int, bounds: Bounds | None, d: int = 5, workers: int = 10) -> Any:
    array = ng.p.Array(init=np.zeros(d))
    array.random_state = np.random.RandomState(seed)
    if bounds is not None:
        array = array.set_bounds(*bounds)
    return ng.optimizers.registry[name](parametrization=array, budget=2000, num_workers=workers)


class NevergradLoop(HostConformance):
    name = "DE"
    smoke_generations = 100

    def make_host(self, seed: int, bounds: Bounds | None) -> AskTell:
        return AskTell.nevergrad(nevergrad_optimizer(self.name, seed, bounds))

    def bare_run(self, seed: int, generations: int) -> list[Rows]:
        optimizer = nevergrad_optimizer(self.name, seed, self.box)
        run = []
        for _ in range(generations):
            asked = [optimizer.ask() for _ in range(optimizer.num_workers)]
            run.append(np.array([candidate.value for candidate in asked]))
            for candidate, loss in zip(asked, self.objective(run[-1]), strict=True):
                optimizer.tell(candidate, float(loss))
        return run


class TestNevergradDE(NevergradLoop):
    name = "DE"


class TestNevergradCMA(NevergradLoop):
    name = "CMA"


class TestNevergradOnePlusOne(NevergradLoop):
    name = "OnePlusOne"


def evaluated(X: Rows, f: Any = None) -> Evaluations:
    f = ((X - 1.0) ** 2).sum(axis=1) if f is None else np.asarray(f, dtype=float)
    return Evaluations(f, np.isnan(f))


def box(d: int = 3) -> tuple[Rows, Rows]:
    return np.full(d, -5.0), np.full(d, 5.0)


def test_pycma_and_cmaes_are_detected_by_their_signatures() -> None:
    es = cma.CMAEvolutionStrategy(
        [0.0] * 3, 1.0, {"seed": np.nan, "verbose": -9, "randn": lambda *s: np.random.default_rng(1).standard_normal(s)}
    )
    for optimizer, ask, tell in ((es, "batch", "batch"), (cmaes.CMA(np.zeros(3), 1.0, seed=1), "one", "pairs")):
        host = AskTell(optimizer, *box())
        for _ in range(3):
            X = host.ask(np.zeros((1, 3)) if host.slots else NONE)
            assert len(X) == host.rows == 7
            host.tell(X, evaluated(X))
        assert (host._ask, host._tell) == (ask, tell)


def test_a_style_can_be_named() -> None:
    host = AskTell(Toy(3, 1), *box(), rows=4, ask="one", tell="one")
    assert host.ask(NONE).shape == (4, 3)


def test_the_first_answer_is_used_while_the_style_is_found() -> None:
    np.testing.assert_array_equal(AskTell(Toy(3, 1), *box()).ask(NONE)[0], Toy(3, 1).ask())


def test_a_row_outside_the_box_is_evaluated_on_its_edge_and_told_as_asked() -> None:
    toy, asked = Toy(3, 1), Toy(3, 1)
    toy.mean, asked.mean = [9.0] * 3, [9.0] * 3
    toy.popsize = 99
    host = AskTell(toy, *box(), rows=4)
    X = host.ask(NONE)
    np.testing.assert_array_equal(X, np.full((4, 3), 5.0))
    host.tell(X, evaluated(X))
    assert [x for _, x in toy.told] == [asked.ask() for _ in range(4)]


def test_infill_rows_are_told_in_place_of_asked_ones() -> None:
    toy = Toy(3, 1)
    host = AskTell(toy, *box(), rows=10)
    X = host.ask(NONE)
    host.tell(X, evaluated(X))
    toy.popsize = 99
    X = host.ask(np.full((2, 3), 0.25))
    host.tell(X, evaluated(X))
    assert [list(x) for _, x in toy.told[:2]] == [[0.25] * 3] * 2
    np.testing.assert_array_equal([x for _, x in toy.told], X)


def test_failed_rows_are_told_the_worst_even_before_anything_succeeds() -> None:
    toy = Toy(3, 1)
    toy.popsize = 99
    host = AskTell(toy, *box(), rows=3)
    for f in ([np.nan] * 3, [5.0, np.nan, 1.0], [np.nan, 2.0, 3.0], [np.nan] * 3):
        X = host.ask(NONE)
        host.tell(X, evaluated(X, f))
    told = [f for f, _ in toy.told]
    assert min(told[:3]) >= 1e300
    assert told[4] > 5.0
    assert told[6] > 5.0
    assert min(told[9:]) > 5.0


def test_the_frame_is_the_better_half_and_the_spread_of_the_objects_own_rows() -> None:
    host = AskTell(BatchToy(3, 1), *box())
    np.testing.assert_allclose(host.frame().scale, 10.0 / np.sqrt(12.0))
    X = host.ask(NONE)
    host.tell(X, evaluated(X))
    better = X[np.argsort(evaluated(X).f)[:5]]
    np.testing.assert_allclose(host.frame().mean, better.mean(axis=0))
    np.testing.assert_allclose(host.frame().scale, X.std(axis=0))
    host.ask(np.full((5, 3), 5.0))
    assert (host._own < 5.0).all()


def test_stop_and_restart_are_what_the_user_passes() -> None:
    toy = Toy(3, 1)
    plain = AskTell(toy, *box())
    assert plain.stop() == {}
    assert plain.restarted(2.0) is None
    host = AskTell(toy, *box(), rows=6, stop=lambda: toy.sigma < 2.0, restart=lambda factor: Toy(3, 2))
    fresh = host.restarted(2.0)
    assert host.stop() == {"stop": True}
    assert fresh is not None
    assert fresh.rows == 12
    assert AskTell(toy, *box(), stop=lambda: {"tolx": 1e-9}).stop() == {"tolx": 1e-9}


def test_nevergrad_knows_of_the_infill_points() -> None:
    optimizer = nevergrad_optimizer("DE", 1, (np.full(5, -4.0), np.full(5, 5.0)))
    host = AskTell.nevergrad(optimizer)
    X = host.ask(np.empty((0, 5)))
    host.tell(X, evaluated(X))
    X = host.ask(np.ones((1, 5)))
    host.tell(X, evaluated(X))
    assert optimizer.num_tell_not_asked == 1
    np.testing.assert_allclose(optimizer.recommend().value, np.ones(5))


def test_nevergrad_without_a_vector_is_refused() -> None:
    optimizer = ng.optimizers.OnePlusOne(ng.p.Instrumentation(ng.p.Scalar()), budget=10)
    with pytest.raises(InputError, match=r"expected a nevergrad parametrization ng.p.Array\(shape=\(d,\)\), got"):
        AskTell.nevergrad(optimizer)


@pytest.mark.parametrize(
    ("optimizer", "options", "message"),
    [
        (object(), {}, "expected an object with ask and tell, got object"),
        (Toy(3, 1), {"ask": "many"}, "ask must be one of"),
        (Toy(3, 1), {"tell": "many"}, "tell must be one of"),
        (Toy(3, 1), {"rows": 0}, "rows must be at least 1, got 0"),
    ],
)
def test_a_wrong_argument_says_what_was_expected(optimizer: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AskTell(optimizer, *box(), **options)


def test_an_object_without_a_size_wants_rows() -> None:
    class Sizeless:
        ask = tell = lambda self: None

    with pytest.raises(InputError, match="pass rows= to say how many"):
        AskTell(Sizeless(), *box())


def test_candidates_of_another_length_are_refused() -> None:
    with pytest.raises(HostError, match="expected candidates with 3 coordinates"):
        AskTell(Toy(4, 1), *box()).ask(NONE)


def test_tell_wants_the_rows_of_ask() -> None:
    host = AskTell(Toy(3, 1), *box())
    with pytest.raises(HostError, match="expected the 0 rows of ask, got 2"):
        host.tell(np.zeros((2, 3)), evaluated(np.zeros((2, 3))))
