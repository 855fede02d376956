"""What the page's figures show. A panel is a list of choices, one drawn at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janusopt.bench import stats
from janusopt.bench.report import figures
from janusopt.bench.report.results import RANDOM, Results
from janusopt.bench.report.row import Group, Row
from janusopt.bench.report.runs import median_seconds
from janusopt.bench.report.table import number
from janusopt.core.arrays import Vec

HOST, SUBJECT, CHANCE = "#374151", "#1d4ed8", "#a8b0bb"
PEERS = ("#d97706", "#0f9d76", "#9333ea", "#c2255c", "#38bdf8", "#7c5c3b", "#84cc16", "#f472b6", "#0f766e", "#64748b")
TENTHS = [f"{10 * i}–{10 * i + 10} %" for i in range(10)]


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a panel's selector: the heading it is listed under, its name, its figure as JSON."""

    heading: str
    name: str
    figure: str


def heat(results: Results) -> Iterator[Choice]:
    """Ratio to the host for each problem and group; a choice for each method."""
    problems = list(dict.fromkeys(p for group in results.groups for p in results.problems(group)))
    labels = [results.label(group) for group in results.groups]
    for method in results.all_methods:
        contests = [results.contest(group, method, results.host) for group in results.groups]
        if method == results.host or not any(contests):
            continue
        means = [[c.logs[p].mean() if c and p in c.logs else None for p in problems] for c in contests]
        words = [["" if mean is None else number(np.exp(mean)) for mean in row] for row in means]
        Z = [[None if mean is None else round(mean / np.log(10.0), 3) for mean in row] for row in means]
        yield Choice("", f"{method} / {results.host}", figures.heat(Z, words, problems, labels, figures.ratio_shade(Z)))


def convergence(results: Results) -> Iterator[Choice]:
    """Best error so far: medians over the seeds, quartiles for host and subject; a choice for each problem."""
    for group in results.groups:
        for problem in results.problems(group):
            grid = stats.log_grid(group.budget)
            lines = [
                band(results, group, method, rows, grid, colour(results, method))
                for method in results.methods(group)
                if (rows := drawn(results.of(group, problem, method)))
            ]
            if lines:
                figure = figures.curves(lines, "evaluations", "best error so far")
                yield Choice(results.label(group), problem, figure)


def band(results: Results, group: Group, method: str, rows: list[Row], grid: Vec, shade: str) -> figures.Line:
    """Medians over the runs from where all have begun, floored; for the host and the subject their quartiles too."""
    grid = grid[grid >= max(row.curve.grid[0] for row in rows)]
    low, middle, high = np.maximum(stats.quartiles([row.curve for row in rows], grid), results.floor)
    if method not in (results.host_of(group), results.subject_of(group)):
        return figures.Line(method, shade, grid, middle)
    return figures.Line(method, shade, grid, middle, low, high, bold=True)


def ecdf(results: Results) -> Iterator[Choice]:
    """Share of targets reached over all problems; a choice for each group."""
    for group in results.groups:
        wanted = dict(_targets(results, group))
        grid = stats.log_grid(group.budget)
        lines = []
        for method in results.methods(group):
            rows = [row for row in drawn(results.method_rows(group, method)) if row.problem in wanted]
            if rows:
                reached = stats.ecdf([(row.curve, wanted[row.problem]) for row in rows], grid)
                bold = method in (results.host, results.subject)
                lines.append(figures.Line(method, colour(results, method), grid, reached, bold=bold))
        if lines:
            figure = figures.curves(lines, "evaluations", "share of targets reached", scale="shares")
            yield Choice("", results.label(group), figure)


def _targets(results: Results, group: Group) -> Iterator[tuple[str, Vec]]:
    """For each problem: from the host's median first error down to the least final error of any method."""
    for problem in results.problems(group):
        first = [row.curve.best[0] for row in drawn(results.of(group, problem, results.host))]
        final = [e for method in results.methods(group) for e in results.errors(group, problem, method).values()]
        if first:
            yield problem, stats.targets(max(float(np.median(first)), results.floor), min(final))


def ranks(results: Results) -> Iterator[Choice]:
    """Where each source's candidates ranked in their generation; a choice for each method that has sources."""
    for group in results.groups:
        for method in results.methods(group):
            counts = _sums(row.ranks for row in results.method_rows(group, method))
            parts = {name: values / values.sum() for name, values in counts.items() if values.sum()}
            if parts:
                x, y = "rank in the generation, best on the left", "share of the source's candidates"
                figure = figures.bars(parts, (SUBJECT, *PEERS), TENTHS, x, y, even=0.1)
                yield Choice(results.label(group), method, figure)


def charts(results: Results) -> Iterator[Choice]:
    """Which charts the subject used in each tenth of a run; over all problems, then a choice for each."""
    for group in results.groups:
        problems = results.problems(group)
        for name, chosen in (("all functions", problems), *((problem, [problem]) for problem in problems)):
            counts = _sums(row.charts for problem in chosen for row in results.of(group, problem, results.subject))
            if counts:
                whole = np.maximum(sum(counts.values()), 1.0)
                parts = {chart: values / whole for chart, values in counts.items()}
                figure = figures.bars(parts, PEERS, TENTHS, "part of the run", "share of generations", stacked=True)
                yield Choice(results.label(group), name, figure)


def seconds(results: Results) -> Iterator[Choice]:
    """Where the time of a run went: medians; a choice for each group."""
    for group in results.groups:
        spent = median_seconds(results, group)
        if spent:
            total, *parts = np.array(list(spent.values())).T
            named = dict(zip(("host", "infill", "evaluation"), parts, strict=True))
            named["other"] = np.maximum(total - sum(parts), 0.0)
            figure = figures.lying_bars(named, (HOST, SUBJECT, PEERS[0], CHANCE), list(spent), "seconds a run (median)")
            yield Choice("", results.label(group), figure)


def drawn(rows: Iterable[Row]) -> list[Row]:
    """Those that have a curve to draw."""
    return [row for row in rows if row.good and len(row.curve.grid)]


def _sums(counts: Iterable[Mapping[str, Vec]]) -> dict[str, Vec]:
    total: dict[str, Vec] = {}
    for one in counts:
        for name, values in one.items():
            total[name] = total.get(name, 0.0) + values
    return total


def colour(results: Results, method: str) -> str:
    """The same for a method in every figure."""
    return tint(method, results.host, results.subject, results.all_methods)


def tint(method: str, host: str, subject: str, methods: Sequence[str]) -> str:
    """Host, subject and random search have their own; the others take theirs in order."""
    fixed = {host: HOST, subject: SUBJECT, RANDOM: CHANCE}
    peers = [other for other in methods if other not in fixed]
    return fixed[method] if method in fixed else PEERS[peers.index(method) % len(PEERS)]
