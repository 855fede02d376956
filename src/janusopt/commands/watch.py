"""Looks on while a run goes: counts, the best value so far, failures by reason, and what is shown of them."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from janusopt.core.arrays import Vec
from janusopt.errors import EvaluationError
from janusopt.journal import Journal
from janusopt.progress import Display, Pace
from janusopt.report import Report, reason_of

_PATIENCE = 20  # failures without one success: then the program itself is thought to be broken


class Watch:
    """The objective, looked at: ``watch(x)`` evaluates, ``watch.failed(x, error)`` is the error policy.

    Once ``ended`` is set, what still comes back was killed and counts for nothing.
    """

    def __init__(self, fun: Callable[[Vec], Any], budget: int, *, kind: str, skip: bool, display: Display) -> None:
        self._fun, self._budget, self._kind, self._skip, self._display = fun, budget, kind, skip, display
        self._lock = threading.Lock()
        self._pace: Pace | None = None
        self._patience, self._worked = _PATIENCE, False
        self.ended = False
        self.done = 0
        self.best = math.inf
        self.failures: Counter[str] = Counter()

    def recall(self, journal: Journal) -> None:
        """Start from what a journal holds."""
        if journal.settings is None:
            return
        report = Report(journal.path)
        self.done, self.failures = len(report.entries), report.reasons()
        self._worked = bool(report.good)
        self.best = min((entry.f for entry in report.good if not math.isnan(entry.f)), default=math.inf)
        self._show()

    def __call__(self, x: Vec) -> Any:
        with self._lock:
            self._pace = self._pace or Pace(self._budget, self.done)
        value = None
        try:
            value = self._fun(x)
            return value
        finally:
            with self._lock:
                if not self.ended:
                    self.done += 1
                    self._worked = self._worked or value is not None
                    self.best = min(self.best, self._rank(value))
                    self._show()

    def failed(self, x: Vec, error: Exception) -> None:
        """Note why, and go on; or stop, where that was asked for or nothing ever works."""
        if not self._skip:
            raise EvaluationError(f"an evaluation failed, --on-error skip goes on without it: {error}") from error
        self._patience -= 1
        if not self._worked and self._patience == 0:
            raise EvaluationError(f"the first {_PATIENCE} evaluations all failed, the last with: {error}") from error
        with self._lock:
            self.failures[reason_of(str(error)) or type(error).__name__] += 1
            self._show()

    def _rank(self, value: Any) -> float:
        """f where there is one; infinity with several objectives, and for what is no finite number."""
        try:
            if value is None or self._kind == "objectives":
                return math.inf
            if self._kind == "residuals":
                f = 0.5 * sum(float(part) ** 2 for part in value)
            else:
                f = float(value[0] if isinstance(value, tuple) else value)
        except (TypeError, ValueError, OverflowError):
            return math.inf
        return f if math.isfinite(f) else math.inf

    def _show(self) -> None:
        parts = [f"best {self.best:.6g}"] if math.isfinite(self.best) else []
        if failed := sum(self.failures.values()):
            parts.append(f"{failed} failed")
        if self._pace is not None and (left := self._pace.left(self.done)):
            parts.append(left)
        self._display.update(self.done, ", ".join(parts))
