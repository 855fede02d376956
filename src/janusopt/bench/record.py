"""What is stored of a finished run: one row of a campaign's table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from janusopt.bench.task import Run, Task

Status = Literal["ok", "failed", "capped"]
LONGEST = 128  # variables up to which the best row is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run. ``final`` is the error f − optimum, not floored, noise-free; None where it failed or has objectives.

    ``best`` is the error of the best row so far at the evaluation counts of ``grid``, whose last is ``evaluations``.
    ``start`` is the error of the start that all methods share, noise-free; ``x`` the best row in single precision, None
    where it is longer than :data:`LONGEST`.
    With several objectives ``volumes`` takes the place of ``best``: the hypervolume of the front then known, as a share
    of the box from the origin to the problem's reference point. ``front`` is the last front, ``fronts`` (evaluations,
    rows) those at a quarter and half of the budget, where there are at most three objectives; ``igd_plus`` is the last
    front's; ``start`` and ``x`` are None.
    ``sources``: name, proposed, first, upper; ``ranks``: name, histogram; ``charts``: name, counts (see
    :class:`~janusopt.bench.outcome.Outcome`). ``versions`` is JSON.
    """

    key: str
    suite: str
    problem: str
    dimension: int
    instance: int
    method: str
    seed: int
    budget: int
    status: Status = "ok"
    error: str | None = None
    final: float | None = None
    evaluations: int = 0
    grid: list[int] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    seconds_total: float = 0.0
    seconds_host: float = 0.0
    seconds_infill: float = 0.0
    seconds_evaluation: float = 0.0
    sources: list[dict[str, Any]] = field(default_factory=list)
    ranks: list[dict[str, Any]] = field(default_factory=list)
    charts: list[dict[str, Any]] = field(default_factory=list)
    front: list[list[float]] | None = None
    fronts: list[dict[str, Any]] = field(default_factory=list)
    volumes: list[float] = field(default_factory=list)
    igd_plus: float | None = None
    versions: str = "{}"
    start: float | None = None
    x: list[float] | None = None

    @classmethod
    def of(cls, run: Run, **known: Any) -> Record:
        """A record that knows which run it is of."""
        task: Task = run.task
        return cls(
            key=run.key,
            suite=task.suite,
            problem=task.problem,
            dimension=task.dimension,
            instance=task.instance,
            method=run.method,
            seed=run.seed,
            budget=run.budget,
            **known,
        )
