"""The cache of whitened rows is the whitening itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import orthonormal, seeds, spread
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.trace import Trace
from janusopt.core.whitening import HostRows, Pass, Whitener


@given(seeds, st.sampled_from(["diagonal", "rotated", "low rank"]), st.sampled_from([4, 90]))
def test_it_equals_whitening_every_row_anew(seed, form, d):
    rng = np.random.default_rng(seed)
    k = {"diagonal": 0, "rotated": d, "low rank": 2}[form]
    basis, roots = (orthonormal(rng, d, k), spread(rng, k, 2)) if k else (None, None)
    frame = Frame(rng.standard_normal(d), 1.0, spread(rng, d, 2), np.full(d, -np.inf), np.full(d, np.inf), basis, roots)
    trace, whitener = Trace(9), Whitener()
    for generation in range(8):
        n = int(rng.integers(1, 6))
        trace.record(rng.standard_normal((n, d)), Evaluations(rng.standard_normal(n), np.zeros(n, dtype=bool)))
        frame = replace(frame, mean=rng.standard_normal(d), sigma=float(spread(rng, 1, 2)[0]))
        if k and generation % 3 == 2:
            frame = replace(frame, basis=orthonormal(rng, d, k), shape_id=frame.shape_id + 1)
        if generation % 4 == 3:
            continue  # a generation without a fit: the cache falls behind
        window = trace.window()
        rows = rng.permutation(len(window))[: max(1, len(window) - 2)] if rng.random() < 0.5 else slice(None)
        Z = whitener.to_z(window, frame, rows)
        exact = frame.to_z(window.X[rows])
        rounding = 1e-9 if Z.dtype == np.float64 else 1e-5 * max(1.0, 1.0 / frame.sigma) * np.abs(exact).max()
        np.testing.assert_allclose(Z, exact, rtol=1e-9, atol=rounding)


def test_what_it_hands_out_is_the_callers_own():
    frame = Frame(np.zeros(2), 1.0, np.ones(2), np.full(2, -np.inf), np.full(2, np.inf), np.eye(2), np.ones(2))
    trace, whitener = Trace(5), Whitener()
    trace.record(np.ones((3, 2)), Evaluations(np.zeros(3), np.zeros(3, dtype=bool)))
    rows = np.arange(3)
    whitener.to_z(trace.window(), frame, rows)[:] = 99.0
    np.testing.assert_array_equal(whitener.to_z(trace.window(), frame, rows), np.ones((3, 2)))


@pytest.mark.parametrize(("widest", "rounding"), [(10.0, 1e-5), (1e6, 1e-6)])
def test_a_pass_is_as_exact_as_float32_can_say_however_much_the_deviations_differ(widest, rounding):
    rng, d = np.random.default_rng(1), 6
    free, roots = np.full(d, np.inf), np.geomspace(1.0, widest, d)
    frame = Frame(rng.standard_normal(d), 0.1, spread(rng, d, 1), -free, free, orthonormal(rng, d, d), roots)
    G = frame.from_z(rng.standard_normal((9, d)))
    whiten, exact = Pass(), frame.of_host(G)
    for kind, tolerance in ((np.float32, rounding), (np.float64, 1e-9)):
        Z = whiten(G, frame, np.empty(G.shape, kind))
        assert Z.dtype == kind
        np.testing.assert_allclose(Z, exact, rtol=tolerance, atol=tolerance)


def test_a_row_too_far_away_for_float32_is_not_finite_and_the_others_are():
    free = np.full(2, np.inf)
    frame = Frame(np.zeros(2), 1.0, np.ones(2), -free, free, np.eye(2), np.ones(2))
    Z = Pass()(np.array([[1e300, 0.0], [1.0, 2.0]]), frame, np.empty((2, 2), np.float32))
    assert not np.isfinite(Z[0]).all()
    np.testing.assert_array_equal(Z[1], [1.0, 2.0])


class Doubling:
    """A warp that counts the rows it maps."""

    def __init__(self):
        self.rows = 0

    def inward(self, X):
        self.rows += len(X)
        return 2.0 * X

    def outward(self, G):
        return 0.5 * G


def test_a_row_is_mapped_into_the_hosts_coordinates_once_while_the_warp_is_the_same():
    rng = np.random.default_rng(4)
    free = np.full(3, np.inf)
    frame = Frame(np.zeros(3), 1.0, np.ones(3), -free, free, warp=Doubling())
    trace, hosted = Trace(6), HostRows()
    for _ in range(4):
        trace.record(rng.standard_normal((3, 3)), Evaluations(np.zeros(3), np.zeros(3, dtype=bool)))
        window = trace.window()
        np.testing.assert_array_equal(hosted(window, frame), 2.0 * window.X)
    assert frame.warp.rows == 3 + 6 + 3 + 3  # the ring grew once
    other = replace(frame, warp=Doubling())
    hosted(window, other)
    assert other.warp.rows == 6
