"""Tables of fronts: leaderboards, the subject task by task, every method beside every other, attribution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from janusopt.bench.report.fronts.standings import COLLAPSE, Standings
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table, number
from janusopt.bench.report.tables import marked

REFLECTED = " edge=reflect"
BOARD = (
    "Rank: mean over the tasks of the rank by mean hypervolume. HV: mean hypervolume / that of the best run of the "
    "task, with one reference point a task, taken from all fronts. +/≈/−: tasks where the method is significantly "
    "better, even, worse (one-sided Mann–Whitney U tests at 5 %, Bonferroni over the tasks). "
    f"Collapses: runs below {COLLAPSE:.0%} of the host's worst run. Time: wall time of a run / the host's. IGD+ rank: "
    "over the tasks whose true front is known."
)
FEW = "†: too few seeds for any task to be significant."


def leaderboard(standings: Standings, group: Group) -> Table:
    """Every method of a group, the best rank first."""
    return _board(standings, group, standings.problems(group), standings.label(group))


def by_objectives(standings: Standings, group: Group) -> list[Table]:
    """A leaderboard for each number of objectives, where a group has several."""
    numbers: dict[int, list[str]] = {}
    for problem in standings.problems(group):
        numbers.setdefault(standings.objectives(group, problem), []).append(problem)
    if len(numbers) < 2:
        return []
    return [
        _board(standings, group, problems, f"{m} objectives, {len(problems)} {'tasks' if problems[1:] else 'task'}")
        for m, problems in sorted(numbers.items())
        if m
    ]


def _board(standings: Standings, group: Group, problems: Sequence[str], title: str) -> Table:
    host, subject = standings.host_of(group), standings.subject_of(group)
    header = (
        "method", "rank", "HV", f"HV / {host}", f"+/≈/− against {host}", f"{subject} against it", "collapses",
        "IGD+ rank", "time",
    )  # fmt: skip
    found = [method for method in standings.methods(group) if _ranks(standings, group, problems, method)]
    rows = []
    for method in sorted(found, key=lambda name: np.mean(_ranks(standings, group, problems, name))):
        lost = sum(len(standings.collapses(group, problem, method)) for problem in problems)
        rows.append(
            (
                f"**{method}**" if method == subject else method,
                f"{np.mean(_ranks(standings, group, problems, method)):.2f}",
                f"{np.nanmean([standings.mean(group, problem, method) for problem in problems]):.4f}",
                "–" if method == host else f"{standings.ratio(group, method, host, problems):.4f}",
                _words(standings, group, problems, method, host),
                _words(standings, group, problems, subject, method),
                str(lost),
                number(_igd_rank(standings, group, problems, method)),
                number(standings.slowdown(group, method, problems)),
            )
        )
    note = f"{BOARD} {FEW}" if any("†" in row[4] for row in rows) else BOARD
    return Table(title, header, tuple(rows), note).trimmed()


def _ranks(standings: Standings, group: Group, problems: Sequence[str], method: str) -> list[float]:
    ranks = [standings.ranks(group, problem) for problem in problems]
    return [found[method] for found in ranks if method in found]


def _igd_rank(standings: Standings, group: Group, problems: Sequence[str], method: str) -> float:
    found = []
    for problem in problems:
        values = [standings.igd_plus(group, problem, name) for name in standings.methods(group)]
        own = standings.igd_plus(group, problem, method)
        if np.isfinite(own):
            found.append(1.0 + sum(value < own for value in values))
    return float(np.mean(found)) if found else float("nan")


def _words(standings: Standings, group: Group, problems: Sequence[str], ours: str, theirs: str) -> str:
    if ours == theirs:
        return "–"
    verdicts = standings.verdicts(group, ours, theirs)
    count = Counter(verdicts[problem].word for problem in problems if problem in verdicts)
    few = "" if standings.decidable(group, ours, theirs) else " †"
    return f"{count['win']}/{count['even']}/{count['loss']}{few}"


def tasks(standings: Standings, group: Group) -> Table:
    """The subject against the host, a row for each task; losses and collapses beside wins."""
    host, subject = standings.host_of(group), standings.subject_of(group)
    verdicts = standings.verdicts(group, subject, host)
    rows = []
    for problem in standings.problems(group):
        means = [standings.mean(group, problem, method) for method in (host, subject)]
        verdict = verdicts.get(problem)
        word = marked(verdict.word) if verdict else "–"
        rows.append(
            (
                problem,
                *(f"{mean:.4f}" if np.isfinite(mean) else "–" for mean in means),
                f"{means[1] / means[0]:.4f}" if np.isfinite(means).all() and means[0] > 0.0 else "–",
                number(verdict.better) if verdict else "–",
                number(verdict.worse) if verdict else "–",
                word,
                ", ".join(map(str, standings.collapses(group, problem, subject))) or "none",
                *(number(standings.igd_plus(group, problem, method)) for method in (host, subject)),
            )
        )
    header = (
        "", f"HV {host}", f"HV {subject}", "ratio", "p better", "p worse", "verdict", "collapsed seeds",
        f"IGD+ {host}", f"IGD+ {subject}",
    )  # fmt: skip
    note = "Means over the seeds; HV as in the leaderboard; p-values Bonferroni-corrected."
    note += "" if standings.decidable(group, subject, host) else " Too few seeds for any task to be significant."
    return Table(f"{subject} against {host}, {standings.label(group)}", header, tuple(rows), note).trimmed()


def matrix(standings: Standings, group: Group) -> Table:
    """Mean hypervolume of every method on every task, with its rank."""
    methods, rows = standings.methods(group), []
    for problem in standings.problems(group):
        ranks = standings.ranks(group, problem)
        cells = []
        for method in methods:
            known = method in ranks
            text = f"{standings.mean(group, problem, method):.4f} ({ranks[method]:g})" if known else "–"
            cells.append(f"**{text}**" if known and ranks[method] == min(ranks.values()) else text)
        rows.append((problem, *cells))
    note = "Mean hypervolume / that of the best run of the task, and the rank of the mean; bold: the best."
    return Table(f"All methods, {standings.label(group)}", ("", *methods), tuple(rows), note)


def attribution(standings: Standings) -> Table:
    """What each infill gains over its host, by steps that are put on the bound or mirrored at it."""
    rows = []
    for group in standings.groups:
        host, methods = standings.host_of(group), standings.methods(group)
        for method in methods:
            twin = method + REFLECTED
            if (
                method != host
                and not method.endswith(REFLECTED)
                and (twin in methods or _infilled(standings, group, method))
            ):
                cells = [_gain(standings, group, name) if name in methods else ("–", "–") for name in (method, twin)]
                rows.append((standings.label(group), method, *cells[0], *cells[1], _share(standings, group, method)))
    header = ("", "method", "HV / host, clipped", "+/≈/−", "HV / host, reflected", "+/≈/−", "share of evaluations")
    note = (
        "Mean hypervolume over the tasks / the host's. A gain that goes when the same steps are "
        "mirrored at the bounds instead of put on them came from landing on bounds, not from where the steps pointed."
    )
    shown = tuple(rows) if any(row[4] != "–" for row in rows) else ()
    return Table("Attribution", header, shown, note)


def _gain(standings: Standings, group: Group, method: str) -> tuple[str, str]:
    host = standings.host_of(group)
    ratio = standings.ratio(group, method, host)
    return f"{ratio:.4f}" if np.isfinite(ratio) else "–", _words(
        standings, group, standings.problems(group), method, host
    )


def _infilled(standings: Standings, group: Group, method: str) -> bool:
    return any(row.sources for row in standings.method_rows(group, method))


def _share(standings: Standings, group: Group, method: str) -> str:
    rows = [row for row in standings.method_rows(group, method) if row.good]
    spent = sum(row.evaluations for row in rows)
    count: Counter[str] = Counter()
    for row in rows:
        count.update({source.name: source.proposed for source in row.sources})
    return ", ".join(f"{name} {number / spent:.1%}" for name, number in count.most_common()) if spent else "–"
