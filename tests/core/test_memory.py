"""The memory of a region: what it keeps, and where that lies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.memory import Memory
from janusopt.core.trace import Trace

D = 4


def here() -> Frame:
    basis, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((D, D)))
    free = np.full(D, np.inf)
    return Frame(np.zeros(D), 0.2, np.ones(D), -free, free, basis=basis, roots=np.array([1.0, 2.0, 0.5, 1.5]))


def record(trace: Trace, X: Rows) -> None:
    n = len(X)
    trace.record(X, Evaluations(np.zeros(n), np.zeros(n, dtype=bool), objectives=X[:, :2]))


def test_rows_that_are_held_are_told_in_the_regions_coordinates_wherever_they_lie_in_the_ring() -> None:
    rng, trace, memory = np.random.default_rng(1), Trace(100), Memory(25)
    for n, sigma in ((10, 0.2), (7, 0.4), (18, 0.3), (0, 0.1), (60, 0.2), (3, 0.5)):
        record(trace, rng.standard_normal((n, D)))
        frame = replace(here(), sigma=sigma)
        Z = memory.look(trace.window(), frame)
        held = memory.window()
        assert Z is not None
        np.testing.assert_allclose(Z, frame.to_z(held.X), rtol=1e-12, atol=1e-12)
        assert held.S is not None
        np.testing.assert_array_equal(held.S, held.X[:, :2])


def test_far_rows_are_kept_only_before_there_is_a_region() -> None:
    trace, memory = Trace(100), Memory(25)
    record(trace, np.full((3, D), 100.0))
    assert memory.look(trace.window(), None) is None
    record(trace, np.concatenate([np.full((2, D), 100.0), np.zeros((1, D))]))
    Z = memory.look(trace.window(), here())
    assert Z is not None
    np.testing.assert_array_equal(memory.window().X[:, 0], [100.0, 100.0, 100.0, 0.0])


def test_no_row_is_looked_at_twice() -> None:
    trace, memory = Trace(100), Memory(25)
    record(trace, np.zeros((5, D)))
    for _ in range(3):
        memory.look(trace.window(), here())
    assert len(memory.window()) == 5
