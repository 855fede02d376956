"""When a descent counts as hurried."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janusopt.core.promise import Promises


def descent(ratios, widths):
    promises = Promises()
    for ratio, width in zip(ratios, widths, strict=True):
        promises.add(ratio * 3.0, 3.0)
        promises.shrink(width)
    return promises


WIDTHS = np.geomspace(2.0, 1e-3, 200)


def test_a_descent_that_kept_its_promises_is_never_hurried():
    assert not descent(np.ones(200), WIDTHS).hurried


def test_a_descent_on_broken_promises_is_hurried_once_it_is_over():
    broken = np.full(200, 0.2)
    assert descent(broken, WIDTHS).hurried
    assert not descent(broken[:140], WIDTHS[:140]).hurried, "not yet a three-hundredth as wide"


def test_promises_that_are_kept_inside_the_basin_do_not_make_up_for_those_broken_on_the_way():
    ratios = np.where(WIDTHS > 0.05, 0.2, 1.0)
    assert descent(ratios, WIDTHS).hurried


def test_promises_broken_only_at_the_start_are_forgiven():
    ratios = np.where(WIDTHS > 0.5, 0.3, 1.0)
    assert not descent(ratios, WIDTHS).hurried


def test_promises_broken_only_on_a_fine_scale_are_forgiven():
    ratios = np.where(WIDTHS < 0.15, 0.0, 1.0)
    assert not descent(ratios, WIDTHS).hurried


def test_the_more_a_promise_is_broken_the_sooner_a_descent_is_hurried():
    wide = WIDTHS > 0.4
    assert descent(np.where(wide, 0.0, 1.0), WIDTHS).hurried
    assert not descent(np.where(wide, 0.3, 1.0), WIDTHS).hurried


def test_what_shrinks_after_growing_again_counts_from_the_widest():
    widths = np.concatenate([np.geomspace(0.01, 2.0, 50), np.geomspace(2.0, 0.01, 100)])
    assert not descent(np.full(150, 0.2), widths).hurried


@given(st.floats(1e-250, 1e250), st.floats(1e-100, 1e100))
def test_units_of_objective_and_variables_do_not_matter(unit, scale):
    promises = Promises()
    for width in WIDTHS:
        promises.add(0.2 * unit, unit)
        promises.shrink(width * scale)
    assert promises.hurried


def test_a_generation_is_compared_with_what_was_said_of_it():
    f, predicted = np.array([1.0, 0.0, 5.0, 7.0]), np.array([0.5, 0.0, 3.0, 4.0])
    promises, twin = Promises(), Promises()
    promises.compare(f, predicted, unit=2.0, row=0, ours=2)
    twin.add(6.0 - 1.0, 2.0 * (3.5 - 0.5))
    assert promises._ratio.value == twin._ratio.value


def test_values_up_to_the_largest_are_compared_without_a_warning():
    promises = Promises()
    promises.compare(np.array([-1e308, 1e308, 1e308]), np.array([-1e300, 1e308, 1e308]), unit=1e280, row=0, ours=1)
    assert not promises.hurried


@pytest.mark.parametrize("promised", [0.0, -1.0, float("nan")])
def test_no_promise_is_neither_kept_nor_broken(promised):
    promises = Promises()
    for width in WIDTHS:
        promises.add(-5.0, promised)
        promises.shrink(width)
    assert not promises.hurried


def test_values_that_are_not_finite_and_widths_of_zero_are_passed_over():
    promises = Promises()
    for width in (1.0, 0.0, float("nan"), 0.5):
        promises.add(float("nan"), 1.0)
        promises.add(float("inf"), 1.0)
        promises.shrink(width)
    assert not promises.hurried
    assert not Promises().hurried


def test_what_was_shown_of_late_starts_at_nothing_and_follows_what_comes():
    promises = Promises()
    assert promises.shown == 0.0
    for _ in range(20):
        promises.add(1.0, 1.0)
    assert promises.shown == pytest.approx(1.0, abs=0.02)
    for _ in range(20):
        promises.add(0.3, 1.0)
    assert promises.shown == pytest.approx(0.3, abs=0.02)
