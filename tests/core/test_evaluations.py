"""What a host that cannot take NaN is told."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.evaluations import Evaluations

FAILED = np.array([False, True, False])


@pytest.mark.parametrize("worst", [-np.inf, 0.0, 50.0, 1e300])
def test_a_failed_row_is_strictly_worse_than_all_that_ever_came(worst):
    values = Evaluations(np.array([3.0, np.nan, 7.0]), FAILED).ranking(worst)
    assert np.isfinite(values).all()
    assert values[1] > max(worst, 7.0)
    np.testing.assert_array_equal(values[[0, 2]], [3.0, 7.0])


def test_a_generation_that_failed_altogether_still_has_finite_values():
    values = Evaluations(np.full(3, np.nan), np.ones(3, dtype=bool)).ranking(-np.inf)
    assert np.isfinite(values).all()


def test_what_a_failed_row_says_is_not_heard():
    values = Evaluations(np.array([3.0, -1e9, 7.0]), FAILED).ranking(-np.inf)
    assert values[1] > 7.0


def test_its_length_is_its_rows():
    assert len(Evaluations(np.zeros(3), FAILED)) == 3
