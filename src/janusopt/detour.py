"""A detour: the host's own descent, in the middle of a run that infill has hurried into one basin of many.

Infill makes a host shrink sooner. Where a landscape has many basins, that can be too soon to choose a good one, and the
run stands still for the rest of its budget. Then the first host waits while a fresh one makes a descent without infill.
Of the two the one that came lower ends the run, with infill again: what is left of a basin takes it little time.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.base import Host
from janusopt.infill import Infill, Settling

_SLOWER, _DOUBLE = 2, 4  # times a hurried descent's evaluations: a host's own takes more, one with twice the population
_KEPT, _ROOM = 600, 3_000_000  # rows of the first descent that infill gets back for its end, and numbers in them
_POLISH = 8  # part of the first descent's evaluations that is kept for the end: one in so many


class Detour:
    """At most one in a run of ``budget`` evaluations."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._best = np.inf  # of the descent that is under way
        self._spread = 0.0  # of its last generation
        self._weighed = False
        self._waiting: tuple[Host, float] | None = None  # the first host, and how low it may come
        self._until = 0
        self._rows: deque[tuple[Rows, Evaluations]] = deque()

    @property
    def fresh(self) -> bool:
        """Whether the host of the last turn started there: the first one waits."""
        return self._waiting is not None

    def see(self, X: Rows, evals: Evaluations) -> None:
        """A generation (n, d) of the host that goes on."""
        if not self._weighed:
            self._rows.append((X, evals))
            if len(self._rows) > min(_KEPT, _ROOM // X.shape[1]) // len(X) + 1:
                self._rows.popleft()
        good = evals.f[~evals.failed]
        if len(good):
            low, high = float(good.min()), float(good.max())
            self._best, self._spread = min(self._best, low), high - low

    def turn(self, host: Host, infill: Infill, nfev: int, *, stopped: bool) -> Host | None:
        """After ``nfev`` evaluations: the host that goes on instead of ``host``, or None; infill then starts anew."""
        if self._waiting is not None:
            return self._back(infill) if stopped or nfev >= self._until else None
        if self._weighed or stopped or not (isinstance(infill, Settling) and infill.settled):
            return None
        self._weighed = True
        fresh = host.restarted(1.0) if _SLOWER * nfev <= self._budget - nfev < _DOUBLE * nfev else None
        if fresh is None:
            return None
        infill.restart()
        infill.rest()
        self._waiting, self._best = (host, self._best - self._spread), np.inf
        self._until = self._budget - nfev // _POLISH
        return fresh

    def _back(self, infill: Infill) -> Host | None:
        """To the first host, if it came lower or still can, by its last generation's spread; else the other goes on."""
        if self._waiting is None:
            return None
        first, reach = self._waiting
        self._waiting = None
        infill.restart()
        if reach > self._best:
            return None
        for X, evals in self._rows:
            infill.observe(X, evals, ())
        return first
