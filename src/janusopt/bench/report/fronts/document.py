"""The tables of a plan with several objectives as one Markdown document, for the docs."""

from __future__ import annotations

from collections.abc import Sequence

from janusopt.bench.report import runs
from janusopt.bench.report.fronts import gate, tables
from janusopt.bench.report.fronts.standings import Standings


def document(standings: Standings, earlier: Sequence[Standings]) -> str:
    """A heading, what there is of the plan, then every table that has rows."""
    found = [tables.leaderboard(board, group) for board in (standings, *earlier) for group in board.groups]
    found += [table for group in standings.groups for table in tables.by_objectives(standings, group)]
    found += [tables.tasks(board, group) for board in (standings, *earlier) for group in board.groups]
    found += [tables.attribution(standings), *(tables.matrix(standings, group) for group in standings.groups)]
    found += [gate.table(standings), *(make(standings) for make in (runs.sources, runs.seconds, runs.incidents))]
    return "\n".join(
        [f"## {standings.title}\n\n{standings.state}\n", *(table.markdown() for table in found if table.rows)]
    )
