"""A descent: a host on its way down, and what infill needs to go on with it after another host had its turn."""

from __future__ import annotations

from collections import deque

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.base import Host
from janusopt.infill import Infill

_KEPT, _ROOM = 600, 3_000_000  # rows that infill gets back, and numbers in them


class Descent:
    """``best``: the least value so far; ``last`` (n,): those of the last generation with two rows or more."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.best, self.last = np.inf, np.full(1, np.inf)
        self._rows: deque[tuple[Rows, Evaluations]] = deque()

    def see(self, X: Rows, evals: Evaluations) -> None:
        """A generation (n, d) of the host."""
        self._rows.append((X, evals))
        if len(self._rows) > min(_KEPT, _ROOM // X.shape[1]) // len(X) + 1:
            self._rows.popleft()
        good = evals.f[~evals.failed]
        if len(good) > 1:
            self.last = good
        self.best = min(self.best, float(good.min(initial=np.inf)))

    def resumed(self, infill: Infill) -> Host:
        """The host, to go on: infill starts anew with the last rows."""
        infill.restart()
        for X, evals in self._rows:
            infill.observe(X, evals, ())
        return self.host
