"""pycma's own strategy, with infill: whatever people do with theirs keeps working."""

from __future__ import annotations

import pickle

import cma
import numpy as np
import pytest

import janusopt
from janusopt.errors import InputError

D = 6


def steep(x):
    return float(((np.asarray(x) - 0.4) ** 2) @ np.logspace(0, 3, len(x)))


def options(**more):
    return {"verbose": -9, "verb_log": 0, "seed": 5} | more


def make(infill="janus", **more):
    return janusopt.CMAEvolutionStrategy(D * [0.5], 0.3, options(**more), infill=infill)


def run(es, generations, fun=steep):
    rows = []
    for _ in range(generations):
        X = es.ask()
        rows.append(np.array(X))
        es.tell(X, [fun(x) for x in X])
    return np.array(rows)


@pytest.mark.parametrize(
    "more", [{}, {"bounds": [0, 1]}, {"CMA_diagonal": True}, {"CMA_elitist": True}, {"popsize": 20}]
)
def test_without_infill_it_is_pycmas_bit_for_bit(more):
    ours = run(make(None, **more), 30)
    pycmas = run(cma.CMAEvolutionStrategy(D * [0.5], 0.3, options(**more)), 30)
    np.testing.assert_array_equal(ours, pycmas)


@pytest.mark.parametrize("more", [{}, {"bounds": [0, 1]}, {"bounds": [0.45, None]}, {"CMA_diagonal": True}])
def test_with_infill_the_generation_keeps_its_size_and_the_run_is_not_behind(more):
    rows, bare = run(make(**more), 40), run(make(None, **more), 40)
    assert rows.shape == bare.shape
    best, host = (min(map(steep, X.reshape(-1, D))) for X in (rows, bare))
    assert best < 1.05 * host
    np.testing.assert_array_equal(rows[0], bare[0])


def test_it_is_a_cma_strategy():
    es = make()
    assert isinstance(es, cma.CMAEvolutionStrategy)
    run(es, 10)
    assert es.countevals == 10 * es.popsize
    assert es.result.fbest == pytest.approx(steep(es.result.xbest))
    assert es.result.evaluations == es.countevals
    assert len(es.janus_infill.records) == 10
    assert es.stop() == {}


def test_the_same_seed_is_the_same_run():
    np.testing.assert_array_equal(run(make(), 20), run(make(), 20))


def test_optimize_runs_to_its_own_stop():
    es = make().optimize(steep)
    assert es.stop()
    assert es.result.fbest < 1e-9
    assert any(record.sources for record in es.janus_infill.records)


def test_ask_and_eval_keeps_working():
    es = make()
    for _ in range(15):
        X, f = es.ask_and_eval(steep)
        assert len(X) == es.popsize
        es.tell(X, f)
    assert es.result.fbest < 1.0


def test_disp_and_logger_keep_working(capsys, tmp_path):
    es = make(verb_log=1, verb_filenameprefix=str(tmp_path / "log") + "/", verb_disp=1, verbose=1)
    for _ in range(5):
        X = es.ask()
        es.tell(X, [steep(x) for x in X])
        es.logger.add()
        es.disp()
    assert "Iterat" in capsys.readouterr().out
    assert len((tmp_path / "log" / "fit.dat").read_text().splitlines()) >= 5


@pytest.mark.parametrize("more", [{}, {"bounds": [0, 1]}, {"CMA_diagonal": True}])
def test_pickled_in_the_middle_it_goes_on_as_it_would_have(more):
    es = make(**more)
    run(es, 15)
    copy = pickle.loads(pickle.dumps(es))
    state = np.random.get_state()  # noqa: NPY002  # pycma samples from numpy's global stream
    rows = run(es, 15)
    np.random.set_state(state)  # noqa: NPY002
    np.testing.assert_array_equal(run(copy, 15), rows)
    assert isinstance(copy, janusopt.CMAEvolutionStrategy)
    assert len(copy.janus_infill.records) == 30


def test_pickled_with_a_full_window_it_goes_on_as_it_would_have():
    es = make()
    run(es, 60)
    copy = pickle.loads(pickle.dumps(es))
    state = np.random.get_state()  # noqa: NPY002
    rows = run(es, 5)
    np.random.set_state(state)  # noqa: NPY002
    np.testing.assert_array_equal(run(copy, 5), rows)


def test_pickled_between_ask_and_tell_it_knows_its_rows():
    es = make()
    run(es, 15)
    X = es.ask()
    copy = pickle.loads(pickle.dumps(es))
    copy.tell(X, [steep(x) for x in X])
    assert not np.isnan(copy.janus_infill.records[-1].ranks).any()


def test_rows_may_be_told_in_another_order():
    es = make()
    rng = np.random.default_rng(1)
    for _ in range(25):
        X = es.ask()
        order = rng.permutation(len(X))
        es.tell([X[i] for i in order], [steep(X[i]) for i in order])
    record = next(record for record in reversed(es.janus_infill.records) if record.sources)
    assert min(record.ranks) < 0.5
    plain = make()
    run(plain, 25)
    assert es.result.fbest < 1e3 * plain.result.fbest + 1e-3


def test_some_rows_may_be_left_out():
    es = make(popsize=14)
    for _ in range(20):
        X = es.ask()
        kept = X[1:]  # the first is infill where there is any
        es.tell(kept, [steep(x) for x in kept])
    told = [record for record in es.janus_infill.records if record.sources]
    assert told
    assert all(record.ranks[0] == 1.0 for record in told)
    assert es.result.fbest < 1.0


def test_rows_of_ones_own_may_be_added():
    es = make()
    for _ in range(15):
        X = [*es.ask(), np.full(D, 0.4)]
        es.tell(X, [steep(x) for x in X])
    assert es.result.fbest == 0.0


def test_more_asks_in_a_generation_are_pycmas_own():
    es = make()
    run(es, 10)
    first, second = es.ask(), es.ask()
    assert len(first) == len(second) == es.popsize
    assert len(es.janus_infill.records) == 11
    assert len(es.ask(3)) == 3
    es.tell(first, [steep(x) for x in first])
    assert len(es.janus_infill.records) == 11
    run(es, 5)
    assert len(es.janus_infill.records) == 16


def test_asking_for_fewer_or_elsewhere_gets_no_infill():
    es = make()
    run(es, 10)
    assert len(es.ask(2)) == 2
    assert len(es.ask(number=es.popsize, xmean=np.zeros(D))) == es.popsize
    assert len(es.janus_infill.records) == 10


@pytest.mark.parametrize("force", [True, False])
def test_injections_of_ones_own_come_first_and_are_not_taken_for_infill(force):
    es = make()
    run(es, 10)
    own = es.mean + 0.1 * es.sigma
    es.inject([own], force=force)
    X = es.ask()
    assert len(X) == es.popsize
    np.testing.assert_allclose(X[0], own)
    sources = es.janus_infill.records[-1].sources
    f = np.arange(float(len(X)))
    es.tell(X, f.tolist())
    expected = (1.0 + np.arange(len(sources))) / (len(X) - 1)  # infill stands after the one injected row
    np.testing.assert_allclose(es.janus_infill.records[-1].ranks, expected)
    run(es, 5)


@pytest.mark.parametrize("values", [np.nan, np.inf])
def test_values_that_are_not_finite_do_not_reach_the_window(values):
    es = make()
    for generation in range(20):
        X = es.ask()
        f = [steep(x) for x in X]
        f[generation % len(f)] = values
        es.tell(X, f)
    assert np.isfinite(es.janus_infill._trace.window().f).all()


@pytest.mark.parametrize(
    "more",
    [
        {"fixed_variables": {0: 0.5}},
        {"fixed_variables": {0: 0.5}, "bounds": [0, 1]},
        {"scaling_of_variables": np.arange(1.0, 7.0)},
        {"integer_variables": [0]},
    ],
)
@pytest.mark.filterwarnings("ignore:genotype-phenotype:DeprecationWarning")
def test_a_strategy_with_a_geometry_of_its_own_runs_without_infill(more):
    es = make(**more)
    run(es, 15)
    assert es.result.fbest < 20.0
    assert all(not record.sources for record in es.janus_infill.records)


@pytest.mark.parametrize("infill", ["janus-gn", "cmix", "paper", "random", janusopt.JanusConfig(window=40)])
def test_every_infill_can_be_named(infill):
    es = make(infill)
    run(es, 12)
    assert len(es.janus_infill.records) == 12


def test_a_name_that_is_none_is_refused():
    with pytest.raises(InputError, match="infill must be one of janus"):
        make("magic")


def test_an_ipop_restart_by_hand_keeps_working():
    es = make(popsize=8, tolx=1e-2)
    es.optimize(steep)
    assert "tolx" in es.stop()
    again = janusopt.CMAEvolutionStrategy(es.result.xfavorite, 0.3, options(popsize=2 * es.popsize))
    run(again, 10)
    assert again.popsize == 16
