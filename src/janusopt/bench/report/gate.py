"""The gate: no report on a host that random search beats, on any problem.

A tie is let through and named: pycma itself does not beat random search on BBOB's f23 at d = 30, nor on f11 at d = 100,
with 20,000 evaluations. A broken or badly set host, which the gate is for, loses by far more than :data:`TIE`.

Where a plan counts problems solved, the host must solve more of them than random search, and single problems are only
named: a start may lie so near a minimum that sampling about it is worse than the start itself. Likewise where a plan
knows what is ``feasible``: one collision is worth more than all else there, and on single problems chance decides it;
the host must be ahead over all of them.

It is shown in the plan itself or, where a plan names a ``gate``, in that one, problem by problem and dimension by
dimension: with few evaluations or with noise a sound host may tie with random search on a problem that takes longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janusopt.bench import stats
from janusopt.bench.report import solved
from janusopt.bench.report.results import RANDOM, Results
from janusopt.bench.report.row import Group

TIE = 1.25  # host / random search up to which it is none of the host's fault


@dataclass(frozen=True, slots=True)
class Trial:
    """The host against random search on one problem: geometric-mean ratio over the pairs, ``None`` without a pair."""

    group: Group
    problem: str
    ratio: float | None

    @property
    def ahead(self) -> bool:
        """Whether the host ends lower."""
        return self.ratio is not None and self.ratio < 1.0

    @property
    def passed(self) -> bool:
        """Whether it ends lower, or so little higher that it is a tie."""
        return self.ratio is not None and self.ratio < TIE


def trials(results: Results, shown: Results) -> list[Trial]:
    """One for each problem of each group of ``results``, by the runs of ``shown``."""
    return [
        Trial(group, problem, _ratio(shown, results.host, problem, group.dimension))
        for group in results.groups
        for problem in results.problems(group)
    ]


def _ratio(shown: Results, host: str, problem: str, dimension: int) -> float | None:
    """Geometric mean over the seeds of every group that has pairs."""
    contests = [shown.contest(group, host, RANDOM) for group in shown.groups if group.dimension == dimension]
    logs = [contest.logs[problem] for contest in contests if contest is not None and problem in contest.logs]
    return stats.ratio(logs) if logs else None


def refusal(results: Results, shown: Results, commands: Sequence[str]) -> str:
    """Why there is no report, and which ``commands`` bring what lacks; empty when the host passes everywhere."""
    found = trials(results, shown)
    absent = [trial for trial in found if trial.ratio is None]
    beaten = [trial for trial in found if trial.ratio is not None and not trial.passed]
    lines = []
    if shown.terms.solved:
        beaten, lines = [], _unsolved(shown)
    elif shown.terms.feasible is not None:
        beaten, lines = [], _behind(results, found)
    if beaten:
        lines.append(f"random search beats the host {results.host!r}, so a ratio to it would mean nothing:")
        lines += [f"  {results.label(t.group)}: {t.problem} (host / random search = {t.ratio:.3g})" for t in beaten]
    if absent:
        lines.append(f"no paired runs of {results.host!r} and {RANDOM!r}, so nothing shows that the host beats it:")
        lines += [f"  {results.label(group)}: {', '.join(names)}" for group, names in _by_group(absent).items()]
        if RANDOM not in shown.all_methods:
            lines.append(f"add {RANDOM!r} to the plan's methods, or name a plan that has it: gate = 'plans/other.toml'")
        lines.append(f"to do the runs: {' && '.join(commands)}")
    return "\n".join(lines)


def _unsolved(shown: Results) -> list[str]:
    """A line for each suite of which the host solves no more problems than random search."""
    lines = []
    for suite, places in solved.suites(shown).items():
        host, chance = (solved.count(shown, places, method) for method in (shown.host, RANDOM))
        if chance >= host:
            lines.append(
                f"the host {shown.host!r} solves {host:.1f} problems of {suite}, random search {chance:.1f}, so a "
                "comparison with it would mean nothing"
            )
    return lines


def _behind(results: Results, found: list[Trial]) -> list[str]:
    """A line for each group over whose problems together the host is not ahead of random search."""
    lines = []
    for group in results.groups:
        logs = [np.log(trial.ratio) for trial in found if trial.group == group and trial.ratio is not None]
        ratio = float(np.exp(np.mean(logs))) if logs else 0.0
        if ratio >= 1.0:
            lines.append(
                f"random search beats the host {results.host!r} over the problems of {results.label(group)} (host / "
                f"random search = {ratio:.3g}), so a ratio to it would mean nothing"
            )
    return lines


def _by_group(found: list[Trial]) -> dict[Group, list[str]]:
    names: dict[Group, list[str]] = {}
    for trial in found:
        names.setdefault(trial.group, []).append(trial.problem)
    return names
