"""Statistics of paired runs: ratios, verdicts, intervals, curves. Less is better everywhere; numpy and scipy only.

Runs are paired by seed. A pair counts as log(ours / theirs), errors floored first, so that two solved runs are a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import mannwhitneyu, wilcoxon

from janusopt.bench.holm import holm
from janusopt.core.arrays import Rows, Vec

ALPHA = 0.05
TARGETS = 51


@dataclass(frozen=True, slots=True)
class Verdict:
    """Corrected one-sided p-values: that ours is better, that it is worse."""

    better: float
    worse: float

    @property
    def word(self) -> str:
        """``win``, ``loss`` or ``even`` at 5 %."""
        return "win" if self.better < ALPHA else "loss" if self.worse < ALPHA else "even"


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Best-so-far errors of one run: ``best`` (n,) at the evaluation counts ``grid`` (n,), both in order."""

    grid: Vec
    best: Vec

    def at(self, evaluations: Vec) -> Vec:
        """(k,) the best error known after so many evaluations: a step function, infinite before the first."""
        last = np.searchsorted(self.grid, evaluations, side="right") - 1
        return np.where(last >= 0, self.best[np.maximum(last, 0)], np.inf)


def geometric_mean(values: ArrayLike) -> float:
    """exp(mean log) of positive values."""
    return float(np.exp(np.log(values).mean()))


def log_ratios(ours: ArrayLike, theirs: ArrayLike, floor: float) -> Vec:
    """(n,) log(ours / theirs) of paired errors, floored."""
    return np.log(np.maximum(ours, floor)) - np.log(np.maximum(theirs, floor))


def ratio(problems: Sequence[Vec]) -> float:
    """Geometric mean over problems of the geometric-mean ratio over their pairs: every problem weighs the same."""
    return float(np.exp(np.mean([logs.mean() for logs in problems])))


def ratio_interval(problems: Sequence[Vec], resamples: int = 2000, seed: int = 0) -> tuple[float, float]:
    """95 % percentile bootstrap of :func:`ratio`, seeds drawn anew within each problem; NaN where one has one pair."""
    if min(len(logs) for logs in problems) < 2:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    draws = [logs[rng.integers(len(logs), size=(resamples, len(logs)))].mean(axis=1) for logs in problems]
    low, high = np.exp(np.quantile(np.mean(draws, axis=0), [0.025, 0.975]))
    return float(low), float(high)


def won_even_lost(logs: Vec) -> tuple[int, int, int]:
    """Pairs where ours ends lower, equal, higher."""
    return int((logs < 0).sum()), int((logs == 0).sum()), int((logs > 0).sum())


def paired_verdicts(problems: Sequence[Vec]) -> list[Verdict]:
    """Wilcoxon's signed-rank test both ways for each problem's pairs; each way Holm-corrected over the problems."""
    better, worse = (holm([_wilcoxon(logs, side) for logs in problems]) for side in ("less", "greater"))
    return [Verdict(*pair) for pair in zip(better, worse, strict=True)]


def _wilcoxon(logs: Vec, side: str) -> float:
    apart = logs[logs != 0.0]
    return float(wilcoxon(apart, alternative=side).pvalue) if len(apart) else 1.0


def decidable(pairs: int, problems: int) -> bool:
    """Whether so few pairs can be significant at all: 2⁻ⁿ, Holm-corrected for the first of so many problems."""
    return problems * 0.5**pairs < ALPHA


def unpaired_verdicts(problems: Sequence[tuple[Vec, Vec]]) -> list[Verdict]:
    """Mann–Whitney's U both ways for each problem's (ours, theirs); Bonferroni over the problems."""

    def corrected(ours: Vec, theirs: Vec, side: str) -> float:
        return min(1.0, len(problems) * float(mannwhitneyu(ours, theirs, alternative=side).pvalue))

    return [Verdict(corrected(a, b, "less"), corrected(a, b, "greater")) for a, b in problems]


def decidable_unpaired(ours: int, theirs: int, problems: int) -> bool:
    """Whether so few runs can be significant at all: one of all ways to split them, Bonferroni-corrected."""
    return problems / comb(ours + theirs, ours) < ALPHA


def log_grid(last: int, points: int = 60) -> Vec:
    """Evaluation counts from 1 to ``last`` for curves of several runs: whole numbers, even in the logarithm."""
    return np.unique(np.round(np.geomspace(1, last, points)))


def quartiles(curves: Sequence[Curve], evaluations: Vec) -> Rows:
    """(3, k) lower quartile, median and upper quartile over the runs."""
    return np.quantile([curve.at(evaluations) for curve in curves], [0.25, 0.5, 0.75], axis=0)


def targets(start: float, best: float) -> Vec:
    """(51,) errors to be reached, evenly spread in the logarithm from ``start`` down to ``best``."""
    return np.geomspace(start, min(start, best), TARGETS)


def ecdf(runs: Sequence[tuple[Curve, Vec]], evaluations: Vec) -> Vec:
    """(k,) share of all (run, target) pairs reached after so many evaluations; each run comes with its targets."""
    shares = [(curve.at(evaluations)[:, None] <= wanted).mean(axis=1) for curve, wanted in runs]
    return np.asarray(np.mean(shares, axis=0))
