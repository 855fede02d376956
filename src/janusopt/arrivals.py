"""Finished rows of an asynchronous run, in the order in which they finish; with a journal, also across processes.

Which rows are sent depends only on the order in which earlier ones arrived. A journal holds that order, so a replay
takes the same way: what is recorded arrives as it did, and what was in flight when the record ends is sent again.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from janusopt.core.arrays import Vec
from janusopt.core.evaluations import Evaluations
from janusopt.entry import Entry
from janusopt.errors import JournalError, JournalWarning
from janusopt.evaluate import Evaluate, Row
from janusopt.flight import Landing
from janusopt.journal import Journal


class Arrivals:
    """Rows on the executor of ``evaluate``; the members are those of :class:`~janusopt.steady.Incoming`."""

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate
        self._flight = evaluate.flight()
        self._out: dict[int, tuple[Vec, str]] = {}
        self._landed: deque[Landing] = deque()

    def send(self, number: int, x: Vec, source: str) -> None:
        self._out[number] = x, source
        self._flight.send(number, x)

    def take(self) -> tuple[int, Row]:
        number, row, _, _ = self._settled()
        return number, row

    def gather(self, rows: Sequence[Row]) -> Evaluations:
        return self._evaluate.gather(rows)

    def close(self) -> None:
        self._flight.close()

    def _settled(self) -> tuple[int, Row, tuple[Vec, str], float]:
        start = time.perf_counter()
        try:
            while not self._landed:
                self._landed.extend(self._flight.land())
            number, value, seconds = self._landed.popleft()
            sent = self._out.pop(number)
            return number, self._evaluate.settle(sent[0], value), sent, seconds
        finally:
            self._evaluate.seconds += time.perf_counter() - start


class RecordedArrivals(Arrivals):
    """Arrivals by way of a journal: recorded ones first, then real ones, which go into it.

    A generation of the journal is what the host is told at once.
    """

    def __init__(self, evaluate: Evaluate, journal: Journal) -> None:
        super().__init__(evaluate)
        self._journal = journal
        self._generation = 0
        self._before: list[Entry] = []  # of this generation
        self._known: dict[int, Entry] = {}
        self._live = False

    def send(self, number: int, x: Vec, source: str) -> None:
        if self._live:
            super().send(number, x, source)
        else:
            self._out[number] = x, source

    def take(self) -> tuple[int, Row]:
        self._journal.commit()
        place = len(self._before)
        if not self._live:
            if not place:
                self._known = self._journal.recorded(self._generation)
            if place in self._known:
                return self._recall(self._known[place])
            self._go_live()
        number, row, (x, source), seconds = self._settled()
        f, wide, G = self._evaluate.nothing() if row is None else row
        reason = self._evaluate.reason if row is None else ""
        entry = Entry(self._generation, place, x, f, wide, G, row is None, source, seconds, reason)
        self._before.append(entry)
        self._journal.append(entry)
        return number, row

    def gather(self, rows: Sequence[Row]) -> Evaluations:
        self._generation += 1
        self._before = []
        return super().gather(rows)

    def close(self) -> None:
        super().close()
        with suppress(JournalError):  # what stopped the run matters more
            self._journal.commit()

    def _recall(self, entry: Entry) -> tuple[int, Row]:
        number = next((n for n, (x, _) in self._out.items() if x.tobytes() == entry.x.tobytes()), None)
        if number is None:
            raise JournalError(
                f"{self._journal.path} does not belong to this run: its row {entry.row} of generation "
                f"{entry.generation} was not in flight, although the settings agree. Give this run a new journal"
            )
        del self._out[number]
        self._before.append(entry)
        if not entry.failed or len(entry.wide):
            self._evaluate.recall(entry.wide, entry.constraints)
        return number, entry.values

    def _go_live(self) -> None:
        """The record ends here, or has a hole, behind which the order of arrival is not known."""
        self._live = True
        if self._journal.last > self._generation or any(row > len(self._before) for row in self._known):
            self._journal.forget(self._generation)
            for entry in self._before:
                self._journal.append(entry)
            warnings.warn(
                f"{self._journal.path}: evaluations behind those that were damaged were dropped, because the order in "
                f"which rows arrived is lost from generation {self._generation}, row {len(self._before)} on",
                JournalWarning,
                stacklevel=6,
            )
        for number, (x, _) in self._out.items():
            self._flight.send(number, x)


def arrivals(evaluate: Evaluate, journal: Journal | None) -> Arrivals:
    """Real ones, or by way of the journal where there is one."""
    return Arrivals(evaluate) if journal is None else RecordedArrivals(evaluate, journal)
