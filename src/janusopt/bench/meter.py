"""Equal evaluations: the wrapper that counts them, keeps the best, and ends a run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janusopt.bench.problem import Problem
from janusopt.core.arrays import Rows, Vec

GRID = 60  # counts at which the best so far is told


class Stop(Exception):
    """The run is over: the budget is spent, the target reached or the time up."""


class Meter:
    """Counts the rows that ``problem`` evaluates and raises :class:`Stop` instead of going past ``budget``.

    A run also ends once its error is at most ``target``, and after ``cap_seconds`` (then ``capped``). Where the problem
    is noisy, the best row is the best *as the method saw it*; its error is the noise-free one. The curve has the
    evaluation counts ``at`` besides those of its grid.
    """

    def __init__(
        self,
        problem: Problem,
        budget: int,
        target: float,
        cap_seconds: float | None = None,
        at: Sequence[int] = (),
    ) -> None:
        self._problem, self._budget, self._target, self._at = problem, budget, target, at
        self._deadline = np.inf if cap_seconds is None else time.perf_counter() + cap_seconds
        self.evaluations = 0
        self.seconds = 0.0
        self.capped = False
        self.x: Vec | None = None  # the best row
        self._seen = np.inf
        self._steps: list[tuple[int, float]] = []  # evaluations, error from there on

    @property
    def metered(self) -> Problem:
        """The problem as a method gets it."""
        return replace(self._problem, fun=self)

    def __call__(self, X: Rows) -> Any:
        """What the problem answers for X (n, d)."""
        if time.perf_counter() > self._deadline:
            self.capped = True
            raise Stop
        rows = X[: self._budget - self.evaluations]
        if len(rows) == 0:
            raise Stop
        start = time.perf_counter()
        answer = self._problem.fun(rows)
        self.seconds += time.perf_counter() - start
        if self._problem.kind != "objectives":
            self._note(rows, self._problem.scalars(answer))
        self.evaluations += len(rows)
        if len(rows) < len(X) or self._seen <= self._target:
            raise Stop
        return answer

    def _note(self, rows: Rows, values: Vec) -> None:
        """Remember the rows that are better than all before them."""
        errors = np.where(np.isfinite(values), values - self._problem.optimum, np.inf)
        before = np.minimum.accumulate(np.concatenate([[self._seen], errors[:-1]]))
        for i in np.flatnonzero(errors < before):
            self._seen = float(errors[i])
            self.x = rows[i].copy()
            error = self._seen if self._problem.judge is None else self._problem.error(self.x)
            self._steps.append((self.evaluations + int(i) + 1, error))

    @property
    def final(self) -> float | None:
        """The error of the best row; None where there is none."""
        return self._steps[-1][1] if self._steps else None

    def curve(self) -> tuple[NDArray[np.int32], Vec]:
        """Evaluation counts on a log grid of the budget, the last being all, and the error of the best row at each."""
        if self._problem.kind == "objectives":
            return np.empty(0, dtype=np.int32), np.empty(0)
        even = np.geomspace(1, self._budget, GRID).round()
        grid = np.unique(np.concatenate([even, self._at])).astype(np.int32)
        grid = np.append(grid[grid < self.evaluations], np.int32(self.evaluations))
        counts, errors = (np.array(column) for column in zip((0, np.inf), *self._steps, strict=True))
        return grid, errors[np.searchsorted(counts, grid, side="right") - 1]
