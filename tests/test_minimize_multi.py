"""The front door for several objectives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("pymoo")

from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.util.ref_dirs import get_reference_directions

from janusopt.core.dominance import nondominated
from janusopt.doors.minimize_multi import minimize_multi
from janusopt.errors import EvaluationError, InputError
from janusopt.hosts.pymoo import PymooHost
from janusopt.infills import PARETO_NAMES
from janusopt.pareto import ParetoConfig, ParetoJanus

BOX = [(-1.0, 2.0)] * 5
NAMES = ["sms-emoa", "age-moea2", "nsga2", "nsga3", "moead", "rvea", "spea2"]


def spheres(x):
    return np.array([np.sum(x**2), np.sum((x - 1.0) ** 2)])


def many(X):
    return np.column_stack([(X**2).sum(axis=1), ((X - 1.0) ** 2).sum(axis=1)])


def constrained(x):
    return spheres(x), np.array([0.3 - x[0], x[1] - 0.9])


def run(fun=spheres, **given):
    return minimize_multi(fun, **({"bounds": BOX, "budget": 240, "popsize": 20, "rng": 1} | given))


@pytest.mark.parametrize("host", NAMES)
@pytest.mark.parametrize("infill", ["janus", None])
def test_every_named_host_returns_a_front(host, infill):
    result = run(host=host, infill=infill, n_obj=2)
    assert result.success
    assert result.X.shape == (len(result.F), 5)
    assert nondominated(result.F).all()
    assert ((result.X >= -1.0) & (result.X <= 2.0)).all()
    np.testing.assert_allclose(result.F, many(result.X))
    assert 200 <= result.nfev <= 240
    assert set(result.janus["seconds"]) == {"host", "infill", "evaluation"}


@pytest.mark.parametrize("budget", [20, 21, 59, 240])
def test_the_budget_is_exact(budget):
    calls = []
    result = run(lambda x: calls.append(1) or spheres(x), budget=budget)
    assert result.nfev == budget == len(calls)
    assert result.status == 0


def test_a_bare_run_is_the_bare_host():
    result = run(infill=None, host=NSGA2(pop_size=20), popsize=None)
    off = run(infill=ParetoJanus(fraction=0.0), host="nsga2")
    np.testing.assert_array_equal(result.X, off.X)
    assert result.janus["sources"] == {}


def test_the_same_rng_gives_the_same_run_and_another_another():
    first, second, other = (run(rng=rng) for rng in (1, 1, 2))
    np.testing.assert_array_equal(first.X, second.X)
    assert not np.array_equal(first.X[:1], other.X[:1])


@pytest.mark.parametrize(
    "infill", [*PARETO_NAMES, ParetoConfig(fraction=0.5), ParetoConfig(edge="reflect", sources=("cmix",))]
)
def test_every_named_infill_runs(infill):
    result = run(infill=infill, budget=400)
    assert result.success
    proposed = sum(source["proposed"] for source in result.janus["sources"].values())
    assert (proposed > 0) == (infill != "none")


def test_the_number_of_objectives_need_not_be_told():
    given, read = run(n_obj=2), run()
    np.testing.assert_array_equal(given.X, read.X)
    three = run(lambda x: [*spheres(x), x[0]])
    assert three.F.shape[1] == 3
    directions = get_reference_directions("das-dennis", 3, n_partitions=4)
    by_directions = run(lambda x: [*spheres(x), x[0]], host=NSGA3(directions), popsize=None)
    assert by_directions.F.shape[1] == 3


def test_vectorized_and_executor_give_the_same_run():
    plain, batch = run(), run(many, vectorized=True)
    np.testing.assert_allclose(plain.X, batch.X)
    with ThreadPoolExecutor(2) as pool:
        np.testing.assert_array_equal(run(executor=pool).X, plain.X)


def test_constraints_are_kept():
    result = run(constrained, budget=600)
    assert result.success
    assert (result.X[:, 0] >= 0.3).all()
    assert (result.X[:, 1] <= 0.9).all()


def test_nothing_feasible_is_no_success():
    result = run(lambda x: (spheres(x), [1.0]))
    assert not result.success
    assert result.X.shape == (0, 5)
    assert result.F.shape == (0, 2)
    assert "no feasible row" in result.message


def test_hypervolume_on_request():
    pytest.importorskip("moocore")
    from janusopt.volume import hypervolume

    result = run(hypervolume_ref=(6.0, 6.0))
    assert result.hypervolume == pytest.approx(hypervolume(result.F, [6.0, 6.0]))
    assert 0.0 < result.hypervolume < 36.0
    assert "hypervolume" not in run()
    assert hypervolume(np.empty((0, 2)), [1.0, 1.0]) == 0.0
    assert hypervolume([[2.0, 0.0]], [1.0, 1.0]) == 0.0
    assert hypervolume([[0.0, 0.5], [2.0, 0.0]], [1.0, 1.0]) == 0.5
    with pytest.raises(InputError, match="shapes"):
        hypervolume([[0.0, 0.5]], [1.0, 1.0, 1.0])


def test_the_callback_sees_fronts_and_stops_the_run():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.nfev)
        assert len(intermediate_result.X) == len(intermediate_result.F) > 0
        if len(seen) == 3:
            raise StopIteration

    result = run(callback=callback)
    assert seen == [20, 40, 60]
    assert result.nfev == 60
    assert result.status == 2
    assert "callback" in result.message


def test_failures_follow_the_policy():
    def holes(x):
        if x[0] > 1.0:
            raise RuntimeError("no value here")
        return spheres(x) if x[1] < 1.0 else np.array([np.nan, 1.0])

    result = run(holes, on_error="skip", budget=400)
    assert result.janus["failures"] > 0
    assert (result.X[:, 0] <= 1.0).all()
    assert np.isfinite(result.F).all()
    with pytest.raises(EvaluationError, match="the objective failed"):
        run(holes)
    with pytest.raises(EvaluationError, match="all 20 rows of the first generation failed"):
        run(lambda x: 1 / 0, on_error="skip")
    nothing = run(lambda x: [np.nan, np.nan], on_error="skip")
    assert nothing.janus["failures"] == nothing.nfev == 240
    assert not nothing.success
    replaced = run(holes, on_error=lambda x, error: [99.0, 99.0])
    assert replaced.janus["failures"] == 0


def test_an_error_carries_what_was_found():
    calls = []

    def breaks(x):
        calls.append(1)
        if len(calls) > 70:
            raise RuntimeError("broken")
        return spheres(x)

    with pytest.raises(EvaluationError) as raised:
        run(breaks)
    assert raised.value.result.nfev == 70
    assert len(raised.value.result.F) > 0
    assert not raised.value.result.success


@pytest.mark.parametrize(
    "values",
    [
        lambda x: [1.0, 1.0],
        lambda x: [x[0], 1.0],
        lambda x: [x[0], x[0]],
        lambda x: [1e300 * (x[0] - 0.5), -1e300 * (x[0] - 0.5)],
    ],
)
@pytest.mark.parametrize("host", ["sms-emoa", "age-moea2", "nsga2"])
def test_degenerate_objectives_do_not_break_a_run(values, host):
    result = run(values, host=host)
    assert len(result.F) >= 1
    assert np.isfinite(result.F).all()


@pytest.mark.parametrize("d", [1, 2])
def test_few_variables_work(d):
    assert run(bounds=[(-1.0, 2.0)] * d).success


def test_a_host_object_is_driven_as_it_is():
    host = PymooHost(NSGA2(pop_size=10), np.full(5, -1.0), np.full(5, 2.0), objectives=2, seed=3)
    result = run(host=host, popsize=None)
    assert result.nfev == 240
    assert host.algorithm.n_gen == 25


def test_misuse_is_named():
    cases = [
        ({"budget": 10}, "cover one generation"),
        ({"budget": 0}, "positive whole number"),
        ({"host": "nsga9"}, "host must be one of"),
        ({"host": "nsga3"}, "pass n_obj"),
        ({"host": 3}, "expected a pymoo algorithm"),
        ({"host": NSGA2()}, "popsize and host_options"),
        ({"infill": "magic"}, "infill must be one of"),
        ({"infill": 7}, "infill must be one of"),
        ({"bounds": [(0.0, np.inf)] * 2}, "finite bounds"),
        ({"bounds": [(1.0, 0.0)] * 2}, "below its upper bound"),
        ({"popsize": 2}, "popsize must be"),
        ({"rng": -1}, "rng must be"),
    ]
    for given, message in cases:
        with pytest.raises(InputError, match=message):
            run(**given)
    with pytest.raises(EvaluationError, match="fun returned 2 objectives"):
        run(n_obj=3)
    with pytest.raises(EvaluationError, match=r"for one use janusopt\.minimize"):
        run(lambda x: x[:1])
    lengths = iter([2] * 30 + [3] * 1000)
    with pytest.raises(EvaluationError, match="as in earlier rows"):
        run(lambda x: np.ones(next(lengths)))
