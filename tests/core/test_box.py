"""Steps inside a box against the model's minimizers, found by trying every face."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import seeds, spread
from janusopt.core.box import boxed_step, returned

LOW, HIGH = -1.0, 1.0


def problem(seed, d, decades=1.0, diagonal=False):
    """A positive definite model at a point of the box, some coordinates on a bound; its free step."""
    rng = np.random.default_rng(seed)
    M = np.eye(d) if diagonal else rng.standard_normal((d, d))
    A = (M * spread(rng, d, decades)) @ M.T + 1e-2 * np.eye(d)
    g = 3.0 * rng.standard_normal(d)
    x = np.where(rng.random(d) < 0.3, HIGH, rng.uniform(LOW, HIGH, d))
    return x, A, g, -np.linalg.solve(A, g)


def boxed(x, A, g, step):
    d = len(x)
    return boxed_step(x, step, g, lambda v: A @ v, np.full(d, LOW), np.full(d, HIGH))


@given(seeds, st.integers(1, 8), st.integers(0, 6))
def test_the_step_stays_in_the_box(seed, d, decades):
    x, A, g, step = problem(seed, d, decades)
    end = x + boxed(x, A, g, step)
    assert (np.clip(end, LOW - 1e-12, HIGH + 1e-12) == end).all()


@given(seeds, st.integers(1, 8))
def test_a_step_that_stays_inside_is_returned_as_it_is(seed, d):
    x, A, g, step = problem(seed, d)
    step = step * 0.5 * (1.0 - np.abs(x)).min() / np.abs(step).max()
    assert boxed(x, A, g, step) is step


@given(seeds, st.integers(1, 6))
def test_without_coupling_it_is_the_minimizer_of_the_box(seed, d):
    x, A, g, step = problem(seed, d, diagonal=True)
    np.testing.assert_allclose(boxed(x, A, g, step), reference.box_minimizer(A, g, LOW - x, HIGH - x), atol=1e-3)


@given(seeds, st.integers(1, 4))
def test_the_free_coordinates_minimize_the_model_with_the_active_bounds_held(seed, d):
    x, A, g, step = problem(seed, d)
    p = boxed(x, A, g, step)
    if p is step:
        return
    fixed = (x + p <= LOW + 1e-12) | (x + p >= HIGH - 1e-12)
    slope = np.where(fixed, 0.0, g + A @ p)
    assert np.linalg.norm(slope) <= 3e-2 * np.linalg.norm(g + A @ np.where(fixed, p, 0.0)) + 1e-9


@given(seeds, st.integers(2, 4))
def test_from_inside_holding_the_bounds_is_no_worse_than_clipping(seed, d):
    x, A, g, step = problem(seed, d)
    x = 0.9 * x
    clipped = np.clip(x + step, LOW, HIGH) - x
    held, plain = (reference.model(A, g, p) for p in (boxed(x, A, g, step), clipped))
    assert held <= plain + 0.02 * abs(plain)


def test_a_coordinate_on_its_bound_stays_there_when_the_slope_pushes_it_out():
    x, g = np.array([1.0, 0.0]), np.array([-1.0, -8.0])
    p = boxed(x, np.eye(2), g, -g)
    np.testing.assert_allclose(x + p, [1.0, 1.0])


def test_a_coordinate_on_its_bound_stays_there_also_when_the_free_step_pulls_it_in():
    A = np.array([[1.0, 0.9], [0.9, 1.0]])
    x, g = np.array([1.0, 0.0]), np.array([-0.5, -2.0])
    step = -np.linalg.solve(A, g)
    assert step[0] < 0.0
    assert x[1] + step[1] > HIGH
    assert (x + boxed(x, A, g, step))[0] == HIGH


def test_points_outside_are_put_on_the_bound_or_mirrored_at_it():
    lower, upper = np.array([0.0, 0.0, -np.inf, 0.0, 2.0]), np.array([1.0, 1.0, 0.0, np.inf, 2.0])
    X = np.array([[-0.25, 1.25, 3.0, -4.0, 5.0], [0.5, 0.1 + 0.2, -3.0, 4.0, 2.0], [7.25, -6.5, 0.0, 0.0, 1.0]])
    clipped = [[0.0, 1.0, 0.0, 0.0, 2.0], X[1], [1.0, 0.0, 0.0, 0.0, 2.0]]
    np.testing.assert_array_equal(returned(X, lower, upper, "clip"), clipped)
    mirrored = [[0.25, 0.75, -3.0, 4.0, 2.0], X[1], [0.75, 0.5, 0.0, 0.0, 2.0]]
    np.testing.assert_array_equal(returned(X, lower, upper, "reflect"), mirrored)
