"""What a plan asked for beside what is stored: the runs by group, problem, method and seed, and what is lacking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from janusopt.bench import stats
from janusopt.bench.report.row import Group, Row
from janusopt.bench.task import Run
from janusopt.bench.terms import Terms
from janusopt.core.arrays import Vec

RANDOM = "random-search"


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """One method against another: (n,) paired log ratios for each problem that has any.

    ``finals``, where the test is of runs that are not paired: all errors (n,) of ours and of theirs, by problem.
    """

    logs: dict[str, Vec]
    finals: dict[str, tuple[Vec, Vec]] | None = None

    @property
    def verdicts(self) -> dict[str, stats.Verdict]:
        """By problem; Holm-corrected over them, or by Bonferroni where runs are not paired."""
        if self.finals is not None:
            return dict(zip(self.finals, stats.unpaired_verdicts(list(self.finals.values())), strict=True))
        return dict(zip(self.logs, stats.paired_verdicts(list(self.logs.values())), strict=True))

    @property
    def ratio(self) -> float:
        """Over all problems; below 1 is better than theirs."""
        return stats.ratio(list(self.logs.values()))

    @property
    def typical(self) -> float:
        """The median problem's ratio: far from :attr:`ratio` where one problem makes most of it."""
        return float(np.exp(np.median([logs.mean() for logs in self.logs.values()])))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % bootstrap of the ratio over seeds."""
        return stats.ratio_interval(list(self.logs.values()))

    @property
    def pairs(self) -> int:
        """Over all problems."""
        return sum(map(len, self.logs.values()))

    @property
    def decidable(self) -> bool:
        """Whether any problem has runs enough to be significant."""
        if self.finals is not None:
            sizes = [(len(a), len(b)) for a, b in self.finals.values()]
            return any(stats.decidable_unpaired(*size, len(sizes)) for size in sizes)
        return any(stats.decidable(len(logs), len(self.logs)) for logs in self.logs.values())


class Results:
    """The stored rows of a plan's runs. Order is the plan's; rows outside the plan are counted in ``others``.

    Every evaluation count that the terms name makes groups of its own, of the same runs as they stood there.
    """

    def __init__(
        self,
        title: str,
        host: str,
        subject: str,
        floor: float,
        runs: Sequence[Run],
        rows: Iterable[Row],
        terms: Terms | None = None,
    ) -> None:
        self.title, self.host, self.subject, self.floor = title, host, subject, floor
        self.terms = terms or Terms()
        stored = {row.key: row for row in rows}
        self.runs = {run.key: run for run in runs}
        self.rows = [replace(stored[key], group=self.group_of(run)) for key, run in self.runs.items() if key in stored]
        self.missing = [run for key, run in self.runs.items() if key not in stored]
        self.others = len(stored) - len(self.rows)
        at = [count for count in self.terms.at if count not in {run.budget for run in runs}]
        self._planned = [replace(run, budget=count) for count in at for run in runs if count < run.budget]
        self._planned += runs
        cuts = [row.cut(count) for count in at for row in self.rows if count < row.group.budget]
        self._cells: dict[tuple[Group, str, str], list[Row]] = {}
        for row in (*cuts, *self.rows):
            self._cells.setdefault((row.group, row.problem, row.method), []).append(row)
        self._plan: dict[Group, dict[str, dict[str, None]]] = {}
        for run in self._planned:
            parts = self._plan.setdefault(self.group_of(run), {"problems": {}, "methods": {}})
            parts["problems"][run.task.problem] = None
            parts["methods"][run.method] = None

    @property
    def failed(self) -> list[Row]:
        """Stored runs without a final error."""
        return [row for row in self.rows if not row.good]

    @property
    def capped(self) -> list[Row]:
        """Stored runs that the time limit stopped; they count with what they had reached."""
        return [row for row in self.rows if row.good and row.status == "capped"]

    @property
    def state(self) -> str:
        """How much of the plan there is, in one line."""
        lacks = f"{len(self.missing)} missing, {len(self.failed)} failed, {len(self.capped)} capped"
        return f"{len(self.rows):,} of {len(self.runs):,} planned runs are stored: {lacks}."

    @property
    def groups(self) -> list[Group]:
        """Every (suite, dimension, budget) of the plan, and every evaluation count before one that it names."""
        return list(self._plan)

    @property
    def all_methods(self) -> list[str]:
        """Planned anywhere: the host first, then the subject."""
        return list(dict.fromkeys(method for group in self.groups for method in self.methods(group)))

    def label(self, group: Group) -> str:
        """A group's name: its dimension, and what else tells it from the plan's other groups."""
        several = [len({getattr(other, name) for other in self.groups}) > 1 for name in ("suite", "budget")]
        suite = f"{group.suite}, " if several[0] and not group.regime else ""
        name = group.regime or f"d = {group.dimension}"
        return suite + name + (f", {group.budget:,} evaluations" if several[1] else "")

    def problems(self, group: Group) -> list[str]:
        """Planned in this group."""
        return list(self._plan[group]["problems"])

    def methods(self, group: Group) -> list[str]:
        """Planned in this group: the host first, then the subject."""
        found = list(self._plan[group]["methods"])
        return sorted(found, key=[self.host_of(group), self.subject_of(group), *found].index)

    def host_of(self, group: Group) -> str:
        """The method that the others of this group are compared with."""
        return self.host

    def subject_of(self, group: Group) -> str:
        """The method that this group is about."""
        return self.subject

    def group_of(self, run: Run) -> Group:
        """The group a planned run belongs to."""
        return Group(run.task.suite, run.task.dimension, run.budget)

    def planned(self, group: Group, method: str) -> int:
        """How many runs the plan asks for."""
        return sum(run.method == method and self.group_of(run) == group for run in self._planned)

    def of(self, group: Group, problem: str, method: str) -> list[Row]:
        """Stored runs, failed ones included."""
        return self._cells.get((group, problem, method), [])

    def method_rows(self, group: Group, method: str) -> Iterator[Row]:
        """Stored runs over all problems of a group."""
        return (row for problem in self.problems(group) for row in self.of(group, problem, method))

    def errors(self, group: Group, problem: str, method: str) -> dict[int, float]:
        """Final error by seed, floored; runs without one are left out here and listed by the report."""
        return {row.seed: max(row.final, self.floor) for row in self.of(group, problem, method) if row.good}

    def contest(self, group: Group, ours: str, theirs: str) -> Contest | None:
        """Over the seeds that both have; ``None`` without a single pair."""
        logs, finals = {}, {}
        for problem in self.problems(group):
            a, b = (self.errors(group, problem, method) for method in (ours, theirs))
            if seeds := [seed for seed in a if seed in b]:
                logs[problem] = stats.log_ratios([a[s] for s in seeds], [b[s] for s in seeds], self.floor)
                finals[problem] = np.array(list(a.values())), np.array(list(b.values()))
        if not logs:
            return None
        return Contest(logs, finals if self.terms.test == "mann-whitney" else None)

    def geometric_mean(self, group: Group, problem: str, method: str) -> float:
        """Of the floored final errors over all seeds; NaN without any."""
        errors = self.errors(group, problem, method)
        return stats.geometric_mean(list(errors.values())) if errors else float("nan")

    def overall(self, group: Group, method: str) -> float:
        """Geometric mean over all problems; NaN where one has no run."""
        return float(np.exp(np.log([self.geometric_mean(group, p, method) for p in self.problems(group)]).mean()))
