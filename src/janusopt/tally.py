"""Counts for the result's ``janus`` field: sources and how they fared, charts, clocks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from janusopt.core.evaluations import Evaluations
from janusopt.infill import Infill, relative_ranks
from janusopt.loop import Progress


class Tally:
    """Per source: rows proposed, rows that became the best so far, that were first in their generation, mean rank."""

    def __init__(self) -> None:
        self._proposed: Counter[str] = Counter()
        self._improved: Counter[str] = Counter()
        self._first: Counter[str] = Counter()
        self._ranks: defaultdict[str, float] = defaultdict(float)

    def count(self, evals: Evaluations, sources: Sequence[str], best: float) -> None:
        """One generation; ``best`` is the value to beat."""
        if not sources:
            return
        ranks = relative_ranks(evals)
        values = np.where(evals.failed, np.inf, evals.f)
        for i, source in enumerate(sources[: len(ranks)]):
            self._proposed[source] += 1
            self._improved[source] += int(values[i] < best)
            self._first[source] += int(ranks[i] == 0.0)
            self._ranks[source] += float(ranks[i])

    def summary(self, infill: Infill | None, progress: Progress, failures: int) -> dict[str, Any]:
        """The ``janus`` field of a result."""
        records = [] if infill is None else infill.records
        return {
            "sources": {
                name: {
                    "proposed": proposed,
                    "improved": self._improved[name],
                    "first": self._first[name],
                    "mean_rank": self._ranks[name] / proposed,
                }
                for name, proposed in sorted(self._proposed.items())
            },
            "charts": dict(Counter(record.chart for record in records)),
            "seconds": dict(progress.seconds),
            "restarts": progress.restarts,
            "failures": failures,
            "records": records,
        }
