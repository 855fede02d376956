"""Fronts along a run: when they are looked at."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench.gallery import Gallery, counts, unit_volume


@pytest.mark.parametrize(("objectives", "number"), [(2, 12), (3, 12), (5, 4), (10, 4)])
def test_a_quarter_and_half_of_the_budget_are_among_the_counts(objectives, number):
    found = counts(20000, objectives)
    assert len(found) == number
    assert found[-1] == 20000
    assert {5000, 10000} <= set(found)


def test_a_population_is_kept_for_the_counts_that_pass_before_the_next():
    gallery = Gallery(400, 2)  # …, 100, 141, 200, 283, 400
    gallery.before(150, lambda: np.array([[1.0, 1.0]]))
    gallery.before(250, lambda: np.array([[0.5, 0.5], [0.6, 0.6]]))
    gallery.last(250, np.array([[0.1, 0.1]]))
    assert gallery.fronts[141].tolist() == [[1.0, 1.0]]
    assert gallery.fronts[200].tolist() == [[0.5, 0.5]]
    assert gallery.fronts[250].tolist() == [[0.1, 0.1]]
    assert max(gallery.fronts) == 250


def test_an_empty_population_leaves_no_front():
    gallery = Gallery(400, 2)
    gallery.last(400, np.empty((0, 2)))
    assert gallery.fronts == {}


def test_many_objectives_are_estimated_closely():
    assert unit_volume(np.full((1, 6), 0.5)) == pytest.approx(0.5**6, rel=0.01)
    assert unit_volume(np.full((1, 3), 0.5)) == pytest.approx(0.125)
