"""The front door for one objective."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult, rosen

import janusopt
from janusopt.errors import InputError
from janusopt.hosts.de import DEHost
from janusopt.hosts.pycma import PycmaHost
from janusopt.loop import BUDGET_SPENT, CALLBACK_STOPPED, HOST_STOPPED, TARGET_REACHED

D = 5
BOX = [(-5.0, 5.0)] * D
HOSTS = ("cma", "sep-cma", "vkd-cma", "cmaes", "de")
INFILLS = ("janus", "janus-gn", "cmix", "paper", "paper-gn", "random", None)


def sphere(x):
    return float(((x - 1.0) ** 2).sum())


def terms(x):
    r = (x - 1.0) ** 2
    return float(r.mean()), r


def minimize(fun=sphere, **changes):
    return janusopt.minimize(fun, **({"bounds": BOX, "budget": 300, "rng": 1} | changes))


def same(one, other):
    np.testing.assert_array_equal(one.x, other.x)
    assert (one.fun, one.nfev, one.nit) == (other.fun, other.nfev, other.nit)


class Recording:
    """Every row that was evaluated."""

    def __init__(self, fun=sphere):
        self.fun, self.rows = fun, []

    def __call__(self, x):
        self.rows.append(x.copy())
        return self.fun(x)


# ------------------------------------------------------------------------------------------------------------- result


def test_the_result_is_scipys_with_a_janus_field():
    result = minimize()
    assert isinstance(result, OptimizeResult)
    assert result.x.shape == (D,)
    assert result.fun == sphere(result.x)
    assert (result.nfev, result.success, result.status) == (300, True, BUDGET_SPENT)
    assert result.message == "the budget of 300 evaluations is spent"
    assert result.nit == len(result.janus["records"])
    assert set(result.janus) == {"sources", "charts", "seconds", "restarts", "failures", "records"}
    assert set(result.janus["seconds"]) == {"host", "infill", "evaluation"}
    assert all(seconds >= 0.0 for seconds in result.janus["seconds"].values())
    assert sum(result.janus["charts"].values()) == result.nit


def test_what_each_source_did_is_counted():
    calls = Recording()
    result = minimize(calls)
    sources = result.janus["sources"]
    assert sources
    records = result.janus["records"]
    for name, count in sources.items():
        assert count["proposed"] == sum(record.sources.count(name) for record in records)
        assert 0 <= count["improved"] <= count["proposed"]
        assert 0 <= count["first"] <= count["proposed"]
        assert 0.0 <= count["mean_rank"] <= 1.0
    best, improved = np.inf, 0
    values = [sphere(x) for x in calls.rows]
    rows = iter(values)
    for record in records:  # the first rows of a generation are the proposals
        size = min(8, len(values))
        generation = [value for _, value in zip(range(size), rows, strict=False)]
        improved += sum(value < best for value in generation[: len(record.sources)])
        best = min([best, *generation])
    assert sum(count["improved"] for count in sources.values()) == improved


def test_the_best_row_is_the_best_that_was_evaluated():
    calls = Recording()
    result = minimize(calls)
    assert len(calls.rows) == result.nfev
    assert result.fun == min(map(sphere, calls.rows))
    assert any(np.array_equal(result.x, row) for row in calls.rows)


def test_the_components_of_the_best_row_come_back():
    result = minimize(terms)
    np.testing.assert_array_equal(result.components, (result.x - 1.0) ** 2)
    assert "components" in result.janus["charts"]
    assert "components" not in minimize()


@pytest.mark.parametrize("host", HOSTS)
def test_every_row_is_inside_the_bounds(host):
    calls = Recording(lambda x: float(x.sum()))
    minimize(calls, host=host, bounds=[(-1.0, 2.0), (0.0, 0.5), (-100.0, -99.0)])
    X = np.array(calls.rows)
    assert (X >= [-1.0, 0.0, -100.0]).all()
    assert (X <= [2.0, 0.5, -99.0]).all()


@pytest.mark.parametrize("host", HOSTS)
def test_a_loose_run_gets_near(host):
    assert minimize(host=host, budget=600).fun < 0.2


def test_without_bounds_a_start_is_enough():
    result = janusopt.minimize(sphere, [3.0] * D, budget=500, rng=1)
    assert result.fun < 1e-2
    assert janusopt.minimize(sphere, [3.0, 4.0], bounds=[(0.0, None), (None, 4.0)], budget=300, rng=1).fun < 1e-2


def test_scipys_bounds_and_a_start_inside_them():
    calls = Recording()
    minimize(calls, x0=np.full(D, 4.0), bounds=Bounds(-5, 5), sigma0=1e-6, budget=8)
    np.testing.assert_allclose(calls.rows, 4.0, atol=1e-3)


# ------------------------------------------------------------------------------------------------------------- budget


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("budget", [97, 120, 203])
def test_the_budget_is_exact(host, budget):
    calls = Recording()
    result = minimize(calls, budget=budget, host=host)
    assert len(calls.rows) == result.nfev == budget


def test_a_larger_budget_begins_with_the_same_rows():
    short, long = Recording(), Recording()
    minimize(short, budget=101)
    minimize(long, budget=200)
    np.testing.assert_array_equal(short.rows, long.rows[:101])


# --------------------------------------------------------------------------------------------------- seeds and workers


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("fun", [sphere, terms])
def test_the_same_seed_is_the_same_run(host, fun):
    one, other = (minimize(fun, host=host, rng=4) for _ in range(2))
    same(one, other)
    assert not np.array_equal(one.x, minimize(fun, host=host, rng=5).x)


@pytest.mark.parametrize("infill", INFILLS)
def test_every_infill_is_seeded(infill):
    same(*(minimize(infill=infill, rng=4) for _ in range(2)))


def test_every_kind_of_seed_is_taken():
    same(minimize(rng=np.random.default_rng(3)), minimize(rng=np.random.default_rng(3)))
    same(minimize(rng=np.random.SeedSequence(3)), minimize(rng=np.random.SeedSequence(3)))
    same(minimize(rng=np.int64(3)), minimize(rng=3))
    assert not np.array_equal(minimize(rng=None).x, minimize(rng=None).x)


def test_numpys_global_random_state_is_untouched():
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    for host in HOSTS:
        minimize(host=host, budget=200)
    np.testing.assert_equal(np.random.get_state(legacy=False), before)  # noqa: NPY002


def test_serial_threads_processes_and_vectorized_give_the_same_run():
    serial = minimize(rosen)
    with ThreadPoolExecutor(2) as pool:
        same(minimize(rosen, executor=pool), serial)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        same(minimize(rosen, executor=pool), serial)
    same(minimize(lambda X: rosen(X.T), vectorized=True), serial)


def test_a_vectorized_objective_may_give_components():
    def fun(X):
        R = (X - 1.0) ** 2
        return R.mean(axis=1), R

    result = minimize(fun, vectorized=True)
    same(result, minimize(lambda x: tuple(part[0] for part in fun(x[None, :]))))
    assert result.components.shape == (D,)


# --------------------------------------------------------------------------------------------------------- infill off


@pytest.mark.parametrize("sampler", ["full", "diagonal", "vkd"])
def test_infill_off_is_the_bare_host_bit_for_bit(sampler):
    calls = Recording()
    name = {"full": "cma", "diagonal": "sep-cma", "vkd": "vkd-cma"}[sampler]
    minimize(calls, x0=np.zeros(D), sigma0=1.5, infill=None, host=name, budget=200)
    seed = np.random.SeedSequence(1).spawn(3)[1]
    box = np.array(BOX).T
    host = PycmaHost(np.zeros(D), np.full(D, 1.5), *box, seed=seed, sampler=sampler)
    rows = []
    while len(rows) < 200:
        X = np.array(host.strategy.ask())
        host.strategy.tell(list(X), [sphere(x) for x in X])
        rows += list(X)
    np.testing.assert_array_equal(calls.rows, rows[:200])


@pytest.mark.parametrize("host", HOSTS)
def test_turning_infill_on_does_not_move_the_first_generation(host):
    rows = []
    for infill in INFILLS[:5]:
        calls = Recording()
        minimize(calls, infill=infill, host=host, budget=30, popsize=10)
        rows.append(np.array(calls.rows)[:10])
    calls = Recording()
    minimize(calls, infill=None, host=host, budget=30, popsize=10)
    for generation in rows:
        np.testing.assert_array_equal(generation, calls.rows[:10])


def test_a_bare_run_has_no_records():
    result = minimize(infill=None)
    assert result.janus["records"] == []
    assert result.janus["sources"] == {}


@pytest.mark.parametrize("infill", INFILLS)
@pytest.mark.parametrize("host", ["cma", "de"])
def test_every_infill_runs_on_scalars_and_components(host, infill):
    for fun in (sphere, terms):
        result = minimize(fun, host=host, infill=infill, budget=400)
        assert result.nfev == 400
        assert result.fun < 5.0


def test_a_config_and_blocks_are_taken():
    config = janusopt.JanusConfig(blocks=[[0, 1], [2, 3]], window=60)
    result = minimize(infill=config)
    assert result.fun < 0.1
    with pytest.raises(InputError, match="coordinates 0 to 4, got 0 to 7"):
        minimize(infill=config.replace(blocks=[[0, 7]]))


# ------------------------------------------------------------------------------------------- callback, target, restarts


def test_the_callback_sees_every_generation_and_may_stop():
    seen = []

    def callback(intermediate_result):
        seen.append((intermediate_result.nfev, intermediate_result.fun, intermediate_result.nit))
        intermediate_result.x[:] = 99.0
        if len(seen) == 5:
            raise StopIteration

    result = minimize(callback=callback)
    assert [nit for _, _, nit in seen] == [1, 2, 3, 4, 5]
    assert (result.nit, result.nfev) == (5, seen[-1][0])
    assert result.status == CALLBACK_STOPPED
    assert "callback" in result.message
    assert result.success
    assert (np.diff([fun for _, fun, _ in seen]) <= 0).all()
    assert result.fun == sphere(result.x)


def test_an_error_in_the_callback_is_the_users_own():
    def callback(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        minimize(callback=callback)


def test_a_target_ends_the_run_at_its_generation():
    result = minimize(target=0.5, budget=5000)
    assert result.status == TARGET_REACHED
    assert result.fun <= 0.5
    assert result.nfev < 5000
    assert "0.5" in result.message


@pytest.mark.parametrize("infill", ["janus", None])
def test_a_host_that_stops_is_restarted_or_ends_the_run(infill):
    ended = minimize(lambda x: float(np.abs(x).max() > 1.0), budget=3000, restarts=None, infill=infill)
    assert ended.status == HOST_STOPPED
    assert ended.nfev < 3000
    assert "tolf" in ended.message
    on = minimize(lambda x: float(np.abs(x).max() > 1.0), budget=3000, infill=infill)
    assert on.nfev == 3000
    assert on.janus["restarts"] > 0


# -------------------------------------------------------------------------------------------------------------- hosts


def test_a_host_of_ones_own_is_taken():
    host = DEHost(np.zeros(D), np.ones(D), *np.array(BOX).T, seed=3)
    result = minimize(host=host, budget=200)
    assert result.nfev == 200


def test_host_options_and_popsize_reach_the_host():
    sizes = []

    def callback(result):
        sizes.append(result.nfev)

    minimize(popsize=20, callback=callback, budget=100)
    assert sizes == [20, 40, 60, 80, 100]
    sizes.clear()
    minimize(host_options={"popsize": 25}, callback=callback, budget=100)
    assert sizes == [25, 50, 75, 100]


# ------------------------------------------------------------------------------------------------------------- records


@pytest.mark.parametrize("fun", [sphere, terms])
@pytest.mark.parametrize("host", ["cma", "de"])
@pytest.mark.parametrize("infill", ["janus", "paper", "cmix", "random"])
def test_every_step_leaves_a_complete_record(fun, host, infill):
    records = minimize(fun, host=host, infill=infill, budget=600).janus["records"]
    assert [record.generation for record in records] == list(range(len(records)))
    for record in records:
        assert len(record.ranks) == len(record.sources)
        assert 0.0 <= record.weight <= 1.0
        assert record.rank >= 0
        if infill != "random":
            assert record.chart in ("none", "newton", "linear", "quadratic", "components")
            assert (record.chart == "none") == np.isnan(record.score)
        assert record.reason or record.sources or record.weight > 0.0
    ranks = [rank for record in records[:-1] for rank in record.ranks]
    assert all(0.0 <= rank <= 1.0 for rank in ranks)
    assert any(record.sources or record.weight for record in records)
    assert infill == "random" or records[0].reason in ("too few rows", "the host has no slot")
