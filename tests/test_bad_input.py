"""Bad input, failing objectives, extreme values: clear errors, and nothing lost."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.evaluations import Evaluations
from janusopt.errors import EvaluationError, InputError
from janusopt.hosts.de import DEHost
from janusopt.loop import OBJECTIVE_FAILED
from test_minimize import BOX, HOSTS, INFILLS, D, Recording, minimize, sphere, terms


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"fun": 3}, "objective must be callable, got int"),
        ({"budget": 3}, "cover one generation: this host asks for 8 rows.*3"),
        ({"budget": 0}, "positive whole number of evaluations, got 0"),
        ({"budget": 30.5}, "positive whole number of evaluations, got 30.5"),
        ({"budget": True}, "positive whole number of evaluations, got True"),
        ({"bounds": None}, "give x0 or bounds"),
        ({"bounds": [(1, 0)] * D}, "below its upper bound"),
        ({"x0": [9.0] * D}, "inside the bounds"),
        ({"x0": [0.0] * 3}, "x0 has 3, bounds have 5"),
        ({"sigma0": -1}, "sigma0 must be a positive number or 5 of them, got -1"),
        ({"popsize": 1}, "popsize must be a whole number of at least 2, got 1"),
        ({"popsize": 7.5}, "popsize must be a whole number of at least 2, got 7.5"),
        ({"restarts": "bipop"}, "restarts must be 'ipop', 'race', 'encore' or None, got 'bipop'"),
        ({"host": "pso"}, "host must be one of cma, sep-cma, vkd-cma, cmaes, de, got 'pso'"),
        ({"host": 3}, "host must be one of .* got int; wrap an ask/tell optimizer"),
        ({"infill": "magic"}, "infill must be one of janus.* got 'magic'"),
        ({"rng": -1}, "rng must be a non-negative int.* got -1"),
        ({"rng": "a"}, "rng must be a non-negative int.* got 'a'"),
        ({"on_error": "ignore"}, "on_error must be 'raise', 'skip' or a callable, got 'ignore'"),
    ],
)
def test_bad_input_is_refused_before_anything_is_evaluated(change, says):
    calls = Recording()
    with pytest.raises(InputError, match=says):
        minimize(**({"fun": calls} | change))
    assert calls.rows == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (1j, "one real number.*complex"),
        ("3", "one real number.*str"),
        (None, "one real number.*NoneType"),
        (np.zeros(3), r"one real number.*shape \(3,\)"),
    ],
)
def test_an_objective_of_the_wrong_kind_is_told_so(value, says):
    with pytest.raises(EvaluationError, match=says) as caught:
        minimize(lambda x: value, on_error="skip")
    assert caught.value.result.nfev == 0


def test_components_that_change_their_length_end_the_run_with_what_was_found():
    calls = Recording(lambda x: (sphere(x), np.ones(2 if len(calls.rows) < 50 else 3)))
    with pytest.raises(EvaluationError, match="expected 2 components as in earlier rows, got 3") as caught:
        minimize(calls)
    result = caught.value.result
    assert result.nfev == 49
    assert result.fun == min(map(sphere, calls.rows[:49]))


def test_an_objective_that_raises_loses_nothing_of_what_was_evaluated():
    calls = Recording(lambda x: sphere(x) if len(calls.rows) < 60 else 1.0 / 0.0)
    with pytest.raises(EvaluationError, match="ZeroDivisionError") as caught:
        minimize(calls)
    result = caught.value.result
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(calls.rows) == 60
    assert result.nfev == 59
    assert result.fun == min(map(sphere, calls.rows[:59]))
    assert (result.status, result.success) == (OBJECTIVE_FAILED, False)
    assert "ZeroDivisionError" in result.message


def test_an_objective_that_raises_at_once_has_an_empty_result():
    with pytest.raises(EvaluationError) as caught:
        minimize(lambda x: 1.0 / 0.0)
    assert caught.value.result.x is None
    assert np.isnan(caught.value.result.fun)


@pytest.mark.parametrize("host", HOSTS)
def test_skip_goes_on_without_the_failed_rows(host):
    result = minimize(lambda x: np.nan if x[0] < 0.0 else sphere(x), on_error="skip", host=host, budget=600)
    assert result.nfev == 600
    assert result.janus["failures"] > 0
    assert result.x[0] >= 0.0
    assert result.fun < 1.0


def test_a_callable_replaces_failed_values():
    result = minimize(lambda x: 1.0 / 0.0 if x[0] < 0 else sphere(x), on_error=lambda x, error: 1e6)
    assert result.janus["failures"] == 0
    assert result.fun < 1.0


@pytest.mark.parametrize("host", HOSTS)
def test_generations_without_any_value_are_survived(host):
    result = minimize(lambda x: np.nan, on_error="skip", host=host)
    assert result.nfev == result.janus["failures"] == 300
    assert not result.success
    assert result.x is None
    assert np.isnan(result.fun)
    assert "no evaluation succeeded" in result.message


@pytest.mark.parametrize("host", HOSTS)
def test_a_run_recovers_after_generations_without_any_value(host):
    calls = Recording(lambda x: np.nan if len(calls.rows) % 100 < 50 else sphere(x))
    result = minimize(calls, on_error="skip", host=host, budget=600)
    assert result.success
    assert result.fun < 5.0


EXTREME = [
    lambda x: 1e300 * x[0] / 5.0,
    lambda x: float(np.sign(x[0])) * 1e300,
    lambda x: (1e300 * abs(x[0]) / 5.0, 1e300 * np.abs(x) / 5.0),
    lambda x: 1e-300 * sphere(x),
    lambda x: 1e300 + sphere(x),
    lambda x: [1e300, -1e300, np.inf, -np.inf, np.nan, 1.0][int(abs(x[0]) * 1e6) % 6],
    lambda x: 7.0,
    lambda x: (7.0, np.full(3, 7.0)),
    lambda x: float(round(x[0])),
    lambda x: (float(x.mean()), x),
]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("fun", EXTREME)
def test_extreme_and_constant_values_are_survived_without_a_warning(host, fun):
    result = minimize(fun, host=host, on_error="skip", budget=250)
    assert result.nfev == 250
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("infill", INFILLS)
def test_extreme_values_are_survived_by_every_infill(infill):
    for fun in EXTREME:
        assert minimize(fun, infill=infill, on_error="skip", budget=250).nfev == 250


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("infill", INFILLS)
def test_one_variable_is_enough(host, infill):
    for fun in (sphere, terms):
        result = minimize(fun, bounds=[(-5.0, 5.0)], host=host, infill=infill, budget=200)
        assert result.nfev == 200
        assert result.fun < 0.1


def test_duplicated_rows_are_survived():
    """A host whose rows repeat: its generation collapsed to few points."""

    class Repeating(DEHost):
        def ask(self, infill):
            X = super().ask(infill)
            return X[np.arange(len(X)) // 4 * 4]

        def tell(self, X, evals):
            super().tell(X, Evaluations(evals.f, evals.failed))

    for fun in (sphere, terms):
        host = Repeating(np.zeros(D), np.ones(D), *np.array(BOX).T, seed=3, popsize=20)
        assert minimize(fun, host=host, budget=600).nfev == 600
