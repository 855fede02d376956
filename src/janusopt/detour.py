"""A detour: the host's own descent, in the middle of a run that infill has hurried into one basin of many.

Infill makes a host shrink sooner. Where a landscape has many basins, that can be too soon to choose a good one, and the
run stands still for the rest of its budget. Then the first host waits while a fresh one makes a descent without infill.
Of the two the one that came lower ends the run, with infill again: what is left of a basin takes it little time.
"""

from __future__ import annotations

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.descent import Descent
from janusopt.hosts.base import Host
from janusopt.infill import Infill, Settling

_SLOWER, _DOUBLE = 2, 4  # times a hurried descent's evaluations: a host's own takes more, one with twice the population
_POLISH = 8  # part of the first descent's evaluations that is kept for the end: one in so many


class Detour:
    """At most one in a run of ``budget`` evaluations that begins with ``host``."""

    def __init__(self, host: Host, budget: int) -> None:
        self._budget = budget
        self._now = Descent(host)
        self._weighed = False
        self._waiting: Descent | None = None  # the first one
        self._until = 0

    @property
    def fresh(self) -> bool:
        """Whether the host of the last turn started there: the first one waits."""
        return self._waiting is not None

    def see(self, X: Rows, evals: Evaluations) -> None:
        """A generation (n, d) of the host that goes on."""
        self._now.see(X, evals)

    def turn(self, host: Host, infill: Infill, nfev: int, *, stopped: bool) -> Host | None:
        """After ``nfev`` evaluations: the host that goes on instead of ``host``, or None; infill then starts anew."""
        if self._waiting is not None:
            return self._back(self._waiting, infill) if stopped or nfev >= self._until else None
        if self._weighed or stopped or not (isinstance(infill, Settling) and infill.settled):
            return None
        self._weighed = True
        fresh = host.restarted(1.0) if _SLOWER * nfev <= self._budget - nfev < _DOUBLE * nfev else None
        if fresh is None:
            return None
        infill.restart()
        infill.rest()
        self._waiting, self._now = self._now, Descent(fresh)
        self._until = self._budget - nfev // _POLISH
        return fresh

    def _back(self, first: Descent, infill: Infill) -> Host | None:
        """To the first host, if it came lower or still can, by its last generation's spread; else the other goes on."""
        self._waiting = None
        if first.best - (float(first.last.max()) - float(first.last.min())) > self._now.best:
            infill.restart()
            return None
        return first.resumed(infill)
