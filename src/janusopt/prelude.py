"""A prelude: a narrow descent about the user's x0, before the host's own, which is as wide as the box.

Whoever gives a start to a least-squares problem mostly knows something: trust-region methods begin and often end in its
basin, while a host that starts as wide as the box ends in any. So where residuals are seen a near host goes first. It
has converged once a generation is flat beside f itself,

    max f − min f ≤ flat · min f,

which residuals that can vanish never are, whatever their scale: only a descent that ends above zero gets there. Then
the near host waits while the host makes the descent that it would have made without all this. Of the two the one that
came lower ends the run; a part of the budget is kept for that.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.base import Host
from janusopt.infill import Infill

_FLAT = 0.01  # of the least f: the height of a generation that has nothing more to find
_POLISH = 4  # part of the near descent's evaluations that is kept for its end: one in so many
_KEPT = 600  # rows of the near descent that infill gets back for its end


class Prelude:
    """``near`` first, then ``wide``, then the lower one; within ``budget`` evaluations."""

    def __init__(self, near: Host, wide: Host, budget: int) -> None:
        self.near, self._wide, self._budget = near, wide, budget
        self.fresh = False  #: whether the host of the last turn starts there
        self._best, self._flat = np.inf, False  # of the descent that is under way
        self._rows: deque[tuple[Rows, Evaluations]] = deque()
        self._waiting: float | None = None  # the near host's best value, while it waits
        self._until = budget
        self._stopped = self._over = False

    def see(self, X: Rows, evals: Evaluations) -> None:
        """A generation (n, d) of the host that goes on."""
        if self._waiting is None and not self._over:
            self._rows.append((X, evals))
            if len(self._rows) > _KEPT // len(X) + 1:
                self._rows.popleft()
        good = evals.f[~evals.failed]
        if len(good) > 1:
            self._best = min(self._best, float(good.min()))
            self._flat = bool(good.max() - self._best <= _FLAT * self._best)

    def turn(self, host: Host, infill: Infill, nfev: int, *, stopped: bool) -> Host | None:
        """After ``nfev`` evaluations: the host that goes on instead of ``host``, or None; infill then starts anew."""
        if self._over:
            return self._onward(infill) if stopped and host is self.near else None
        if self._waiting is None:
            return self._leave(infill, nfev, stopped=stopped) if stopped or self._flat else None
        return self._back(infill) if stopped or self._flat or nfev >= self._until else None

    def _leave(self, infill: Infill, nfev: int, *, stopped: bool) -> Host:
        """From the near host to the wide one."""
        self._waiting, self._stopped = self._best, stopped
        self._until = self._budget - nfev // _POLISH
        self._best, self._flat, self.fresh = np.inf, False, True
        infill.restart()
        return self._wide

    def _back(self, infill: Infill) -> Host | None:
        """To the near host if it came lower and can go on."""
        near, self._waiting, self._over = self._waiting, None, True
        rows, self._rows = self._rows, deque()
        if self._stopped or near is None or near > self._best:
            return None
        self.fresh = False
        infill.restart()
        for X, evals in rows:
            infill.observe(X, evals, ())
        return self.near

    def _onward(self, infill: Infill) -> Host | None:
        """Restarts are the wide host's: the near one would draw new starts and search them narrowly."""
        fresh = self._wide.restarted(2.0)
        if fresh is not None:
            self.fresh = True
            infill.restart()
        return fresh
