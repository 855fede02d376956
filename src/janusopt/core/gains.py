"""How much of a run's progress comes from rows about the best one, and so how many slots they may have.

Per generation, with f_b the best value before it: ours is the gain of the best of our rows per row of ours, theirs that
of the host's rows per row of theirs. Discounted means of both give

    share = (ours + p)/(ours + theirs + p) · (1 − falls (1 − min(1, 2 often))),

where ``often`` is the discounted frequency of generations in which we gained something that counts: at least ε times
the median height of the host's rows above f_b. While the host descends from far above, polishing a point that is hardly
getting better is no use of its rows. ``falls`` in [0, 1] says whether it does, by how many of its rows are better than
the median of some generations ago, whatever the scale of f. Once they no longer are, any gain counts; and where nobody
gains anything, our rows are as good as the host's: p is ε times that height, over all rows.
"""

from __future__ import annotations

from collections import deque
from math import inf, isfinite

import numpy as np

from janusopt.core.arrays import Mask, Vec
from janusopt.core.evidence import Smoothed

_RATE = 0.05
_COUNTS = 1e-4  # ε
_AGO = 20  # generations
_STILL, _FALLING = 0.5, 0.6  # share of the host's rows below the median of then: where it stands still, where it falls


class Gains:
    """Discounted gains of two parties on the best value so far, and whether the host's rows descend."""

    def __init__(self) -> None:
        self._ours, self._theirs, self._often = Smoothed(_RATE), Smoothed(_RATE), Smoothed(_RATE, 1.0)
        self._below = Smoothed(_RATE, 1.0)
        self._medians: deque[float] = deque(maxlen=_AGO)
        self._prior = 0.0  # p

    def add(self, f: Vec, ours: Mask, best: float) -> None:
        """One generation: f (n,), infinite where a row failed; which rows are ours (n,); the best value before it."""
        if not isfinite(best):
            return
        others = f[~ours]
        height = self._descent(others) - best if len(others) else 0.0
        host = max(best - float(others.min(initial=inf)), 0.0)
        self._theirs.add(host / max(len(others), 1))
        self._prior = _COUNTS * max(height, 0.0) / len(f) if isfinite(height) else 0.0
        if ours.any():
            mine = max(best - float(f[ours].min()), 0.0)
            self._ours.add(mine / int(ours.sum()))
            self._often.add(float(mine > _COUNTS * height))

    def _descent(self, others: Vec) -> float:
        """The median of the host's rows (k,), compared with an older one."""
        if len(self._medians) == _AGO:
            self._below.add(float(np.mean(others < self._medians[0])))
        self._medians.append(float(np.median(others)))
        return self._medians[-1]

    @property
    def falls(self) -> float:
        """How surely the host's rows descend, in [0, 1]; 1 before it is known."""
        return min(max((self._below.value - _STILL) / (_FALLING - _STILL), 0.0), 1.0)

    @property
    def share(self) -> float:
        """In [0, 1]; 1 before the first gain of either."""
        mine, host = self._ours.value + self._prior, self._theirs.value
        part = 1.0 / (1.0 + host / mine) if mine > 0.0 else float(host == 0.0)
        return part * (1.0 - self.falls * (1.0 - min(1.0, 2.0 * self._often.value)))
