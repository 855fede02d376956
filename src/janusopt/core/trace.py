"""The bounded record of evaluated rows, and the read-only window the charts read.

Rows live in a ring of fixed size: memory is ``capacity·(d + m + 1)`` numbers however long a run is.
Failed rows never enter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.core.arrays import Index, Rows, Selection, Vec, frozen
from janusopt.core.evaluations import Evaluations


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The most recent n rows in ring order: X (n, d), f (n,), S (n, m) or None, serial (n,) a row's number in the run.

    A view, not a copy (at d = 100,000 a copy is 240 MB): it is valid until the next row is recorded.
    """

    X: Rows
    f: Vec
    S: Rows | None
    serial: Index

    def __len__(self) -> int:
        return len(self.f)

    @property
    def age(self) -> Vec:
        """(n,) in [0, 1): 0 for the newest row."""
        n = len(self)
        return np.asarray((self.serial.max(initial=0) - self.serial) / max(n, 1))


class Trace:
    """Ring of the last ``capacity`` evaluated rows."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.count = 0  #: rows ever recorded
        self._X: Rows | None = None
        self._f: Vec = np.empty(capacity)
        self._S: Rows | None = None
        self._serial: Index = np.empty(capacity, dtype=np.intp)

    def __len__(self) -> int:
        return min(self.count, self.capacity)

    @property
    def has_components(self) -> bool:
        """Whether components or objectives came with the rows."""
        return self._S is not None

    def record(self, X: Rows, evals: Evaluations) -> None:
        """Append the rows of X (n, d) that did not fail, with their components or objectives."""
        whole = not evals.failed.any() and len(X) <= self.capacity
        keep: Selection = slice(None) if whole else np.flatnonzero(~evals.failed)[-self.capacity :]
        f = evals.f[keep]
        if len(f) == 0:
            return
        S = evals.objectives if evals.objectives is not None else evals.components
        if self._X is None:
            self._X = np.empty((self.capacity, X.shape[1]))
            self._S = None if S is None else np.empty((self.capacity, S.shape[1]))
        serial, first = np.arange(self.count, self.count + len(f)), self.count % self.capacity
        last = first + len(f)
        at: Selection = slice(first, last) if last <= self.capacity else serial % self.capacity
        self._X[at], self._f[at], self._serial[at] = X[keep], f, serial
        if self._S is not None and S is not None:
            self._S[at] = S[keep]
        self.count += len(f)

    def window(self) -> Window:
        """The rows held now."""
        n = len(self)
        if self._X is None:
            return Window(np.empty((0, 0)), np.empty(0), None, self._serial[:0])
        S = None if self._S is None else frozen(self._S[:n])
        return Window(frozen(self._X[:n]), frozen(self._f[:n]), S, self._serial[:n])
