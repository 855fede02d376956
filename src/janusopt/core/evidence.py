"""Evidence that a fit deserves trust, free of charge.

Before a generation enters the window, the last fit predicts it; Spearman's rank correlation with what was evaluated
is an honest out-of-sample score, invariant to monotone transformations like the host itself. Smoothed over
generations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janusopt.core.arrays import Vec


def rank_correlation(a: Vec, b: Vec) -> float:
    """Spearman's ρ of two samples (n,), n ≥ 2; ties are broken by order."""
    n = len(a)
    middle = 0.5 * (n - 1)
    ra, rb = np.empty(n), np.empty(n)
    ra[np.argsort(a, kind="stable")] = np.arange(n) - middle
    rb[np.argsort(b, kind="stable")] = np.arange(n) - middle
    return float(ra @ rb) / float(ra @ ra)


class Smoothed:
    """Exponential mean of a score that arrives once a generation."""

    def __init__(self, rate: float, start: float = 0.0) -> None:
        self._rate = rate
        self.value = start

    def add(self, score: float) -> None:
        if np.isfinite(score):
            self.value += self._rate * (score - self.value)


class Success:
    """How often each source's candidates came out among the best of their generation, discounted.

    A row without any geometry is among the best ``top`` of its generation with that probability, so a source earns
    its slot only by what it does beyond chance: a trickle of ``floor`` that can revive it below ``top + margin/2``,
    every generation from ``top + 3/2 margin`` on.
    """

    def __init__(self, top: float = 0.3, margin: float = 0.1, rate: float = 0.1, floor: float = 0.05) -> None:
        self._top, self._margin, self._rate, self._floor = top, margin, rate, floor
        self._credit: dict[str, float] = {}

    def chance(self, source: str) -> float:
        """With what probability the source should have its slot."""
        beyond = self._credit.get(source, 1.0) - self._top
        return max(self._floor, min(1.0, beyond / self._margin - 0.5))

    def add(self, sources: Sequence[str], ranks: Vec) -> None:
        """The relative ranks (0 best, 1 worst) that the sources' rows reached."""
        for source, rank in zip(sources, ranks, strict=True):
            old = self._credit.get(source, 1.0)
            self._credit[source] = old + self._rate * (float(rank < self._top) - old)
