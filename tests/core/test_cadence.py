"""How often a window is fitted and scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from janusopt.config import JanusConfig
from janusopt.core.cadence import Cadence
from janusopt.core.frame import Frame


def frame(d, *, rotated=True, owns=True):
    basis, roots = (np.eye(d), np.ones(d)) if rotated else (None, None)
    free = np.full(d, np.inf)
    return replace(Frame(np.zeros(d), 1.0, np.ones(d), -free, free, basis, roots), owns_covariance=owns)


def looked(frame, *, components=False, shown=1.0, sigmas=(1.0,), **settings):
    cadence = Cadence(JanusConfig(**settings))
    for sigma in sigmas:
        cadence.look(replace(frame, sigma=sigma), components, shown, rows=10)
    return cadence


@pytest.mark.parametrize("d", [30, 76, 77, 150, 200, 1000])
def test_a_fit_stands_where_the_window_knows_little_and_its_promises_are_kept(d):
    expected = [1, 1, 1, 1] if d < 77 else [1, 4, 4, 1] if d < 200 else [2, 2, 2, 2]
    assert [looked(frame(d), shown=shown).lasting for shown in (0.3, 0.9, 1.0, 1.3)] == expected


@pytest.mark.parametrize(("fall", "lasting"), [(0.005, 4), (0.02, 1), (-0.005, 4), (-0.02, 1)])
def test_nothing_stands_where_the_host_travels(fall, lasting):
    sigmas = np.exp(-fall * np.arange(100))
    assert looked(frame(100), sigmas=sigmas).lasting == lasting
    assert looked(frame(300), sigmas=sigmas).lasting == 2


def test_a_step_size_of_zero_says_nothing():
    assert looked(frame(100), sigmas=(1.0, 0.0, 1.0)).lasting == 4


def test_a_longer_window_knows_more():
    assert looked(frame(100), window=600).lasting == 1
    assert looked(frame(120), window=600).lasting == 4


def test_components_populations_and_a_set_cadence_are_fitted_as_before():
    assert looked(frame(100), components=True).lasting == 1
    assert looked(frame(100, owns=False)).lasting == 1
    assert looked(frame(100), refit_every=1).lasting == 1
    assert looked(frame(100, rotated=False)).lasting == 1
    assert looked(frame(300, rotated=False)).lasting == 2


def test_fits_are_due_by_how_long_they_last():
    def due(cadence, generations=12):
        fits = []
        for generation in range(1, generations):
            if cadence.due(generation):
                fits.append(generation)
        return fits

    assert due(looked(frame(30))) == list(range(1, 12))
    assert due(looked(frame(100))) == [4, 8]
    assert due(looked(frame(300))) == [2, 4, 6, 8, 10]
    assert due(looked(frame(100), refit_every=5)) == [5, 10]


def test_it_is_new_fits_that_are_scored_and_every_other_one_where_none_stands():
    assert [g for g in range(12) if looked(frame(100)).scores(g)] == [0, 4, 8]
    assert [g for g in range(12) if looked(frame(300)).scores(g)] == [0, 2, 4, 6, 8, 10]
    assert [g for g in range(12) if looked(frame(30)).scores(g)] == [0, 2, 4, 6, 8, 10]


def test_only_at_large_d_is_there_one_newton_row_a_fit_and_a_memory_beside_it():
    middle, large = looked(frame(100)), looked(frame(300))
    assert middle.steps(frame(100), fresh=False)
    assert not middle.remembers(frame(100))
    assert large.steps(frame(300), fresh=True)
    assert not large.steps(frame(300), fresh=False)
    assert large.remembers(frame(300))
    assert looked(frame(30)).remembers(frame(30))
    assert looked(frame(100), shown=0.2).remembers(frame(100))
