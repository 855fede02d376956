"""An encore: another whole descent, in a run whose first one is over above zero and zero is the least there can be.

Where a landscape has many basins, a run stays in one of them and spends the rest of its budget on the digits of its
floor. Between basins there is more to gain. A descent is over once half of a generation is flat beside f itself and its
last third has brought next to nothing,

    median f − min f ≤ flat · min f    and    min f after two thirds of its generations ≤ (1 + gain) · min f of now.

A descent towards zero is neither: f falls by a factor there. Then this host waits while a fresh one makes a descent of
its own, then the next, each with twice the population of the one before. Encores have half of what the first descent
left of the budget; the host that came lowest has the other half, so that where there is only one basin a run ends where
it would have been with half of its evaluations.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.descent import Descent
from janusopt.hosts.base import Host
from janusopt.infill import Infill

_FLAT, _GAIN = 0.05, 0.03
_LEAST = 10  # generations of a descent that can be over, and evaluations for each variable
_GROWTH = 2  # of the population, from one descent to the next: as in restarts by IPOP
_PART = 2  # of the evaluations that the first descent left: one in so many is the encores'


class Encore:
    """As many as there is room for in a run of ``budget`` evaluations that begins with ``host``."""

    def __init__(self, host: Host, budget: int) -> None:
        self._budget, self._until = budget, budget
        self._now = Descent(host)
        self._path: list[float] = []  # the least f after each of its generations
        self._spent = 0.0  # its evaluations, for each variable
        self._lowest: Descent | None = None  # of those that are over and could go on
        self._took = 0  # generations that it took
        self._ended = False
        self.fresh = False  #: whether the host of the last turn starts there

    def see(self, X: Rows, evals: Evaluations) -> None:
        """A generation (n, d) of the host that goes on."""
        if not self._ended:
            self._now.see(X, evals)
            self._path.append(self._now.best)
            self._spent += len(X) / X.shape[1]

    def turn(self, host: Host, infill: Infill, nfev: int, *, stopped: bool) -> Host | None:
        """After ``nfev`` evaluations: the host that goes on instead of ``host``, or None; infill then starts anew."""
        if self._ended:
            return self._onward(infill) if stopped else None
        if stopped and self._lowest is None:
            return None
        if not (stopped or self._over() or self._behind(nfev)):
            return None
        if self._lowest is None:
            self._until = nfev + (self._budget - nfev) // _PART
        if self._lowest is None or (self._now.best < self._lowest.best and not stopped):
            self._lowest, self._took = self._now, len(self._path)
        room = nfev + self._took * _GROWTH * host.rows <= self._until
        fresh = host.restarted(_GROWTH) if room else None
        if fresh is None:
            return self._back(host, self._lowest, infill)
        infill.restart()
        self._now, self._path, self._spent, self.fresh = Descent(fresh), [], 0.0, True
        return fresh

    def _over(self) -> bool:
        """Whether this descent has nothing more to find: flat, and slow for a third of its generations."""
        now, path = self._now, self._path
        if min(len(path), self._spent) < _LEAST or not float(np.median(now.last)) - now.best <= _FLAT * now.best:
            return False
        return path[2 * len(path) // 3] <= (1.0 + _GAIN) * now.best

    def _behind(self, nfev: int) -> bool:
        """Whether this encore is out of time: its share is spent, or it is not the lowest after as many generations."""
        if self._lowest is None:
            return False
        return nfev >= self._until or (len(self._path) >= self._took and self._now.best > self._lowest.best)

    def _back(self, host: Host, lowest: Descent, infill: Infill) -> Host | None:
        """To the lowest one, for what is left."""
        self._ended, self.fresh = True, False
        return None if lowest.host is host else lowest.resumed(infill)

    def _onward(self, infill: Infill) -> Host | None:
        """Restarts go on from the last encore's population."""
        fresh = self._now.host.restarted(_GROWTH)
        if fresh is not None:
            self._now, self.fresh = Descent(fresh), True
            infill.restart()
        return fresh
