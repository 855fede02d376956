"""A journal for people: its progress as text, its rows as a table. Reads only; the run may be going on."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from janusopt.core.arrays import Vec
from janusopt.core.front import Front
from janusopt.entry import Entry
from janusopt.errors import JournalError
from janusopt.journal import connect, ours, read_settings, scan, stored
from janusopt.simulator.parameters import Parameters

_WIDE = {"scalar": "component", "residuals": "residual", "objectives": "objective"}
_NEEDED = {"kind", "space", "budget", "host", "infill", "seed", "versions"}
_FRONT = 1000


class Report:
    """What a journal holds: ``settings``, its intact ``entries`` in order of evaluation, how many are ``damaged``.

    ``parameters``: the named ones of a simulator, None where the run was started from Python.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        if not self.path.is_file():
            raise JournalError(f"there is no journal {self.path}")
        try:
            with closing(connect(self.path, readonly=True)) as connection:
                if not ours(connection, self.path):
                    raise JournalError(f"{self.path} is empty: the run that made it has not begun")
                self.settings: dict[str, Any] = read_settings(connection, self.path)
                call = stored(connection).get("call")
                found = list(scan(connection))
        except sqlite3.Error as error:
            raise JournalError(f"{self.path} cannot be read as a journal: {error}") from error
        if missing := _NEEDED - self.settings.keys():
            raise JournalError(f"{self.path} is no journal of a run: its settings lack {', '.join(sorted(missing))}")
        self.entries: list[Entry] = [entry for entry in found if entry is not None]
        self.damaged = len(found) - len(self.entries)
        self.parameters = None if call is None else Parameters.from_plain(call.get("parameters"))

    @property
    def good(self) -> list[Entry]:
        """The entries that did not fail."""
        return [entry for entry in self.entries if not entry.failed]

    def reasons(self) -> Counter[str]:
        """How many entries failed, by reason."""
        return Counter(reason_of(entry.reason) or "no reason recorded" for entry in self.entries if entry.failed)

    def convergence(self) -> tuple[Vec, Vec]:
        """Evaluations spent (n,) and the best f by then (n,), from the first success on."""
        f = np.array([np.inf if entry.failed else entry.f for entry in self.entries])
        best: Vec = np.minimum.accumulate(f)
        known = np.flatnonzero(np.isfinite(best))
        return known.astype(float) + 1.0, best[known]

    def lines(self) -> Iterator[str]:
        """Progress, best, failures, sources: plain text."""
        settings, entries = self.settings, self.entries
        yield f"journal    {self.path}"
        yield f"run        {settings['kind']}, d = {len(settings['space']['lower'])}, {self._names()}"
        generations = len({entry.generation for entry in entries})
        yield f"progress   {len(entries)} of {settings['budget']} evaluations, {generations} generations"
        if self.good:
            yield from self._front(self.good) if settings["kind"] == "objectives" else self._best(self.good)
        yield f"failures   {counted(self.reasons())}"
        if self.damaged:
            yield f"damaged    {self.damaged} places cannot be read; the next resume drops them and evaluates again"
        sources = Counter(entry.source for entry in entries)
        yield "sources    " + ", ".join(f"{name} {count}" for name, count in sources.most_common())
        seconds = sum(entry.seconds for entry in entries)
        yield f"seconds    {seconds:.3g} in the objective, summed over rows (on an executor: waiting included)"
        yield "versions   " + ", ".join(f"{name} {number}" for name, number in settings["versions"].items())

    def table(self) -> Iterator[list[Any]]:
        """A header, then one row per evaluation; None where a failed row has no value."""
        widths = [
            max((len(getattr(entry, name)) for entry in self.entries), default=0)
            for name in ("x", "wide", "constraints")
        ]
        names = ("x", _WIDE[self.settings["kind"]], "constraint")
        wide = [f"{name}_{i}" for name, width in zip(names, widths, strict=True) for i in range(width)]
        named = [] if self.parameters is None else [f"parameter_{name}" for name in self.parameters.names]
        yield ["generation", "row", "source", "failed", "reason", "seconds", "f", *wide, *named]
        for entry in self.entries:
            reason = reason_of(entry.reason)
            cells = [
                entry.generation, entry.row, entry.source, int(entry.failed), reason, entry.seconds, _cell(entry.f),
            ]  # fmt: skip
            for part, width in zip((entry.x, entry.wide, entry.constraints), widths, strict=True):
                cells += [_cell(value) for value in part.tolist()] + [None] * (width - len(part))
            if self.parameters is not None:
                cells += self.parameters.values(entry.x).values()
            yield cells

    def _names(self) -> str:
        host, infill = self.settings["host"], self.settings["infill"]
        shown = infill["type"] if isinstance(infill, dict) else infill
        return f"host {host}, infill {shown or 'none'}, seed {self.settings['seed']['entropy']}"

    def _best(self, good: list[Entry]) -> Iterator[str]:
        best = min(good, key=lambda entry: entry.f)
        yield f"best       f = {best.f!r} by {best.source} in generation {best.generation}"
        if self.parameters is None:
            yield f"           x = {np.array2string(best.x, threshold=8)}"
        else:
            yield from (f"           {name} = {value!r}" for name, value in self.parameters.values(best.x).items())

    @staticmethod
    def _front(good: list[Entry]) -> Iterator[str]:
        feasible = [entry for entry in good if not np.any(entry.constraints > 0)]
        front = Front(_FRONT)
        if feasible:
            front.admit(np.array([entry.x for entry in feasible]), np.array([entry.wide for entry in feasible]))
            yield f"best       {len(front)} non-dominated rows, smallest objectives {front.F.min(axis=0)}"
        yield f"feasible   {len(feasible)} of {len(good)}"


def counted(failures: Counter[str]) -> str:
    """ "12: exit code 3 (9), timeout after 5 s (3)"; "0"."""
    told = ", ".join(f"{reason} ({count})" for reason, count in failures.most_common())
    return f"{failures.total()}: {told}" if told else "0"


def reason_of(message: str) -> str:
    """What failures are counted by: the first line."""
    return message.split("\n", 1)[0].strip()


def _cell(value: float) -> float | None:
    return None if np.isnan(value) else value
