"""The asynchronous loop: a fixed number of rows in flight, however different their times are.

The host is told as soon as a generation's number of rows has arrived, whichever those are, and every row that is sent
from then on is of its new distribution. A row arrives at most as late as it takes: with K in flight, about K of the n
rows in each tell are of an earlier ask. The order of arrival shapes the run, so a seed alone does not repeat it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import repeat
from typing import Protocol

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.errors import EvaluationError, InputError, JournalError
from janusopt.evaluate import Row
from janusopt.hosts.base import Host, LateTells
from janusopt.infill import Infill, Proposals
from janusopt.loop import Clock, Drive, Progress, Restarts, check_restarts


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A row x (d,) that ``host`` was asked for as its ``number``-th; ``source`` is empty for the host's own."""

    x: Vec
    source: str
    host: Host
    number: int


class Incoming(Protocol):
    """Where rows are sent and finished ones come from: :class:`~janusopt.arrivals.Arrivals`."""

    def send(self, number: int, x: Vec, source: str) -> None:
        """Evaluate x (d,), proposed by ``source``, under a number of the sender's."""

    def take(self) -> tuple[int, Row]:
        """Wait for the next row; None in place of one that failed."""

    def gather(self, rows: Sequence[Row]) -> Evaluations:
        """Rows that were taken, as one generation."""

    def close(self) -> None:
        """Forget what is still out."""


class SteadyLoop(Drive):
    """Keeps ``workers`` rows in flight."""

    def __init__(
        self,
        host: Host,
        infill: Infill,
        arrivals: Incoming,
        budget: int,
        watch: Callable[[Rows, Evaluations, Proposals], tuple[int, str] | None],
        restarts: Restarts,
        workers: int,
    ) -> None:
        check_restarts(restarts, races=False)
        super().__init__(host, infill, budget, watch, restarts)
        self._arrivals, self._workers = arrivals, workers
        self._queue: deque[Asked] = deque()
        self._flying: dict[int, Asked] = {}
        self._landed: list[tuple[Asked, Row]] = []
        self._sent = self._asked = 0

    def run(self) -> Progress:
        """Until the budget is spent, the host stops for good, or the watcher says so."""
        ended = None
        with closing(self._arrivals):
            self._fill()
            while self._flying and (ended := self._land()) is None:
                self._fill()
        if self._landed:
            ended = self._watch(*self._counted(self._landed)) or ended
        if ended is not None:
            self.progress.status, self.progress.message = ended
        return self.progress

    def _fill(self) -> None:
        while len(self._flying) < self._workers and self._sent < self._budget:
            if not self._queue:
                proposals, X = self._ask()
                sources = proposals.sources + ("",) * (len(X) - len(proposals))
                numbers = range(self._asked, self._asked + len(X))
                self._queue.extend(map(Asked, X, sources, repeat(self.host), numbers))
                self._asked += len(X)
            asked = self._queue.popleft()
            self._arrivals.send(self._sent, asked.x, asked.source or "host")
            self._flying[self._sent] = asked
            self._sent += 1

    def _land(self) -> tuple[int, str] | None:
        """Take the next row in; with the last of a generation, tell the host."""
        try:
            with Clock(self.progress.seconds, "evaluation"):
                number, row = self._arrivals.take()
        except (EvaluationError, JournalError) as error:
            self._failed(error)
            if self._landed:
                self._watch(*self._counted(self._landed))
            raise
        asked = self._flying.pop(number)
        if asked.host is not self.host:  # it restarted since
            return self._watch(*self._counted([(asked, row)]))
        self._landed.append((asked, row))
        return self._generation() if len(self._landed) == self.host.rows else None

    def _generation(self) -> tuple[int, str] | None:
        landed, self._landed = self._landed, []
        X, evals, proposals = self._counted(landed)
        self.progress.nit += 1
        with self._single(), Clock(self.progress.seconds, "infill"):
            self.infill.observe(X, evals, proposals.sources)
        with self._single(), Clock(self.progress.seconds, "host"):
            check_late(self.host).tell_late(X, evals, np.array([asked.number for asked, _ in landed]))
        self._queue.clear()
        restarts = self.progress.restarts
        ended = self._watch(X, evals, proposals) or self._host_stopped()
        if self.progress.restarts > restarts:
            self._asked = 0
        return ended

    def _counted(self, landed: list[tuple[Asked, Row]]) -> tuple[Rows, Evaluations, Proposals]:
        """Rows that have arrived, infill first."""
        landed.sort(key=lambda pair: not pair[0].source)
        X = np.array([asked.x for asked, _ in landed])
        evals = self._arrivals.gather([row for _, row in landed])
        sources = tuple(asked.source for asked, _ in landed if asked.source)
        self.progress.nfev += len(X)
        return X, evals, Proposals(X[: len(sources)], sources)


def check_late(host: Host) -> LateTells:
    """The host, if it can be told of rows late; otherwise a clear error."""
    if not isinstance(host, LateTells) or not host.late:
        raise InputError(
            "asynchronous=True needs a host that can be told late: 'cma', 'sep-cma', 'de', or one with tell_late; "
            f"this {type(host).__name__}, as it is set up, cannot; leave asynchronous out"
        )
    return host
