"""What lies near a region, of all rows of a run: a ring of its own, as such rows are few in a generation."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.region import is_near, whitened
from janusopt.core.trace import Trace, Window


class Memory:
    """The last ``capacity`` rows that were near when they were looked at."""

    def __init__(self, capacity: int) -> None:
        self._trace = Trace(capacity)
        self._seen = 0

    def __len__(self) -> int:
        return len(self._trace)

    def window(self) -> Window:
        """The rows held now, with their objectives."""
        return self._trace.window()

    def look(self, recent: Window, here: Frame | None) -> Rows | None:
        """Take in what lies near of the rows since the last look; all before a region was opened.

        (n, d): all rows held now in z of ``here``; None where there is no such frame.
        """
        before, rows = self._trace.count, np.flatnonzero(recent.serial >= self._seen)
        self._seen = int(recent.serial.max(initial=-1)) + 1
        if recent.S is None:
            return None
        X, S = recent.X.take(rows, axis=0), recent.S.take(rows, axis=0)
        if here is None:
            self._record(X, S)
            return None
        Z = whitened(here, X)
        near = np.flatnonzero(is_near(Z))[-self._trace.capacity :]
        self._record(X.take(near, axis=0), S.take(near, axis=0))
        held = self.window()
        if len(held) == 0:
            return None
        if held.serial.min() < before:
            return whitened(here, held.X)
        return Z.take(near[held.serial - before], axis=0)

    def _record(self, X: Rows, S: Rows) -> None:
        n = len(X)
        self._trace.record(X, Evaluations(np.zeros(n), np.zeros(n, dtype=bool), objectives=S))
