"""Evidence that a fit deserves trust, free of charge.

Before a generation enters the window, the last fit predicts it; Spearman's rank correlation with what was evaluated
is an honest out-of-sample score, invariant to monotone transformations like the host itself. Smoothed over
generations. For Eq. 3 only the fit's curvature counts, and that has a score of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan, sqrt

import numpy as np
from scipy.linalg.blas import dsyrk

from janusopt.core.arrays import Rows, Vec

_COLLINEAR = 1e-13  # of a squared length: what is left of a row that others explain
_PRIOR = 0.04  # variance of a curvature's strength, in units of √ρ, before anything was seen


def rank_correlation(a: Vec, b: Vec) -> float:
    """Spearman's ρ of two samples (n,), n ≥ 2; ties are broken by order."""
    n = len(a)
    middle = 0.5 * (n - 1)
    ra, rb = np.empty(n), np.empty(n)
    ra[np.argsort(a, kind="stable")] = np.arange(n) - middle
    rb[np.argsort(b, kind="stable")] = np.arange(n) - middle
    return float(ra @ rb) / float(ra @ ra)


def partial_correlations(f: Vec, parts: Rows, given: Rows) -> list[float]:
    """Of the ranks of f (n,) with each row of ``parts`` (p, n), all freed of what the rows of ``given`` (k, n) explain.

    By elimination in the Gram matrix of all these rows, which is a handful of plain numbers.
    """
    n, k = len(f), len(given)
    A = np.empty((k + 1 + len(parts), n))
    A[:k], A[k + 1 :] = given, parts
    A[k, np.argsort(f, kind="stable")] = np.arange(n)
    means = A.sum(axis=1)
    means /= n
    A -= means[:, None]
    G: list[list[float]] = dsyrk(1.0, A, lower=1).tolist()  # which squares 1e200 without a warning
    least = [_COLLINEAR * (G[i][i] + n * mean * mean) for i, mean in enumerate(means.tolist())]
    for i in range(k):
        pivot = G[i][i]
        if pivot > least[i]:  # else it is constant, or explained by those before it
            for j in range(i + 1, len(G)):
                share = G[j][i] / pivot
                for column in range(i + 1, j + 1):
                    G[j][column] -= share * G[column][i]

    def correlation(j: int) -> float:
        if not isfinite(G[j][j]):
            return nan
        return G[j][k] / sqrt(G[j][j] * G[k][k]) if G[k][k] > least[k] and G[j][j] > least[j] else 0.0

    return [correlation(j) for j in range(k + 1, len(G))]


class Smoothed:
    """Exponential mean of a score that arrives once a generation."""

    def __init__(self, rate: float, start: float = 0.0) -> None:
        self._rate = rate
        self.value = start

    def add(self, score: float) -> None:
        if isfinite(score):
            self.value += self._rate * (score - self.value)


class Curvature:
    """Whether the curved part of a fit explains what its slope and the distance do not, out of sample.

    A quadratic has d(d + 1)/2 curvatures; n rows can know a share ρ = n/(d(d + 1)/2) of them, so a true quadratic
    scores about √ρ, and ``strength`` is in that unit. At large d this drowns in the noise of a few rows a generation:
    there the skill of the whole fit stands in, by the weights of Bayes' rule for two normal estimates.
    """

    def __init__(self, rate: float = 0.04) -> None:
        self._rate = rate
        self._score = Smoothed(rate)

    def add(self, correlation: float) -> None:
        self._score.add(correlation)

    def strength(self, skill: float, n: int, d: int, rows: int) -> float:
        """About 0 where curvature is noise, ½ on a quadratic. n rows in a fit, ``rows`` a generation."""
        share = min(2.0 * n / (d * (d + 1)), 1.0)
        noise = 0.5 * self._rate / max(rows - 4, 1) / share
        seen = _PRIOR / (_PRIOR + noise)
        return float(seen * self._score.value / np.sqrt(share) + (1.0 - seen) * 0.5 * skill)


class Success:
    """How often each source's candidates came out among the best of their generation, discounted.

    A source has its slot every generation while at least half of its rows are among the best ``top``, less often in
    proportion below that, and a trickle of ``floor`` that can revive it.
    """

    def __init__(self, top: float = 0.3, rate: float = 0.1, floor: float = 0.1) -> None:
        self._top, self._rate, self._floor = top, rate, floor
        self._credit: dict[str, float] = {}

    def chance(self, source: str) -> float:
        """With what probability the source should have its slot."""
        return max(self._floor, min(1.0, 2.0 * self._credit.get(source, 1.0)))

    def add(self, sources: Sequence[str], ranks: Vec) -> None:
        """The relative ranks (0 best, 1 worst) that the sources' rows reached."""
        for source, rank in zip(sources, ranks, strict=True):
            old = self._credit.get(source, 1.0)
            self._credit[source] = old + self._rate * (float(rank < self._top) - old)
