"""Whitened rows of the trace, computed once per row while the host's shape stands still.

Whitening a window costs n·d² with a full covariance; the host decomposes that covariance only every few generations
at large d. Between decompositions only the rows that came in are whitened, about the mean of the time of the last
full pass, and a window in z is one subtraction away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from janusopt.core.arrays import Index, Rows, Selection
from janusopt.core.frame import Frame, Warp
from janusopt.core.trace import Window

_LARGE = 3_000_000  # numbers in a window from which a copy of it is too much memory
_WORTHWHILE = 80  # variables: below, the host decomposes every generation and there is nothing to keep
_EVEN = 1e3  # ratio of a host's deviations up to which float32 whitens: its rounding stays below 1e-3 of the least one


class HostRows:
    """The ring's rows in the host's coordinates: a row is mapped once, as long as the host's warp is the same."""

    def __init__(self) -> None:
        self._warp: Warp | None = None
        self._G: Rows = np.empty((0, 0))
        self._serial: Index = np.empty(0, dtype=np.intp)

    def __call__(self, window: Window, frame: Frame) -> Rows:
        """``frame.host(window.X)`` (n, d)."""
        if frame.warp is None or window.X.size > _LARGE:
            return frame.host(window.X)
        if self._warp is not frame.warp or self._G.shape != window.X.shape:
            self._warp, self._serial = frame.warp, np.full(len(window), -1)
            if self._G.shape != window.X.shape:
                self._G = np.empty(window.X.shape)
        fresh = np.flatnonzero(self._serial != window.serial)
        if len(fresh):
            self._G[fresh] = frame.warp.inward(window.X[fresh])
            self._serial[fresh] = window.serial[fresh]
        return self._G


class Pass:
    """Whitens all rows at once, in arrays that are kept: fresh pages of that size cost as much as the products."""

    def __init__(self) -> None:
        self._moved: Rows = np.empty((0, 0))
        self._spread: Rows = np.empty((0, 0))
        self._turned: Rows = np.empty((0, 0))

    def __call__(self, G: Rows, frame: Frame, out: Rows) -> Rows:
        """``frame.of_host(G)`` (n, d) of a rotated frame, in the precision of ``out``, which it is written to.

        In float64 all the same where the host's deviations differ so much that float32 would round off the small ones.
        """
        roots = frame.deviations / frame.sigma
        single = out.dtype == np.float32 and float(roots.max()) < _EVEN * float(roots.min())
        kind = np.dtype(np.float32 if single else np.float64)
        if self._moved.shape != G.shape:
            self._moved = np.empty(G.shape)
        if (self._spread.shape, self._spread.dtype) != (G.shape, kind):
            self._spread, self._turned = np.empty((2, *G.shape), kind)
        moved = np.subtract(G, frame.mean, out=self._moved)
        with np.errstate(over="ignore", invalid="ignore"):  # a row that far away is not finite, and left out
            spread = np.multiply(moved, 1.0 / frame.sigma, out=self._spread, casting="same_kind")
            turned = frame.rotate(spread, out=self._turned)
            return np.multiply(turned, (1.0 / roots).astype(kind), out=out, casting="same_kind")


class Whitener:
    """Cache of ``L⁻¹(x − origin)/sigma``, origin and sigma of the last full pass, for the ring's rows, by ``shape_id``.

    In float32, as most fits are, where f is all that is seen. Its arrays are kept from call to call: fresh pages of
    that size cost as much as the products.
    """

    def __init__(self) -> None:
        self._hosted, self._pass = HostRows(), Pass()
        self._begun: Frame | None = None
        self._rows: Rows = np.empty((0, 0))
        self._Z: Rows = np.empty((0, 0))
        self._serial: Index = np.empty(0, dtype=np.intp)

    def to_z(self, window: Window, frame: Frame, rows: Selection) -> Rows:
        """``frame.to_z(window.X[rows])`` (k, d), valid until the next call."""
        if frame.basis is None and frame.warp is None:  # in place: at d = 100,000 every further copy is 200 MB
            X = window.X[rows]
            Z = np.subtract(X, frame.mean, out=None if isinstance(rows, slice) else X)
            Z /= frame.sigma * frame.scale
            return Z
        if not frame.rotated or frame.d < _WORTHWHILE:
            return frame.of_host(self._hosted(window, frame)[rows])
        kind = np.dtype(np.float32 if window.S is None else np.float64)
        begun = self._began(window, frame, kind)
        self._take_in(window, begun, rows)
        held = self._rows
        if isinstance(rows, slice):
            Z = self._kept(len(window), frame.d, kind)
        else:
            held = Z = np.take(self._rows, rows, axis=0, out=self._kept(len(rows), frame.d, kind), mode="clip")
        if begun.mean is not frame.mean:
            held = np.subtract(held, begun.of_host(frame.mean).astype(kind), out=Z)
        return np.multiply(held, kind.type(begun.sigma / frame.sigma), out=Z)

    def _began(self, window: Window, frame: Frame, kind: np.dtype[Any]) -> Frame:
        """The frame of the last full pass; with a new shape this one, and nothing kept is of use but the memory."""
        begun, old = self._begun, self._rows
        if begun is not None and begun.shape_id == frame.shape_id and (old.shape, old.dtype) == (window.X.shape, kind):
            return begun
        if (old.shape, old.dtype) != (window.X.shape, kind):
            self._rows = np.empty(window.X.shape, kind)
        self._begun, self._serial = frame, np.full(len(window), -1)
        return frame

    def _take_in(self, window: Window, begun: Frame, rows: Selection) -> None:
        """Whiten those of ``rows`` that are not held yet."""
        stale = self._serial != window.serial
        if isinstance(rows, slice) and stale.all():
            self._pass(self._hosted(window, begun), begun, self._rows)
            self._serial[...] = window.serial
            return
        fresh = np.flatnonzero(stale) if isinstance(rows, slice) else rows[stale[rows]]
        if len(fresh):
            with np.errstate(over="ignore"):
                self._rows[fresh] = begun.of_host(self._hosted(window, begun)[fresh])
            self._serial[fresh] = window.serial[fresh]

    def _kept(self, n: int, d: int, kind: np.dtype[Any]) -> Rows:
        if self._Z.shape != (n, d) or self._Z.dtype != kind:
            self._Z = np.empty((n, d), kind)
        return self._Z
