"""Whitened rows of the trace, computed once per row while the host's shape stands still.

Whitening a window costs n·d² with a full covariance; the host decomposes that covariance only every few generations
at large d. Between decompositions only the rows that came in are whitened, about the mean of the time of the last
full pass, and a window in z is one subtraction away.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Rows, Selection, Vec
from janusopt.core.frame import Frame, Warp
from janusopt.core.trace import Window

_LARGE = 3_000_000  # numbers in a window from which a copy of it is too much memory
_WORTHWHILE = 80  # variables: below, the host decomposes every generation and there is nothing to keep


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


class Whitener:
    """Cache of ``L⁻¹(x − origin)``, but for the roots, for the ring's rows, keyed on ``frame.shape_id``.

    Its arrays are kept from call to call: fresh pages of that size cost as much as the products.
    """

    def __init__(self) -> None:
        self._hosted = HostRows()
        self._shape_id: int | None = None
        self._origin: Vec = np.empty(0)
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
        anew = self._shape_id != frame.shape_id or self._rows.shape != window.X.shape
        if anew:
            self._begin(window, frame)
        self._take_in(window, frame, rows)
        if isinstance(rows, slice):
            held, Z = self._rows, self._kept(len(window), frame.d)
        else:
            held = Z = np.take(self._rows, rows, axis=0, out=self._kept(len(rows), frame.d), mode="clip")
        if not anew:
            held = np.subtract(held, frame.rotate(frame.mean - self._origin), out=Z)
        return np.multiply(held, 1.0 / frame.deviations, out=Z)

    def _begin(self, window: Window, frame: Frame) -> None:
        """A new shape: nothing kept is of use but the memory."""
        self._origin, self._shape_id = frame.mean.copy(), frame.shape_id
        if self._rows.shape != window.X.shape:
            self._rows = np.empty(window.X.shape)
        self._serial = np.full(len(window), -1)

    def _take_in(self, window: Window, frame: Frame, rows: Selection) -> None:
        """Whiten those of ``rows`` that are not held yet."""
        stale = self._serial != window.serial
        if isinstance(rows, slice) and stale.all():
            moved = np.subtract(self._hosted(window, frame), self._origin, out=self._kept(*window.X.shape))
            frame.rotate(moved, out=self._rows)
            self._serial[...] = window.serial
            return
        fresh = np.flatnonzero(stale) if isinstance(rows, slice) else rows[stale[rows]]
        if len(fresh):
            self._rows[fresh] = frame.rotate(self._hosted(window, frame)[fresh] - self._origin)
            self._serial[fresh] = window.serial[fresh]

    def _kept(self, n: int, d: int) -> Rows:
        if self._Z.shape != (n, d):
            self._Z = np.empty((n, d))
        return self._Z
