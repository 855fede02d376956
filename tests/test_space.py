"""Bounds, start and spread as a user may give them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds

from janusopt.errors import InputError
from janusopt.space import read_space


def read(x0=None, bounds=None, sigma0=None, seed=0):
    return read_space(x0, bounds, sigma0, np.random.default_rng(seed))


PAIRS = [(0.0, 1.0), (-2.0, 2.0), (5.0, 15.0)]


@pytest.mark.parametrize(
    "bounds",
    [
        PAIRS,
        np.array(PAIRS),
        np.array(PAIRS).T,
        (np.array([0, -2, 5]), np.array([1, 2, 15])),
        Bounds([0, -2, 5], [1, 2, 15]),
        [[0, 1], [-2, 2], [5, 15]],
    ],
)
def test_bounds_are_read_in_every_form(bounds):
    space = read(bounds=bounds)
    np.testing.assert_array_equal(space.lower, [0, -2, 5])
    np.testing.assert_array_equal(space.upper, [1, 2, 15])
    assert space.d == 3


def test_the_start_is_uniform_in_the_box_and_follows_the_seed():
    starts = np.array([read(bounds=PAIRS, seed=seed).x0 for seed in range(200)])
    lower, upper = np.array(PAIRS).T
    assert ((starts >= lower) & (starts <= upper)).all()
    np.testing.assert_allclose(starts.mean(axis=0), (lower + upper) / 2, atol=0.1 * (upper - lower).max())
    np.testing.assert_array_equal(read(bounds=PAIRS, seed=3).x0, read(bounds=PAIRS, seed=3).x0)


def test_the_spread_is_a_fifth_of_each_side_or_of_the_start():
    np.testing.assert_allclose(read(bounds=PAIRS).sigma0, [0.2, 0.8, 2.0])
    np.testing.assert_allclose(read(x0=[0.1, -30.0]).sigma0, [0.2, 6.0])
    np.testing.assert_allclose(read(x0=[1.0, 1.0], sigma0=0.3).sigma0, [0.3, 0.3])
    np.testing.assert_allclose(read(x0=[1.0, 1.0], sigma0=[0.3, 7]).sigma0, [0.3, 7.0])


def test_a_side_may_stay_open():
    space = read(x0=[1.0, 2.0], bounds=[(0.0, None), (None, None)])
    np.testing.assert_array_equal(space.lower, [0.0, -np.inf])
    np.testing.assert_array_equal(space.upper, [np.inf, np.inf])
    np.testing.assert_allclose(space.sigma0, [0.2, 0.4])


def test_one_bound_of_scipys_serves_every_coordinate():
    np.testing.assert_array_equal(read(x0=np.zeros(3), bounds=Bounds(-1, 1)).upper, np.ones(3))


def test_two_variables_are_read_as_pairs():
    space = read(bounds=[(0.0, 1.0), (5.0, 6.0)])
    np.testing.assert_array_equal(space.lower, [0.0, 5.0])


def test_what_is_handed_out_is_read_only_and_what_came_in_is_untouched():
    x0 = np.ones(3)
    space = read(x0=x0, bounds=[(0, 2)] * 3)
    with pytest.raises(ValueError, match="read-only"):
        space.x0[0] = 9.0
    x0[0] = 2.0
    assert space.x0[0] == 1.0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "give x0 or bounds"),
        ({"bounds": [(0, 1), (2, 2)]}, r"below its upper bound: bounds\[1\] = \(2.0, 2.0\)"),
        ({"bounds": [(3, 1), (0, 1)]}, r"bounds\[0\] = \(3.0, 1.0\)"),
        ({"bounds": [(0, 1), (0, np.nan)]}, r"bounds\[1\] = \(0.0, nan\)"),
        ({"bounds": [(0, 1, 2)] * 4}, r"d pairs \(low, high\).*got shape \(4, 3\)"),
        ({"bounds": [(0, 1), (0, 1, 2)]}, "could not read them"),
        ({"bounds": [("a", "b")] * 3}, "could not read them"),
        ({"bounds": [(0, 1j)] * 3}, "could not read them"),
        ({"bounds": 7}, "could not read them"),
        ({"bounds": [(0, None)] * 3}, "3 of 3 variables without"),
        ({"x0": [9, 0], "bounds": [(0, 1)] * 2}, r"x0\[0\] = 9.0 is outside \[0.0, 1.0\] \(1 of 2"),
        ({"x0": [0, 0, 0], "bounds": [(0, 1)] * 2}, "x0 has 3, bounds have 2"),
        ({"x0": [np.nan, 0]}, "x0 must be finite, got 1"),
        ({"x0": [np.inf, 0]}, "x0 must be finite, got 1"),
        ({"x0": np.zeros((2, 2))}, r"non-empty vector.*\(2, 2\)"),
        ({"x0": []}, r"non-empty vector.*\(0,\)"),
        ({"x0": 3.0}, r"non-empty vector.*\(\)"),
        ({"x0": "abc"}, "non-empty vector.*'abc'"),
        ({"x0": [1j, 0]}, "non-empty vector of real numbers"),
        ({"x0": [[1], [2, 3]]}, "non-empty vector of real numbers"),
        ({"x0": [0, 0], "sigma0": 0.0}, "sigma0 must be a positive number or 2 of them, got 0.0"),
        ({"x0": [0, 0], "sigma0": [1, 2, 3]}, "sigma0 must be a positive number or 2 of them"),
        ({"x0": [0, 0], "sigma0": np.nan}, "sigma0 must be a positive number"),
        ({"x0": [0, 0], "sigma0": "wide"}, "sigma0 must be a positive number or 2 of them, got 'wide'"),
    ],
)
def test_bad_input_is_refused_with_what_was_expected_and_what_came(given, says):
    with pytest.raises(InputError, match=says):
        read(**given)
