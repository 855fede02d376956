"""How far a long command is: a live bar where a terminal and rich are there, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from typing import IO, Protocol

_EVERY = 10.0  # seconds between plain lines


class Display(Protocol):
    """What shows it."""

    def update(self, done: int, note: str) -> None:
        """``done`` of the total, and a few words."""

    def say(self, text: str) -> None:
        """One line that stays."""

    def close(self) -> None:
        """Nothing more will come."""


class Lines:
    """A plain line every ten seconds, and a last one: for log files, and where rich is not installed."""

    def __init__(self, total: int, stream: IO[str]) -> None:
        self._total, self._stream = total, stream
        self._shown = time.monotonic()
        self._waiting = ""

    def update(self, done: int, note: str) -> None:
        self._waiting = f"{done}/{self._total}  {note}"
        if time.monotonic() - self._shown >= _EVERY:
            self._flush()

    def say(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def close(self) -> None:
        if self._waiting:
            self._flush()

    def _flush(self) -> None:
        self.say(self._waiting)
        self._shown, self._waiting = time.monotonic(), ""


def display(total: int, stream: IO[str] | None = None) -> Display:
    """The fitting one for ``stream`` (standard error unless told)."""
    stream = sys.stderr if stream is None else stream
    if stream.isatty() and find_spec("rich") is not None:
        from janusopt.console import Bar

        return Bar(total, stream)
    return Lines(total, stream)


class Pace:
    """Time left, by the pace since this process began; what was done before counts for nothing."""

    def __init__(self, total: int, done: int = 0) -> None:
        self._total, self._first, self._start = total, done, time.monotonic()

    def left(self, done: int) -> str:
        """ "3 h 20 min left", "" while it is unknown."""
        fresh = done - self._first
        if fresh <= 0 or done >= self._total:
            return ""
        return f"{duration((time.monotonic() - self._start) / fresh * (self._total - done))} left"


def duration(seconds: float) -> str:
    """ "40 s", "12 min", "3 h 20 min", "2 d 4 h"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 24 else f"{hours // 24} d {hours % 24} h"
