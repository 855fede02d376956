"""How much of a run's progress comes from rows about the best one, and so how many slots they may have.

Per generation, with f_b the best value before it: ours is the gain of the best of our rows per row of ours, theirs that
of the host's rows per row of theirs. Discounted means of both give

    share = (ours + p)/(ours + theirs + p) · (1 − falls (1 − min(1, 2 often))),

where ``often`` is the discounted frequency of generations in which we gained something that counts: at least ε times
the median height of the host's rows above f_b. ``falls`` says how surely the host's rows descend: by how many of them
are better than the median of some generations ago. While they do, polishing a point that is hardly getting better is
no use of rows; once they stay where they are, any gain counts, and where nobody gains (p), ours are as good as any.
"""

from __future__ import annotations

from collections import deque
from math import inf, isfinite

import numpy as np

from janusopt.core.arrays import Mask, Vec
from janusopt.core.evidence import Smoothed

_RATE = 0.05
_COUNTS = 1e-4  # ε
_AGO = 20
_FALL = 0.1


class Gains:
    """Discounted gains of two parties on the best value so far."""

    def __init__(self) -> None:
        self._ours, self._theirs, self._often = Smoothed(_RATE), Smoothed(_RATE), Smoothed(_RATE, 1.0)
        self._better = Smoothed(_RATE, 1.0)
        self._medians: deque[float] = deque(maxlen=_AGO)
        self._prior = 0.0

    def add(self, f: Vec, ours: Mask, best: float) -> None:
        """One generation: f (n,), infinite where a row failed; which rows are ours (n,); the best value before it."""
        if not isfinite(best):
            return
        others = f[~ours]
        if len(others):
            if len(self._medians) == _AGO:
                self._better.add(float(np.mean(others < self._medians[0])))
            self._medians.append(float(np.median(others)))
        height = self._medians[-1] - best if self._medians else 0.0
        host = max(best - float(others.min(initial=inf)), 0.0)
        self._theirs.add(host / max(len(others), 1))
        self._prior = _COUNTS * max(height, 0.0) / len(f) if isfinite(height) else 0.0
        if ours.any():
            mine = max(best - float(f[ours].min()), 0.0)
            self._ours.add(mine / int(ours.sum()))
            self._often.add(float(mine > _COUNTS * height))

    @property
    def falls(self) -> float:
        return min(max((self._better.value - 0.5) / _FALL, 0.0), 1.0)

    @property
    def share(self) -> float:
        """In [0, 1]; 1 before the first gain of either."""
        mine, host = self._ours.value + self._prior, self._theirs.value
        part = 1.0 / (1.0 + host / mine) if mine > 0.0 else float(host == 0.0)
        return part * (1.0 - self.falls * (1.0 - min(1.0, 2.0 * self._often.value)))
