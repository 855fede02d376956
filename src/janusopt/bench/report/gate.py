"""The gate: no report on a host that is not shown to beat random search on every problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from janusopt.bench import stats
from janusopt.bench.report.results import RANDOM, Results
from janusopt.bench.report.row import Group


@dataclass(frozen=True, slots=True)
class Trial:
    """The host against random search on one problem: geometric-mean ratio over the pairs, ``None`` without a pair."""

    group: Group
    problem: str
    ratio: float | None

    @property
    def passed(self) -> bool:
        """Whether the host ends lower."""
        return self.ratio is not None and self.ratio < 1.0


def trials(results: Results) -> list[Trial]:
    """One for each problem of each group."""
    found = []
    for group in results.groups:
        contest = results.contest(group, results.host, RANDOM)
        logs = contest.logs if contest else {}
        found += [
            Trial(group, problem, stats.ratio([logs[problem]]) if problem in logs else None)
            for problem in results.problems(group)
        ]
    return found


def refusal(results: Results, commands: Sequence[str]) -> str:
    """Why there is no report, and which ``commands`` bring what lacks; empty when the host passes everywhere."""
    found = trials(results)
    absent = [trial for trial in found if trial.ratio is None]
    beaten = [trial for trial in found if trial.ratio is not None and not trial.passed]
    lines = []
    if beaten:
        lines.append(f"the host {results.host!r} does not beat random search, so a ratio to it would mean nothing:")
        lines += [f"  {results.label(t.group)}: {t.problem} (host / random search = {t.ratio:.3g})" for t in beaten]
    if absent:
        lines.append(f"no paired runs of {results.host!r} and {RANDOM!r}, so nothing shows that the host beats it:")
        lines += [f"  {results.label(group)}: {', '.join(names)}" for group, names in _by_group(absent).items()]
        if RANDOM not in results.all_methods:
            lines.append(f"add {RANDOM!r} to the plan's methods, or name a plan that has it: gate = 'plans/other.toml'")
        lines.append(f"to do the runs: {' && '.join(commands)}")
    return "\n".join(lines)


def _by_group(found: list[Trial]) -> dict[Group, list[str]]:
    names: dict[Group, list[str]] = {}
    for trial in found:
        names.setdefault(trial.group, []).append(trial.problem)
    return names
