"""One finished run as the report reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from janusopt.bench.record import Record
from janusopt.bench.stats import Curve
from janusopt.core.arrays import Vec, frozen

PARTS = ("total", "host", "infill", "evaluation")  #: of a run's seconds


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that share a table: one suite, one dimension, one budget."""

    suite: str
    dimension: int
    budget: int


@dataclass(frozen=True, slots=True)
class Source:
    """What became of one source's candidates: how many, best of their generation, in its better quarter."""

    name: str
    proposed: int
    first: int
    upper: int


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A stored run; ``final`` and ``curve.best`` are errors above the optimum, not floored, NaN where there is none.

    ``ranks`` holds (10,) counts of relative rank for each source, ``charts`` (10,) counts for each tenth of the run.
    ``start`` is the error of the shared start, NaN where it was not stored; ``x`` (d,) the best row, where it was.
    """

    key: str
    group: Group
    problem: str
    instance: int
    method: str
    seed: int
    status: str
    error: str
    final: float
    evaluations: int
    curve: Curve
    seconds: Mapping[str, float]
    sources: tuple[Source, ...]
    ranks: Mapping[str, Vec]
    charts: Mapping[str, Vec]
    versions: str
    start: float
    x: Vec | None

    @property
    def good(self) -> bool:
        """Whether the run has a final error to compare (a capped one has)."""
        return self.status != "failed" and bool(np.isfinite(self.final))

    def cut(self, evaluations: int) -> Row:
        """The run as it stood after so many evaluations, fewer than its budget; what is known only at its end is left
        out."""
        early = self.evaluations < evaluations
        shown = self.curve.grid <= evaluations
        return replace(
            self,
            group=replace(self.group, budget=evaluations),
            status=self.status if early or self.status == "failed" else "ok",
            final=float(self.curve.at(np.array([evaluations]))[0]) if self.good else self.final,
            evaluations=min(self.evaluations, evaluations),
            curve=Curve(self.curve.grid[shown], self.curve.best[shown]),
            seconds={},
            sources=(),
            ranks={},
            charts={},
            x=None,
        )


def read(record: Record) -> Row:
    """A stored record as the report uses it."""
    return Row(
        key=record.key,
        group=Group(record.suite, record.dimension, record.budget),
        problem=record.problem,
        instance=record.instance,
        method=record.method,
        seed=record.seed,
        status=record.status,
        error=record.error or "",
        final=np.nan if record.final is None else record.final,
        evaluations=record.evaluations,
        curve=Curve(frozen(record.grid), frozen(record.best)),
        seconds={part: getattr(record, f"seconds_{part}") for part in PARTS},
        sources=tuple(Source(**counts) for counts in record.sources),
        ranks={counts["name"]: frozen(counts["histogram"]) for counts in record.ranks},
        charts={counts["name"]: frozen(counts["counts"]) for counts in record.charts},
        versions=record.versions,
        start=np.nan if record.start is None else record.start,
        x=None if record.x is None else frozen(record.x),
    )
