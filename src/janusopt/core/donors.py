"""Rows that coordinates are taken from: those remembered, and as one in six the two corners of the box."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Rows, Vec
from janusopt.core.reservoir import Reservoir


class Donors:
    """The reservoir's n rows (n, d) and, where the box is finite, n/5 corners, by index as if they were one table."""

    def __init__(self, memory: Reservoir, lower: Vec, upper: Vec) -> None:
        self._memory, self._corners = memory, np.array([lower, upper])
        self._finite = bool(np.isfinite(self._corners).all())

    def __len__(self) -> int:
        n = len(self._memory.rows)
        return n + max(n // 5, 2) if self._finite else n

    def __getitem__(self, index: Index) -> Rows:
        """(…, d): the rows of ``index`` (…)."""
        rows = self._memory.rows
        beyond = index >= len(rows)
        if not beyond.any():
            return rows.take(index, axis=0)
        taken = rows.take(np.where(beyond, 0, index), axis=0)
        taken[beyond] = self._corners[(index[beyond] - len(rows)) % 2]
        return taken
