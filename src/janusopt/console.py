"""Tables and bars in a terminal. The one file that imports rich: others take its names from here."""

from __future__ import annotations

from typing import IO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

__all__ = [
    "SIMPLE_HEAD",
    "Bar",
    "BarColumn",
    "Console",
    "Progress",
    "Table",
    "TaskID",
    "TaskProgressColumn",
    "TextColumn",
    "TimeElapsedColumn",
]


class Bar:
    """One live line: a bar, ``done/total``, the time, and a note."""

    def __init__(self, total: int, stream: IO[str]) -> None:
        columns = (
            BarColumn(bar_width=20),
            TaskProgressColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        self._progress = Progress(*columns, console=Console(file=stream))
        self._task = self._progress.add_task("", total=total, note="")
        self._progress.start()

    def update(self, done: int, note: str) -> None:
        self._progress.update(self._task, completed=done, note=note)

    def say(self, text: str) -> None:
        """A line above the bar."""
        self._progress.console.print(text, highlight=False, markup=False)

    def close(self) -> None:
        self._progress.stop()
