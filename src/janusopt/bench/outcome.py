"""What a method tells of itself when it ends; what it found, the meter knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.infill import StepRecord

UPPER = 0.25  # relative rank of the upper quarter
BINS = 10  # of relative ranks, and of a run's length


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Seconds of host and infill (None: all that was not evaluation is the host's), the infill's records, the fronts.

    ``fronts``, for problems with several objectives: evaluation count → non-dominated rows (n, k); the last is final.
    """

    seconds_host: float | None = None
    seconds_infill: float = 0.0
    records: Sequence[StepRecord] = ()
    fronts: Mapping[int, Rows] = field(default_factory=dict)

    def _ranks(self) -> Iterator[tuple[str, Vec]]:
        """Each source with the ranks (n,) that its evaluated rows reached."""
        reached: defaultdict[str, list[float]] = defaultdict(list)
        for record in self.records:
            for source, rank in zip(record.sources, record.ranks, strict=True):
                if not np.isnan(rank):
                    reached[source].append(rank)
        return ((source, np.array(ranks)) for source, ranks in sorted(reached.items()))

    def sources(self) -> list[dict[str, Any]]:
        """Per source: rows, rows that were the first of their generation, rows in its upper quarter."""
        return [
            {"name": name, "proposed": len(r), "first": int((r == 0.0).sum()), "upper": int((r <= UPPER).sum())}
            for name, r in self._ranks()
        ]

    def ranks(self) -> list[dict[str, Any]]:
        """Per source: histogram of relative ranks in ten bins."""
        return [
            {"name": name, "histogram": np.histogram(r, bins=BINS, range=(0.0, 1.0))[0].tolist()}
            for name, r in self._ranks()
        ]

    def charts(self) -> list[dict[str, Any]]:
        """Per chart: generations that used it, in each tenth of the generations."""
        used: defaultdict[str, list[int]] = defaultdict(lambda: [0] * BINS)
        for i, record in enumerate(self.records):
            used[record.chart][i * BINS // len(self.records)] += 1
        return [{"name": name, "counts": counts} for name, counts in sorted(used.items())]
