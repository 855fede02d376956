"""The page of a plan whose problems have several objectives: its sections in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from janusopt.bench.report import html, runs
from janusopt.bench.report.fronts import gate, panels, tables
from janusopt.bench.report.fronts.standings import Standings
from janusopt.bench.report.html import Section
from janusopt.bench.report.panels import ranks, seconds
from janusopt.bench.report.table import Table

TASKS = "One row a task, losses and collapses beside wins. Click a heading to sort."
RANKS = "Rank by mean hypervolume on each task: blue is the best, red the last."
RATIOS = "Mean hypervolume / the host's. Blue: more than the host; red: less; colours end at 5 %."
PROGRESS = (
    "Medians over the seeds; for the host and the subject a band from the lower to the upper quartile. The front is "
    "the population's, the volume a share of the box from the origin to 1.1 times the nadir of the true front."
)
FRONTS = "Of the run with the median hypervolume. Tasks with two and three objectives."
SWEEP = "Mean hypervolume over the tasks / the host's."
SOURCES = "Where each source's candidates ranked in their generation, by what they added to the front."
OBJECTIVES = "The leaderboard again, for each number of objectives."
MATRIX = "The subject beside the host and the peers."


def page(standings: Standings, earlier: Sequence[Standings]) -> str:
    """The whole document; ``earlier``: the same runs at checkpoints."""
    return html.whole(standings.title, _lead(standings), _sections(standings, earlier))


def _sections(standings: Standings, earlier: Sequence[Standings]) -> list[Section]:
    boards = [(board, group) for board in (standings, *earlier) for group in board.groups]
    attribution, spent, door = tables.attribution(standings), runs.seconds(standings), gate.table(standings)
    by_objectives = [table for group in standings.groups for table in tables.by_objectives(standings, group)]
    matrices = [tables.matrix(standings, group) for group in standings.groups]
    leaderboards, tasks = ([make(*place) for place in boards] for make in (tables.leaderboard, tables.tasks))
    reading = max((table.note for table in leaderboards), key=len)
    return [
        Section("leaderboard", "Leaderboard", reading, _bare(leaderboards)),
        Section("objectives", "By number of objectives", OBJECTIVES, _bare(by_objectives)),
        Section("tasks", "Task by task", TASKS, html.tables(tasks)),
        Section("ranks", "Rank matrix", RANKS, html.panel(panels.rank_heat(standings))),
        Section("ratios", "Ratio to the host", RATIOS, html.panel(panels.ratio_heat(standings))),
        Section("progress", "Hypervolume over evaluations", PROGRESS, html.panel(panels.progress(standings))),
        Section("fronts", "Final fronts", FRONTS, html.panel(panels.fronts(standings))),
        Section("sweep", "Share of slots", SWEEP, html.panel(panels.sweep(standings))),
        Section("attribution", attribution.title, attribution.note, html.table(attribution)),
        Section("matrix", "All methods", MATRIX, html.tables(matrices)),
        Section("sources", "Sources", SOURCES, html.panel(ranks(standings)) + html.table(runs.sources(standings))),
        Section("seconds", spent.title, spent.note, html.panel(seconds(standings)) + html.table(spent)),
        Section("gate", door.title, door.note, html.table(door)),
        html.incidents(runs.incidents(standings)),
        html.versions(standings),
    ]


def _bare(boards: Sequence[Table]) -> str:
    """Leaderboards without the note that they share."""
    return html.tables(replace(table, note="") for table in boards)


def _lead(standings: Standings) -> str:
    told = [
        f"{standings.label(group)}: {standings.subject_of(group)} against {standings.host_of(group)}, "
        f"{group.budget:,} evaluations"
        for group in standings.groups
    ]
    return f"{'; '.join(told)}. Judged by the population at the end of a run. {standings.state}"
