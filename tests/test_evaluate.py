"""How values are read, where they are computed, and what a failure is."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy.optimize import rosen

from janusopt.errors import EvaluationError, InputError
from janusopt.evaluate import Evaluate

X = np.arange(12.0).reshape(4, 3)


def total(x):
    return x.sum()


def test_scalars_of_every_real_kind_are_read():
    for convert in (float, int, np.float32, np.array, lambda v: np.array([v]), lambda v: [v]):
        evals = Evaluate(lambda x, convert=convert: convert(total(x)))(X)
        np.testing.assert_array_equal(evals.f, [3.0, 12.0, 21.0, 30.0])
        assert not evals.failed.any()
        assert evals.components is None


def test_components_residuals_and_objectives_are_read():
    evals = Evaluate(lambda x: (x.mean(), x))(X)
    np.testing.assert_array_equal(evals.components, X)
    np.testing.assert_array_equal(evals.f, X.mean(axis=1))
    evals = Evaluate(lambda x: x - 1.0, kind="residuals")(X)
    np.testing.assert_array_equal(evals.f, 0.5 * ((X - 1.0) ** 2).sum(axis=1))
    assert evals.residuals
    evals = Evaluate(lambda x: (x[:2], x - 5.0), kind="objectives")(X)
    np.testing.assert_array_equal(evals.objectives, X[:, :2])
    np.testing.assert_array_equal(evals.violation, np.maximum(X - 5.0, 0.0).sum(axis=1))
    assert np.isnan(evals.f).all()


def test_a_vectorized_objective_sees_the_whole_generation_once():
    calls = []

    def fun(rows):
        calls.append(rows.shape)
        return rows.mean(axis=1), rows

    evals = Evaluate(fun, vectorized=True)(X)
    assert calls == [(4, 3)]
    np.testing.assert_array_equal(evals.components, X)
    np.testing.assert_array_equal(Evaluate(lambda rows: rows[:, :1], vectorized=True)(X).f, X[:, 0])


def test_every_way_of_computing_gives_the_same_values():
    serial = Evaluate(rosen)(X).f
    np.testing.assert_array_equal(Evaluate(lambda rows: rosen(rows.T), vectorized=True)(X).f, serial)
    with ThreadPoolExecutor(2) as pool:
        np.testing.assert_array_equal(Evaluate(rosen, executor=pool)(X).f, serial)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        np.testing.assert_array_equal(Evaluate(rosen, executor=pool)(X).f, serial)


def test_an_executor_is_really_used():
    names = set()

    def fun(x):
        names.add(threading.current_thread().name)
        return total(x)

    with ThreadPoolExecutor(2, thread_name_prefix="pool") as pool:
        Evaluate(fun, executor=pool)(X)
    assert names
    assert all(name.startswith("pool") for name in names)


def test_args_are_handed_on():
    assert Evaluate(lambda x, a, b: total(x) * a + b, args=(2.0, 1.0))(X).f[0] == 7.0


def test_an_objective_that_writes_into_its_argument_changes_nothing():
    rows = X.copy()

    def fun(x):
        x[...] = 0.0
        return np.zeros(len(x)) if x.ndim == 2 else 0.0

    for vectorized in (False, True):
        Evaluate(fun, vectorized=vectorized)(rows)
    np.testing.assert_array_equal(rows, X)


@pytest.mark.parametrize("policy", ["raise", "skip", lambda x, error: 0.0])
@pytest.mark.parametrize(
    ("value", "says"),
    [
        (1j, "one real number.*complex"),
        ("12", "one real number.*str"),
        (None, "one real number.*NoneType"),
        (np.zeros(3), r"one real number.*shape \(3,\)"),
        ((1.0, np.zeros(2), np.zeros(2)), "one real number.*tuple"),
        ([1.0, [2.0, 3.0]], "one real number.*list"),
        ((1.0, "abc"), "components must be a vector of real numbers, got str"),
        ((1.0, np.zeros((2, 2))), r"components must be a vector of real numbers.*shape \(2, 2\)"),
        ((1.0, []), "components must be a vector"),
    ],
)
def test_a_value_of_the_wrong_kind_always_raises_and_says_what_came(value, says, policy):
    with pytest.raises(EvaluationError, match=says):
        Evaluate(lambda x: value, on_error=policy)(X)


@pytest.mark.parametrize("kind", ["residuals", "objectives"])
def test_a_value_of_the_wrong_kind_raises_for_vectors_too(kind):
    for value in ("abc", np.zeros((2, 2)), np.array([1j])):
        with pytest.raises(EvaluationError, match=f"{kind} must be a vector of real numbers"):
            Evaluate(lambda x, value=value: value, kind=kind, on_error="skip")(X)


@pytest.mark.parametrize(
    "value", [np.zeros(3), 1.0, (np.zeros(4), np.zeros((3, 2))), [[1.0], [2.0, 3.0]], np.zeros((3, 4))]
)
def test_a_vectorized_objective_must_give_one_value_a_row(value):
    with pytest.raises(EvaluationError, match="expected length 4, got shape"):
        Evaluate(lambda rows: value, vectorized=True)(X)


def test_components_may_not_change_their_number():
    def growing(x):
        return 1.0, np.ones(2 if x[0] < 6 else 3)

    with pytest.raises(EvaluationError, match="expected 2 components as in earlier rows, got 3"):
        Evaluate(growing, on_error="skip")(X)
    with pytest.raises(EvaluationError, match="expected 2 components as in earlier rows, got 0"):
        Evaluate(lambda x: (1.0, np.ones(2)) if x[0] < 6 else 1.0)(X)
    with pytest.raises(EvaluationError, match="expected 0 components as in earlier rows, got 2"):
        Evaluate(lambda x: 1.0 if x[0] < 6 else (1.0, np.ones(2)))(X)
    with pytest.raises(EvaluationError, match="expected 3 residuals as in earlier rows, got 2"):
        Evaluate(lambda x: np.ones(3 if x[0] < 6 else 2), kind="residuals")(X)
    with pytest.raises(EvaluationError, match="expected 1 constraint values as in earlier rows, got 0"):
        Evaluate(lambda x: (x, x[:1]) if x[0] < 6 else x, kind="objectives")(X)
    evaluate = Evaluate(lambda x: (1.0, x))
    evaluate(X)
    with pytest.raises(EvaluationError, match="expected 3 components as in earlier rows, got 2"):
        evaluate(X[:, :2])


FAILING = [
    lambda x: 1.0 / 0.0 if x[0] == 3.0 else 1.0,
    lambda x: np.nan if x[0] == 3.0 else 1.0,
    lambda x: np.inf if x[0] == 3.0 else 1.0,
    lambda x: (1.0, np.array([1.0, -np.inf if x[0] == 3.0 else 1.0])),
]


@pytest.mark.parametrize("fun", FAILING)
def test_skip_marks_the_row_as_failed(fun):
    evaluate = Evaluate(fun, on_error="skip")
    evals = evaluate(X)
    np.testing.assert_array_equal(evals.failed, [False, True, False, False])
    assert np.isnan(evals.f[1])
    assert evaluate.failures == 1
    assert evals.components is None or np.isnan(evals.components[1]).all()


@pytest.mark.parametrize("fun", FAILING)
def test_raise_says_where_and_why_and_keeps_the_cause(fun):
    with pytest.raises(EvaluationError, match=r"failed at x = \[3. 4. 5.\].*on_error='skip'") as caught:
        Evaluate(fun)(X)
    assert isinstance(caught.value.__cause__, ArithmeticError)


def test_raise_stops_at_the_failing_row_and_keeps_those_before_it():
    seen = []

    def fun(x):
        seen.append(x[0])
        return 1.0 / (x[0] - 6.0)

    with pytest.raises(EvaluationError) as caught:
        Evaluate(fun)(X)
    assert seen == [0.0, 3.0, 6.0]
    np.testing.assert_allclose(caught.value.evaluated.f, [-1 / 6, -1 / 3])


def test_raise_cancels_what_an_executor_has_not_begun():
    begun, raised = [], threading.Event()

    def fun(x):
        begun.append(x[0])
        if x[0] == 0.0:
            raise RuntimeError("no")
        raised.wait(5.0)
        return 1.0

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(EvaluationError, match="RuntimeError: no"):
            Evaluate(fun, executor=pool)(np.arange(60.0).reshape(20, 3))
        raised.set()
    assert len(begun) <= 2


@pytest.mark.parametrize(("answer", "failed", "value"), [(7.0, 0, 7.0), (None, 4, np.nan), (np.inf, 4, np.nan)])
def test_a_callable_may_replace_a_failed_value_or_skip_it(answer, failed, value):
    asked = []

    def policy(x, error):
        asked.append((x, type(error)))
        return answer

    evaluate = Evaluate(lambda x: 1.0 / 0.0, on_error=policy)
    evals = evaluate(X)
    np.testing.assert_array_equal(evals.f, np.full(4, value))
    assert evals.failed.sum() == evaluate.failures == failed
    np.testing.assert_array_equal([x for x, _ in asked], X)
    assert {kind for _, kind in asked} == {ZeroDivisionError}


def test_a_vectorized_objective_that_raises_fails_its_whole_generation():
    evals = Evaluate(lambda rows: 1.0 / 0.0, vectorized=True, on_error="skip")(X)
    assert evals.failed.all()


def test_residuals_whose_squares_overflow_are_a_failure_without_a_warning():
    evals = Evaluate(lambda x: np.full(2, 1e200), kind="residuals", on_error="skip")(X)
    assert evals.failed.all()


def test_the_clock_runs_also_when_the_objective_fails():
    evaluate = Evaluate(lambda x: 1.0 / 0.0)
    with pytest.raises(EvaluationError):
        evaluate(X)
    assert evaluate.seconds > 0.0


def test_bad_settings_are_refused():
    with pytest.raises(InputError, match="must be callable, got int"):
        Evaluate(3)
    with pytest.raises(InputError, match="on_error must be 'raise', 'skip' or a callable, got 'ignore'"):
        Evaluate(total, on_error="ignore")
    with ThreadPoolExecutor(1) as pool, pytest.raises(InputError, match="leave executor out"):
        Evaluate(total, vectorized=True, executor=pool)


@pytest.mark.parametrize(
    ("kind", "good"), [("scalar", (1.0, [1.0, 2.0])), ("residuals", [1.0, 2.0]), ("objectives", [1.0, 2.0])]
)
@pytest.mark.parametrize("first", [True, False])
def test_a_bare_nan_is_a_failed_row_whatever_width_good_rows_have(kind, good, first):
    answers = [float("nan"), good, good] if first else [good, float("nan"), good]
    evals = Evaluate(lambda x: answers[int(x[0])], kind=kind, on_error="skip")(np.array([[0.0], [1.0], [2.0]]))
    assert evals.failed.tolist() == ([True, False, False] if first else [False, True, False])
