"""Hypervolume and IGD+."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.errors import InputError
from janusopt.volume import hypervolume, hypervolume_estimate, igd_plus


def test_rows_beyond_the_reference_point_count_nothing():
    assert hypervolume([[0.5, 0.5], [2.0, 0.0]], [1.0, 1.0]) == pytest.approx(0.25)
    assert hypervolume(np.empty((0, 2)), [1.0, 1.0]) == hypervolume_estimate([[3.0, 3.0]], [1.0, 1.0]) == 0.0


def test_an_estimate_is_close_to_the_exact_volume_and_repeats_itself():
    F = np.abs(np.random.default_rng(0).normal(size=(60, 6)))
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    exact, estimate = hypervolume(F, np.full(6, 1.2)), hypervolume_estimate(F, np.full(6, 1.2))
    assert estimate == pytest.approx(exact, rel=0.01)
    assert estimate == hypervolume_estimate(F, np.full(6, 1.2))


def test_igd_plus_forgives_what_is_better_than_the_front():
    front = [[0.0, 1.0], [1.0, 0.0]]
    assert igd_plus(front, front) == 0.0
    assert igd_plus([[0.0, 1.5], [1.0, 0.0]], front) == pytest.approx(0.25)
    assert igd_plus([[-1.0, -1.0]], front) == 0.0


def test_a_reference_point_of_another_length_is_refused():
    with pytest.raises(InputError, match="reference point"):
        hypervolume([[1.0, 2.0]], [1.0, 2.0, 3.0])
