"""The ring of evaluated rows."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.evaluations import Evaluations
from janusopt.core.trace import Trace


def generation(values, failed=(), **more):
    f = np.array(values, dtype=float)
    bad = np.zeros(len(f), dtype=bool)
    bad[list(failed)] = True
    return np.column_stack([f, -f]), Evaluations(f, bad, **more)


def test_the_window_holds_the_most_recent_rows():
    trace = Trace(5)
    trace.record(*generation([0, 1, 2]))
    assert len(trace) == 3
    trace.record(*generation([3, 4, 5, 6]))
    window = trace.window()
    assert len(window) == len(trace) == 5
    assert trace.count == 7
    assert sorted(window.f) == [2, 3, 4, 5, 6]
    np.testing.assert_array_equal(window.X[:, 0], window.f)
    np.testing.assert_array_equal(window.serial, window.f)


def test_age_counts_from_the_newest_row():
    trace = Trace(4)
    trace.record(*generation([0, 1, 2, 3, 4]))
    window = trace.window()
    np.testing.assert_array_equal(window.age, (4 - window.f) / 4)


def test_a_generation_larger_than_the_ring_leaves_its_last_rows():
    trace = Trace(3)
    trace.record(*generation(range(8)))
    assert sorted(trace.window().f) == [5, 6, 7]


def test_failed_rows_never_enter():
    trace = Trace(10)
    trace.record(*generation([1, np.nan, 3], failed=[1]))
    trace.record(*generation([np.nan, np.nan], failed=[0, 1]))
    assert sorted(trace.window().f) == [1, 3]


def test_components_and_objectives_stand_beside_their_rows():
    for name in ("components", "objectives"):
        trace = Trace(3)
        for start in (0, 2):
            f = np.arange(start, start + 2.0)
            trace.record(*generation(f, **{name: np.column_stack([10 * f, 20 * f, 30 * f])}))
        window = trace.window()
        np.testing.assert_array_equal(window.S[:, 2], 30 * window.f)


def test_an_empty_trace_has_an_empty_window():
    window = Trace(3).window()
    assert len(window) == 0
    assert window.S is None


def test_the_window_is_read_only():
    trace = Trace(3)
    trace.record(*generation([1, 2]))
    with pytest.raises(ValueError, match="read-only"):
        trace.window().X[0, 0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        trace.window().f[0] = 9.0
