"""Host alone against host + JANUS: same problem, same seed, same number of evaluations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Any, Literal

import numpy as np

import janusopt
from janusopt.core.arrays import Rows, Vec
from janusopt.demo.problems import Problem
from janusopt.volume import hypervolume

Arm = Literal["host", "janus"]
ARMS: tuple[Arm, ...] = ("host", "janus")
SOLVED = 1e-12  # errors below are equal: a win there would be a win in rounding
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One run: after ``evaluations`` (c,) the quality was ``curve`` (c,); ``seconds`` are the optimizer's own."""

    problem: Problem
    arm: Arm
    seed: int
    evaluations: Vec
    curve: Vec
    seconds: float

    @property
    def final(self) -> float:
        return float(self.curve[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """All runs of one problem."""

    problem: Problem
    runs: tuple[Run, ...]

    def of(self, arm: Arm) -> list[Run]:
        return [run for run in self.runs if run.arm == arm]

    def median(self, arm: Arm) -> float:
        return median(run.final for run in self.of(arm))

    def seconds(self, arm: Arm) -> float:
        return median(run.seconds for run in self.of(arm))

    def gained(self) -> bool:
        """Whether JANUS's median is better than its host's."""
        return self._better(self.median("janus"), self.median("host"))

    def wins(self) -> int:
        """On how many seeds JANUS ended strictly better than its host."""
        pairs = zip(self.of("janus"), self.of("host"), strict=True)
        return sum(self._better(janus.final, host.final) for janus, host in pairs)

    def _better(self, a: float, b: float) -> bool:
        return a > b if self.problem.measure == "hypervolume" else a < b and b > SOLVED


class Recorder:
    """The objective with a memory: counts rows, keeps what the curve needs, tells the progress bar, times itself."""

    def __init__(self, problem: Problem, advance: Progress) -> None:
        self.problem, self.advance = problem, advance
        self.counts: list[int] = []
        self.values: list[Rows] = []
        self.seconds = 0.0

    def __call__(self, X: Rows) -> Any:
        start = perf_counter()
        answer = self.problem.fun(X)
        self.values.append(answer[0] if isinstance(answer, tuple) else answer)
        self.counts.append(len(X))
        self.advance(len(X))
        self.seconds += perf_counter() - start
        return answer

    def curve(self) -> tuple[Vec, Vec]:
        """Evaluations spent and the quality reached by then: best error, or hypervolume of all that was evaluated."""
        spent = np.cumsum(self.counts).astype(float)
        if self.problem.measure == "error":
            return spent, np.minimum.accumulate([float(block.min()) for block in self.values])
        seen = np.concatenate(self.values)
        marks = np.unique(np.linspace(0, len(spent) - 1, 60).astype(int))
        volumes = [hypervolume(seen[: int(spent[mark])], self.problem.reference) for mark in marks]
        return spent[marks], np.array(volumes)


def run(problem: Problem, arm: Arm, seed: int, advance: Progress) -> Run:
    """One run through the public front door."""
    record = Recorder(problem, advance)
    infill = "janus" if arm == "janus" else None
    door = janusopt.minimize if problem.measure == "error" else janusopt.minimize_multi
    start = perf_counter()
    door(
        record,
        bounds=problem.bounds,
        budget=problem.budget,
        host=problem.host,
        infill=infill,
        vectorized=True,
        rng=seed,
    )
    seconds = perf_counter() - start - record.seconds
    return Run(problem, arm, seed, *record.curve(), seconds)


def warm_up(problem: Problem) -> None:
    """A short run of both arms that nobody sees, so that no timed run pays for imports."""
    for arm in ARMS:
        run(replace(problem, budget=200), arm, 0, lambda _: None)
