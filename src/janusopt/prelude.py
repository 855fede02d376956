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

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.descent import Descent
from janusopt.hosts.base import Host
from janusopt.infill import Infill

_FLAT = 0.01  # of the least f: the height of a generation that has nothing more to find
_POLISH = 4  # part of the near descent's evaluations that is kept for its end: one in so many


class Prelude:
    """``near`` first, then ``wide``, then the lower one; within ``budget`` evaluations."""

    def __init__(self, near: Host, wide: Host, budget: int) -> None:
        self.near, self._wide, self._budget = near, wide, budget
        self.fresh = False  #: whether the host of the last turn starts there
        self._now = Descent(near)
        self._waiting: Descent | None = None  # the near one, while it waits
        self._until = budget
        self._stopped = self._over = False

    def see(self, X: Rows, evals: Evaluations) -> None:
        """A generation (n, d) of the host that goes on."""
        self._now.see(X, evals)

    def turn(self, host: Host, infill: Infill, nfev: int, *, stopped: bool) -> Host | None:
        """After ``nfev`` evaluations: the host that goes on instead of ``host``, or None; infill then starts anew."""
        if self._over:
            return self._onward(infill) if stopped and host is self.near else None
        ended = stopped or float(self._now.last.max()) - self._now.best <= _FLAT * self._now.best
        if self._waiting is None:
            return self._leave(infill, nfev, stopped=stopped) if ended else None
        return self._back(self._waiting, infill) if ended or nfev >= self._until else None

    def _leave(self, infill: Infill, nfev: int, *, stopped: bool) -> Host:
        """From the near host to the wide one."""
        self._waiting, self._stopped = self._now, stopped
        self._until = self._budget - nfev // _POLISH
        self._now, self.fresh = Descent(self._wide), True
        infill.restart()
        return self._wide

    def _back(self, near: Descent, infill: Infill) -> Host | None:
        """To the near host if it came lower and can go on."""
        self._waiting, self._over = None, True
        if self._stopped or near.best > self._now.best:
            return None
        self.fresh = False
        return near.resumed(infill)

    def _onward(self, infill: Infill) -> Host | None:
        """Restarts are the wide host's: the near one would draw new starts and search them narrowly."""
        fresh = self._wide.restarted(2.0)
        if fresh is not None:
            self.fresh = True
            infill.restart()
        return fresh
