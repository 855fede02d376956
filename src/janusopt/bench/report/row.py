"""One finished run as the report reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from janusopt.bench.record import Record
from janusopt.bench.stats import Curve
from janusopt.core.arrays import Rows, Vec, frozen

PARTS = ("total", "host", "infill", "evaluation")  #: of a run's seconds


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that share a table: one suite, one dimension, one budget; or a plan's regime, of whatever dimensions (0)."""

    suite: str
    dimension: int
    budget: int
    regime: str = ""


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
    With several objectives ``front`` (n, m) is what counts, ``fronts`` holds earlier ones by evaluations, and
    ``curve.best`` is a hypervolume; with one they are None and empty.
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
    start: float = np.nan
    x: Vec | None = None
    front: Rows | None = None
    fronts: Mapping[int, Rows] = field(default_factory=dict)
    igd_plus: float = np.nan

    @property
    def good(self) -> bool:
        """Whether the run has a final error or a front to compare (a capped one has)."""
        return self.status != "failed" and (self.front is not None or bool(np.isfinite(self.final)))

    def cut(self, evaluations: int) -> Row:
        """The run as it stood after so many evaluations, fewer than its budget; what is known only at its end is left
        out."""
        early = self.evaluations < evaluations
        shown = self.curve.grid <= evaluations
        return replace(
            self,
            group=replace(self.group, budget=evaluations),
            status=self.status if early or self.status == "failed" else "ok",
            final=float(self.curve.at(np.array([evaluations]))[0]) if np.isfinite(self.final) else self.final,
            evaluations=min(self.evaluations, evaluations),
            curve=Curve(self.curve.grid[shown], self.curve.best[shown]),
            seconds={},
            sources=(),
            ranks={},
            charts={},
            x=None,
            front=self.front if early else self.fronts.get(evaluations),
            fronts={},
            igd_plus=np.nan,
        )


def median_run(rows: Sequence[Row], loss: Callable[[Row], float]) -> Row:
    """The run in the middle by ``loss``; of an even number the better one of the two."""
    return sorted(rows, key=loss)[(len(rows) - 1) // 2]


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
        curve=Curve(frozen(record.grid), frozen(record.volumes or record.best)),
        seconds={part: getattr(record, f"seconds_{part}") for part in PARTS},
        sources=tuple(Source(**counts) for counts in record.sources),
        ranks={counts["name"]: frozen(counts["histogram"]) for counts in record.ranks},
        charts={counts["name"]: frozen(counts["counts"]) for counts in record.charts},
        versions=record.versions,
        start=np.nan if record.start is None else record.start,
        x=None if record.x is None else frozen(record.x),
        front=None if record.front is None else frozen(record.front),
        fronts={kept["evaluations"]: frozen(kept["rows"]) for kept in record.fronts},
        igd_plus=np.nan if record.igd_plus is None else record.igd_plus,
    )
