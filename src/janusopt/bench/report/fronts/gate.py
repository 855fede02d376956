"""The gate for several objectives: no report on a host whose fronts random search beats, on any problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janusopt.bench.report.fronts.standings import Standings
from janusopt.bench.report.results import RANDOM
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table, number

TIE = 1.01  # random search / host, in hypervolume, up to which it is none of the host's fault


@dataclass(frozen=True, slots=True)
class Trial:
    """Random search against the host of a group on one problem: ratio of mean scores, NaN where one has no runs."""

    group: Group
    problem: str
    ratio: float


def trials(standings: Standings) -> list[Trial]:
    """One for each problem of each group."""
    return [
        Trial(group, problem, standings.ratio(group, RANDOM, standings.host_of(group), [problem]))
        for group in standings.groups
        for problem in standings.problems(group)
    ]


def refusal(standings: Standings, command: str) -> str:
    """Why there is no report; empty when every host passes everywhere. ``command`` brings what lacks."""
    found = trials(standings)
    beaten, absent = ([t for t in found if t.ratio >= TIE], [t for t in found if np.isnan(t.ratio)])
    lines = []
    if beaten:
        lines.append("random search beats the host, so a comparison with it would mean nothing:")
        lines += _lines(standings, beaten)
    if absent:
        lines.append(f"no runs of the host or of {RANDOM!r}, so nothing shows that the host beats it:")
        lines += _lines(standings, absent)
        lines.append(f"to do the runs: {command}")
    return "\n".join(lines)


def _lines(standings: Standings, found: Sequence[Trial]) -> list[str]:
    return [
        f"  {standings.label(t.group)}: {t.problem} ({number(t.ratio)} of {standings.host_of(t.group)})" for t in found
    ]


def table(standings: Standings) -> Table:
    """Where random search comes closest to the host."""
    found, rows = trials(standings), []
    for group in standings.groups:
        own = [trial for trial in found if trial.group == group and np.isfinite(trial.ratio)]
        if own:
            closest = max(own, key=lambda trial: trial.ratio)
            host = standings.host_of(group)
            rows.append((standings.label(group), host, str(len(own)), closest.problem, number(closest.ratio)))
    header = ("", "host", "problems", "closest", "random search / host there")
    note = (
        f"There is no report where random search has {TIE - 1:.0%} or more hypervolume than the host on any problem. "
        "It keeps up to a hundred rows, as the hosts do."
    )
    return Table("The gate", header, tuple(rows), note)
