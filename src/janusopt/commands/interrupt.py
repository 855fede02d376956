"""Ctrl-C in two steps: the first asks, the second ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any


class Interrupt:
    """While it is entered, the first Ctrl-C calls ``ask``; a second one, SIGTERM and SIGHUP call ``end`` and raise.

    What is raised is KeyboardInterrupt; ``signal`` is the last that came, None if none did.
    """

    _SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

    def __init__(self, ask: Callable[[], None], end: Callable[[], None]) -> None:
        self._ask, self._end = ask, end
        self._before: dict[signal.Signals, Any] = {}
        self.signal: int | None = None

    def __enter__(self) -> Interrupt:
        for number in self._SIGNALS:
            self._before[number] = signal.signal(number, self._arrived)
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _arrived(self, number: int, _: FrameType | None) -> None:
        first, self.signal = self.signal is None, number
        if first and number == signal.SIGINT:
            self._ask()
            return
        self._end()
        raise KeyboardInterrupt
