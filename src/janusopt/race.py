"""A race: several starts of one host, of which the one that is ahead goes on.

Where a landscape has many basins, the first few hundred evaluations decide in which of them a run ends. A lap is a
dozen generations from a start of its own; after the last lap the host with the best row continues where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.base import Host
from janusopt.infill import Infill

STARTS, LAP = 4, 12  # hosts in a race, and generations that each of them has


@dataclass(eq=False)
class Lane:
    """A host, its generations as they were evaluated, and its best value."""

    host: Host
    run: list[tuple[Rows, Evaluations]] = field(default_factory=list)
    best: float = np.inf

    def add(self, X: Rows, evals: Evaluations) -> None:
        self.run.append((X, evals))
        self.best = min(self.best, float(np.where(evals.failed, np.inf, evals.f).min(initial=np.inf)))


class Race:
    """Starts one host after the other; ``over`` once the winner is known."""

    def __init__(self, host: Host) -> None:
        self._lanes = [Lane(host)]
        self.over = False

    def lap(self, host: Host, X: Rows, evals: Evaluations, infill: Infill) -> Host:
        """After a generation of ``host``: the host that has the next one. An infill that changes hosts starts anew."""
        lane = self._lanes[-1]
        lane.host = host  # it may have restarted on its way
        lane.add(X, evals)
        if len(lane.run) < LAP:
            return host
        fresh = host.restarted(1.0) if len(self._lanes) < STARTS else None
        if fresh is not None:
            self._lanes.append(Lane(fresh))
            infill.restart()
            return fresh
        self.over = True
        winner = min(self._lanes, key=lambda lane: lane.best)
        if winner is not lane:
            infill.restart()
            for Y, seen in winner.run:
                infill.observe(Y, seen, ())
        return winner.host
