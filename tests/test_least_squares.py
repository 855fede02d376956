"""The front door for residuals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import janusopt
from janusopt.errors import EvaluationError, InputError

T = np.linspace(0.0, 4.0, 25)
DATA = 2.5 * np.exp(-1.3 * T) + 0.5
BOX = [(0.0, 5.0), (0.0, 5.0), (-1.0, 1.0)]


def residuals(x):
    return x[0] * np.exp(-x[1] * T) + x[2] - DATA


def least_squares(fun=residuals, **changes):
    return janusopt.least_squares(fun, **({"bounds": BOX, "budget": 600, "rng": 1} | changes))


def test_the_result_has_scipys_cost_and_the_residuals_at_x():
    result = least_squares()
    r = residuals(result.x)
    np.testing.assert_array_equal(result.residuals, r)
    assert result.cost == result.fun == 0.5 * float(r @ r)
    assert "components" not in result
    assert result.nfev == 600


def test_the_callback_sees_the_same_fields():
    seen = []

    def callback(intermediate_result):
        seen.append((intermediate_result.cost, intermediate_result.residuals, residuals(intermediate_result.x)))

    least_squares(callback=callback, budget=100)
    assert seen
    for cost, r, expected in seen:
        np.testing.assert_array_equal(r, expected)
        assert cost == 0.5 * float(r @ r)


def test_it_finds_what_scipys_finds():
    scipys = scipy.optimize.least_squares(residuals, [1.0, 1.0, 0.0])
    np.testing.assert_allclose(least_squares(budget=1500).x, scipys.x, atol=1e-4)


def test_linear_residuals_take_few_generations():
    """On linear residuals the components chart is exact, and one GN step from anywhere is the solution."""
    A = np.random.default_rng(1).standard_normal((12, 6))
    b = A @ np.full(6, 0.7)

    def fun(x):
        return A @ x - b

    with_infill, bare = (
        janusopt.least_squares(fun, bounds=[(-4.0, 4.0)] * 6, budget=400, rng=1, infill=infill).cost
        for infill in ("janus", None)
    )
    assert with_infill < 1e-6 * bare


def test_the_components_chart_is_used():
    result = least_squares()
    assert "components" in result.janus["charts"]
    assert "gn" in result.janus["sources"]


def test_a_tuple_of_two_is_lower_and_upper_also_with_two_variables():
    box = ([0.0, 1.0], [5.0, 6.0])
    fit = janusopt.least_squares(lambda x: x - np.array([4.0, 5.0]), bounds=box, budget=300, rng=1)
    assert np.allclose(fit.x, [4.0, 5.0], atol=1e-3)


def test_bounds_may_be_scipys_pair_of_vectors():
    lower, upper = np.array(BOX).T
    one, other = least_squares(), least_squares(bounds=(lower, upper))
    np.testing.assert_array_equal(one.x, other.x)


def test_a_vectorized_function_gives_one_row_of_residuals_a_row():
    result = least_squares(lambda X: np.array([residuals(x) for x in X]), vectorized=True)
    np.testing.assert_array_equal(result.x, least_squares().x)


def test_one_residual_and_one_variable_are_enough():
    assert least_squares(lambda x: x - 0.3, bounds=[(-1.0, 1.0)], budget=150).cost < 1e-6
    assert least_squares(lambda x: float(x[0] - 0.3), bounds=[(-1.0, 1.0)], budget=150).cost < 1e-6


@pytest.mark.parametrize("unit", [1e-150, 1e-30, 1e30, 1e150])
def test_residuals_of_any_unit_give_a_run_without_a_warning(unit):
    result = least_squares(lambda x: unit * residuals(x))
    assert result.nfev == 600
    assert np.isfinite(result.cost)


def test_residuals_whose_squares_overflow_follow_the_policy():
    with pytest.raises(EvaluationError, match="not finite"):
        least_squares(lambda x: 1e200 * residuals(x))
    assert not least_squares(lambda x: 1e200 * residuals(x), on_error="skip").success


def test_a_failure_carries_residuals_too():
    calls = []

    def fun(x):
        calls.append(x)
        return residuals(x) if len(calls) <= 40 else np.full(25, np.nan)

    with pytest.raises(EvaluationError) as caught:
        least_squares(fun)
    result = caught.value.result
    assert result.nfev == 40
    np.testing.assert_array_equal(result.residuals, residuals(result.x))
    assert result.cost == result.fun


@pytest.mark.parametrize(
    ("value", "says"),
    [("abc", "residuals must be a vector"), (np.zeros((2, 2)), r"shape \(2, 2\)"), ([], "vector of real numbers")],
)
def test_residuals_of_the_wrong_kind_are_refused(value, says):
    with pytest.raises(EvaluationError, match=says):
        least_squares(lambda x: value, on_error="skip")


def test_a_changing_number_of_residuals_is_refused():
    with pytest.raises(EvaluationError, match="residuals as in earlier rows"):
        least_squares(lambda x: np.zeros(2 + int(x[0] > 2.5)))


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="give x0 or bounds"):
        least_squares(bounds=None)
    with pytest.raises(InputError, match="whole number of evaluations"):
        least_squares(budget=-3)
