"""Runs by the hypervolume of their last fronts: one reference point a task, taken from all fronts that there are.

ideal, nadir   of the non-dominated rows of all methods' fronts of a task (problem, dimension, instance)
volume         of a front, in the box from the ideal to nadir + 0.1·(nadir − ideal)
score          volume / the largest volume of any run of the task: 1 is the best run
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import rankdata

from janusopt.bench import stats
from janusopt.bench.gallery import unit_volume
from janusopt.bench.plan import League
from janusopt.bench.report.results import Contest, Results
from janusopt.bench.report.row import Group, Row
from janusopt.bench.task import Run
from janusopt.core.arrays import Rows, Vec
from janusopt.core.dominance import nondominated

COLLAPSE = 0.95  # of the host's worst run: below this a run has lost a part of the front
_MARGIN = 0.1
_ALPHA = 0.05
_ROUNDS = 2  # the scale of an objective is known better once the worst rows have left


class Standings(Results):
    """The stored fronts of a plan's runs, each in its league; ``checkpoint``: the evaluations of which they are."""

    def __init__(
        self,
        title: str,
        leagues: Mapping[str, League],
        runs: Sequence[Run],
        rows: Iterable[Row],
        checkpoint: int | None = None,
    ) -> None:
        first = leagues[runs[0].key]
        self._leagues, self.checkpoint = leagues, checkpoint
        self._verdicts: dict[tuple[Group, str, str], dict[str, stats.Verdict]] = {}
        self._ranks: dict[tuple[Group, str], dict[str, float]] = {}
        super().__init__(title, first.host, first.subject, 0.0, runs, rows)
        self._heads = {self.group_of(run): leagues[run.key] for run in runs}
        self._scores = self._scored()

    def _scored(self) -> dict[str, float]:
        """By key of the rows that have a front."""
        tasks: dict[tuple[Group, str, int], list[tuple[Row, Rows]]] = {}
        for row in self.rows:
            if row.good and row.front is not None:
                tasks.setdefault((row.group, row.problem, row.instance), []).append((row, row.front))
        scores: dict[str, float] = {}
        for (group, _, _), found in tasks.items():
            own = [front for row, front in found if row.method == self.host_of(group)]
            ideal, reference = box([front for _, front in found], own)
            volumes = {row.key: unit_volume((front - ideal) / (reference - ideal)) for row, front in found}
            most = max(volumes.values())
            scores |= {key: volume / most for key, volume in volumes.items()}
        return scores

    def group_of(self, run: Run) -> Group:
        regime = self._leagues[run.key].regime
        return Group(run.task.suite, 0, run.budget, regime) if regime else super().group_of(run)

    def host_of(self, group: Group) -> str:
        return self._heads[group].host

    def subject_of(self, group: Group) -> str:
        return self._heads[group].subject

    def label(self, group: Group) -> str:
        return super().label(group) + (f", {self.checkpoint:,} evaluations" if self.checkpoint else "")

    def objectives(self, group: Group, problem: str) -> int:
        """How many; 0 where no run has a front."""
        found = (row for method in self.methods(group) for row in self.of(group, problem, method))
        return next((row.front.shape[1] for row in found if row.front is not None), 0)

    def scores(self, group: Group, problem: str, method: str) -> dict[int, float]:
        """By seed; runs without a front are left out."""
        return {row.seed: self._scores[row.key] for row in self.of(group, problem, method) if row.good}

    def mean(self, group: Group, problem: str, method: str) -> float:
        """Of the scores; NaN without any."""
        scores = list(self.scores(group, problem, method).values())
        return float(np.mean(scores)) if scores else float("nan")

    def igd_plus(self, group: Group, problem: str, method: str) -> float:
        """Mean over the runs; NaN where the front is not known."""
        found = [row.igd_plus for row in self.of(group, problem, method) if row.good]
        return float(np.mean(found)) if found else float("nan")

    def verdicts(self, group: Group, ours: str, theirs: str) -> dict[str, stats.Verdict]:
        """By problem that both have: Mann–Whitney's U, Bonferroni over the group's problems; each pair tested once."""
        known = self._verdicts.get((group, ours, theirs))
        if known is None:
            known = self._verdicts[group, ours, theirs] = self._contest(group, ours, theirs).verdicts
        return known

    def _contest(self, group: Group, ours: str, theirs: str) -> Contest:
        """Of the scores with their sign turned: less is better there."""
        samples = {}
        for problem in self.problems(group):
            a, b = (np.array(list(self.scores(group, problem, method).values())) for method in (ours, theirs))
            if len(a) and len(b):
                samples[problem] = (-a, -b)
        return Contest({}, samples)

    def decidable(self, group: Group, ours: str, theirs: str) -> bool:
        """Whether so few runs can be significant on any problem."""
        return self._contest(group, ours, theirs).decidable

    def ranks(self, group: Group, problem: str) -> dict[str, float]:
        """By method that has runs, of mean scores: 1 is the best, ties share the mean of their ranks."""
        found = self._ranks.get((group, problem))
        if found is None:
            found = self._ranks[group, problem] = self._ranked(group, problem)
        return found

    def _ranked(self, group: Group, problem: str) -> dict[str, float]:
        means = {method: self.mean(group, problem, method) for method in self.methods(group)}
        known = {method: mean for method, mean in means.items() if np.isfinite(mean)}
        return dict(zip(known, rankdata([-mean for mean in known.values()]).tolist(), strict=True))

    def ratio(self, group: Group, ours: str, theirs: str, problems: Sequence[str] | None = None) -> float:
        """Mean score over the problems that both have / the same of theirs; above 1 is better, NaN without any.

        Not a geometric mean over the problems: a host that finds nothing on one would decide it.
        """
        pairs = [
            tuple(self.mean(group, problem, method) for method in (ours, theirs))
            for problem in (self.problems(group) if problems is None else problems)
        ]
        known = np.array([pair for pair in pairs if np.isfinite(pair).all()])
        if not len(known):
            return float("nan")
        a, b = known.sum(axis=0)
        return float(a / b) if b > 0.0 else 1.0 if a == 0.0 else float("inf")

    def collapses(self, group: Group, problem: str, method: str) -> list[int]:
        """Seeds whose score is below 95 % of the host's worst one."""
        host = self.scores(group, problem, self.host_of(group))
        floor = COLLAPSE * min(host.values(), default=0.0)
        return [seed for seed, score in self.scores(group, problem, method).items() if score < floor]

    def slowdown(self, group: Group, method: str, problems: Sequence[str]) -> float:
        """Geometric mean over the problems of median wall time / the host's; NaN without any."""
        logs = []
        for problem in problems:
            spent = [
                [row.seconds["total"] for row in self.of(group, problem, name) if row.good and row.seconds]
                for name in (method, self.host_of(group))
            ]
            if all(spent):
                logs.append(np.log(np.median(spent[0]) / np.median(spent[1])))
        return float(np.exp(np.mean(logs))) if logs else float("nan")

    def earlier(self, count: int) -> Standings:
        """The same runs by the fronts that they had after ``count`` evaluations."""
        runs = [replace(run, budget=count) for run in self.runs.values()]
        leagues = {new.key: self._leagues[old] for new, old in zip(runs, self.runs, strict=True)}
        moved = {old: new.key for new, old in zip(runs, self.runs, strict=True)}
        rows = [replace(row.cut(count), key=moved[row.key]) for row in self.rows]
        return Standings(self.title, leagues, runs, rows, count)


def box(fronts: Sequence[Rows], host: Sequence[Rows]) -> tuple[Vec, Vec]:
    """(m,) ideal point and reference point of fronts (n, m) of one task, those of the host given once more.

    The nadir is that of all fronts together or, where it lies further out, the median of its runs' own: on a task that
    the host has not solved a box around the best run's front alone would hold none of its rows.
    """
    union = np.concatenate(fronts)
    best = union[nondominated(union)]
    ideal = best.min(axis=0)
    nadir = _nadir(best, ideal)
    if host:
        nadir = np.maximum(nadir, np.median([_nadir(F, ideal) for F in host], axis=0))
    return ideal, nadir + _MARGIN * np.where(nadir > ideal, nadir - ideal, 1.0)


def _nadir(F: Rows, ideal: Vec) -> Vec:
    """(m,): the worst of each objective over the rows that no other α-dominates.

    With many objectives a row that is a trifle better than all others in one of them and a thousand times worse in the
    rest is not dominated, and beyond it all fronts would be equal. Under α-dominance, where a unit of one objective may
    be traded for α units of each other, it is.
    """
    for _ in range(_ROUNDS):
        above = F - ideal
        S = above / np.where(above.any(axis=0), above.mean(axis=0), 1.0)
        F = F[nondominated(S + _ALPHA * (S.sum(axis=1, keepdims=True) - S))]
    return np.asarray(F.max(axis=0))
