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

from janusopt.core.front import Front
from janusopt.entry import Entry
from janusopt.errors import JournalError
from janusopt.journal import connect, ours, read_settings, scan

_WIDE = {"scalar": "component", "residuals": "residual", "objectives": "objective"}
_NEEDED = {"kind", "space", "budget", "host", "infill", "seed", "versions"}
_FRONT = 1000


class Report:
    """What a journal holds: ``settings``, its intact ``entries`` in order of evaluation, how many are ``damaged``."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        if not self.path.is_file():
            raise JournalError(f"there is no journal {self.path}")
        try:
            with closing(connect(self.path, readonly=True)) as connection:
                if not ours(connection, self.path):
                    raise JournalError(f"{self.path} is empty: the run that made it has not begun")
                self.settings: dict[str, Any] = read_settings(connection, self.path)
                found = list(scan(connection))
        except sqlite3.Error as error:
            raise JournalError(f"{self.path} cannot be read as a journal: {error}") from error
        if missing := _NEEDED - self.settings.keys():
            raise JournalError(f"{self.path} is no journal of a run: its settings lack {', '.join(sorted(missing))}")
        self.entries: list[Entry] = [entry for entry in found if entry is not None]
        self.damaged = len(found) - len(self.entries)

    def lines(self) -> Iterator[str]:
        """Progress, best, failures, sources: plain text."""
        settings, entries = self.settings, self.entries
        yield f"journal    {self.path}"
        yield f"run        {settings['kind']}, d = {len(settings['space']['lower'])}, {self._names()}"
        generations = len({entry.generation for entry in entries})
        yield f"progress   {len(entries)} of {settings['budget']} evaluations, {generations} generations"
        good = [entry for entry in entries if not entry.failed]
        if good:
            yield from self._front(good) if settings["kind"] == "objectives" else self._best(good)
        yield f"failures   {len(entries) - len(good)}"
        if self.damaged:
            yield f"damaged    {self.damaged} places cannot be read; the next resume drops them and evaluates again"
        sources = Counter(entry.source for entry in entries)
        yield "sources    " + ", ".join(f"{name} {count}" for name, count in sources.most_common())
        seconds = sum(entry.seconds for entry in entries)
        yield f"seconds    {seconds:.3g} in the objective, summed over rows (on an executor: waiting included)"
        yield "versions   " + ", ".join(f"{name} {number}" for name, number in settings["versions"].items())

    def table(self) -> Iterator[list[Any]]:
        """A header, then one row per evaluation; empty where a failed row has no value."""
        widths = [
            max((len(getattr(entry, name)) for entry in self.entries), default=0)
            for name in ("x", "wide", "constraints")
        ]
        names = ("x", _WIDE[self.settings["kind"]], "constraint")
        wide = [f"{name}_{i}" for name, width in zip(names, widths, strict=True) for i in range(width)]
        yield ["generation", "row", "source", "failed", "seconds", "f", *wide]
        for entry in self.entries:
            cells = [entry.generation, entry.row, entry.source, int(entry.failed), entry.seconds, _cell(entry.f)]
            for part, width in zip((entry.x, entry.wide, entry.constraints), widths, strict=True):
                cells += [_cell(value) for value in part.tolist()] + [""] * (width - len(part))
            yield cells

    def _names(self) -> str:
        host, infill = self.settings["host"], self.settings["infill"]
        shown = infill["type"] if isinstance(infill, dict) else infill
        return f"host {host}, infill {shown or 'none'}, seed {self.settings['seed']['entropy']}"

    @staticmethod
    def _best(good: list[Entry]) -> Iterator[str]:
        best = min(good, key=lambda entry: entry.f)
        yield f"best       f = {best.f!r} by {best.source} in generation {best.generation}"
        yield f"           x = {np.array2string(best.x, threshold=8)}"

    @staticmethod
    def _front(good: list[Entry]) -> Iterator[str]:
        feasible = [entry for entry in good if not np.any(entry.constraints > 0)]
        front = Front(_FRONT)
        if feasible:
            front.admit(np.array([entry.x for entry in feasible]), np.array([entry.wide for entry in feasible]))
            yield f"best       {len(front)} non-dominated rows, smallest objectives {front.F.min(axis=0)}"
        yield f"feasible   {len(feasible)} of {len(good)}"


def _cell(value: float) -> float | str:
    return "" if np.isnan(value) else value
