"""Read-only views."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.arrays import frozen, norm


def test_a_frozen_view_cannot_be_written_and_does_not_freeze_its_owner():
    owner = np.arange(3.0)
    view = frozen(owner)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 9.0
    owner[0] = 9.0
    assert view[0] == 9.0
    assert frozen([1, 2]).dtype == np.float64


def test_norm_is_a_plain_float():
    assert norm(np.array([3.0, 4.0])) == 5.0
    assert type(norm(np.array([3.0]))) is float
    assert norm(np.array([1e200, 1.0])) == np.inf
    assert np.isnan(norm(np.array([np.nan, 1.0])))
