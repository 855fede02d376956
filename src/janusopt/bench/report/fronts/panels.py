"""What the figures of fronts show: ranks, hypervolume over evaluations, the fronts themselves, the share of slots."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from janusopt.bench.report import figures
from janusopt.bench.report.fronts.standings import Standings
from janusopt.bench.report.panels import HOST, SUBJECT, Choice, band, drawn, tint
from janusopt.bench.report.results import RANDOM
from janusopt.bench.report.row import Group, Row, median_run

_SHARE = re.compile(r" fraction=([\d.]+)")
_OTHERS = re.compile(r" (fraction|per_model|models)=\S+")
_NARROW = 0.05  # colours of ratios end at 5 % above and below the host


def rank_heat(standings: Standings) -> Iterator[Choice]:
    """Rank of every method on every task; a choice for each group."""
    for group in standings.groups:
        problems, methods = standings.problems(group), standings.methods(group)
        ranks = [standings.ranks(group, problem) for problem in problems]
        Z = [[found.get(method) for found in ranks] for method in methods]
        words = [["" if rank is None else f"{rank:g}" for rank in row] for row in Z]
        shade = figures.Shade(1.0, float(len(methods)), "rank", "rank")
        yield Choice("", standings.label(group), figures.heat(Z, words, problems, methods, shade))


def ratio_heat(standings: Standings) -> Iterator[Choice]:
    """Mean hypervolume / the host's, of every method on every task; a choice for each group."""
    for group in standings.groups:
        host, problems = standings.host_of(group), standings.problems(group)
        methods = [method for method in standings.methods(group) if method not in (host, RANDOM)]
        ratios = [[standings.ratio(group, method, host, [problem]) for problem in problems] for method in methods]
        words = [[f"{ratio:.3f}" if np.isfinite(ratio) else "" for ratio in row] for row in ratios]
        Z = [[round(ratio - 1.0, 5) if np.isfinite(ratio) else None for ratio in row] for row in ratios]
        shade = figures.Shade(-_NARROW, _NARROW, "ratio − 1", "HV / host", flipped=True)
        yield Choice("", standings.label(group), figures.heat(Z, words, problems, methods, shade))


def progress(standings: Standings) -> Iterator[Choice]:
    """Hypervolume over evaluations: medians over the seeds, quartiles for host and subject; a choice for each task."""
    for group in standings.groups:
        for problem in standings.problems(group):
            lines = [
                _line(standings, group, method, rows)
                for method in standings.methods(group)
                if (rows := drawn(standings.of(group, problem, method)))
            ]
            if lines:
                figure = figures.curves(lines, "evaluations", "hypervolume of the front", scale="plain")
                yield Choice(standings.label(group), problem, figure)


def _line(standings: Standings, group: Group, method: str, rows: list[Row]) -> figures.Line:
    grid = np.unique(np.concatenate([row.curve.grid for row in rows]))
    shade = tint(method, standings.host_of(group), standings.subject_of(group), standings.methods(group))
    return band(standings, group, method, rows, grid, shade)


def fronts(standings: Standings) -> Iterator[Choice]:
    """The last fronts of host and subject, each of its run with the median score; a choice for each task."""
    for group in standings.groups:
        for problem in standings.problems(group):
            m, sets = standings.objectives(group, problem), {}
            for method, shade in ((standings.host_of(group), HOST), (standings.subject_of(group), SUBJECT)):
                row = _median(standings, group, problem, method)
                if row is not None and row.front is not None and m in (2, 3):
                    sets[f"{method} (seed {row.seed})"] = (shade, row.front)
            if sets:
                yield Choice(standings.label(group), problem, figures.scatter(sets, [f"f{i}" for i in range(1, m + 1)]))


def _median(standings: Standings, group: Group, problem: str, method: str) -> Row | None:
    scores = standings.scores(group, problem, method)
    rows = [row for row in standings.of(group, problem, method) if row.seed in scores]
    return median_run(rows, lambda row: -scores[row.seed]) if rows else None


def sweep(standings: Standings) -> Iterator[Choice]:
    """Hypervolume / the host's over the share of slots, a line for each family of methods; a choice for each group."""
    for group in standings.groups:
        problems = standings.problems(group)
        for name, chosen in (("all tasks", problems), *((problem, [problem]) for problem in problems)):
            lines = _families(standings, group, chosen)
            if lines:
                y = f"hypervolume / {standings.host_of(group)}"
                yield Choice(standings.label(group), name, figures.curves(lines, "share of slots", y, scale="plain"))


def _families(standings: Standings, group: Group, problems: list[str]) -> list[figures.Line]:
    host = standings.host_of(group)
    found: dict[str, dict[float, float]] = {}
    for method in standings.methods(group):
        share = _SHARE.search(method)
        ratio = standings.ratio(group, method, host, problems)
        if share and np.isfinite(ratio):
            found.setdefault(_OTHERS.sub("", method), {})[float(share[1])] = ratio
    lines = []
    for name, points in found.items():
        shares = np.array(sorted(points))
        ratios = np.array([points[share] for share in sorted(points)])
        if len(points) > 1:
            lines.append(figures.Line(name, tint(name, host, "", list(found)), shares, ratios))
    return lines
