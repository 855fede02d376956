"""How much of a run's progress comes from rows about the best one, and so how many slots they may have.

Per generation, with f_b the best value before it: ours is the gain of the best of our rows per row of ours, theirs that
of the host's rows per row of theirs. Discounted means of both give

    share = ours/(ours + theirs) · min(1, 2 often),

where ``often`` is the discounted frequency of generations in which we gained something that counts: at least ε times
the median height of the host's rows above f_b. Where the host still descends from far above, polishing a point that is
hardly getting better is no use of its rows.
"""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from janusopt.core.arrays import Mask, Vec
from janusopt.core.evidence import Smoothed

_RATE = 0.05
_COUNTS = 1e-4  # ε


class Gains:
    """Discounted gains of two parties on the best value so far."""

    def __init__(self) -> None:
        self._ours, self._theirs, self._often = Smoothed(_RATE), Smoothed(_RATE), Smoothed(_RATE, 1.0)

    def add(self, f: Vec, ours: Mask, best: float) -> None:
        """One generation: f (n,), infinite where a row failed; which rows are ours (n,); the best value before it."""
        if not ours.any() or not isfinite(best):
            return
        mine = max(best - float(f[ours].min()), 0.0)
        others = f[~ours]
        host = max(best - float(others.min(initial=inf)), 0.0)
        height = float(np.median(others)) - best if len(others) else 0.0
        self._ours.add(mine / int(ours.sum()))
        self._theirs.add(host / max(len(others), 1))
        self._often.add(float(mine > _COUNTS * height))

    @property
    def share(self) -> float:
        """In [0, 1]; 1 before the first gain of either."""
        mine, host = self._ours.value, self._theirs.value
        part = 1.0 / (1.0 + host / mine) if mine > 0.0 else float(host == 0.0)
        return part * min(1.0, 2.0 * self._often.value)
