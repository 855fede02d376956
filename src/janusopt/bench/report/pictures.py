"""What the suites show of the best rows: host and subject, each by its median run."""

from __future__ import annotations

from collections.abc import Iterator

from janusopt.bench import suites
from janusopt.bench.report import figures
from janusopt.bench.report.panels import Choice, colour
from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group, Row, median_run
from janusopt.bench.report.table import plain
from janusopt.bench.task import Task


def pictures(results: Results) -> Iterator[Choice]:
    """A choice for each problem and picture; nothing where rows are not stored or the suite has no pictures."""
    for group in results.groups:
        for problem in results.problems(group):
            runs = median_runs(results, group, problem)
            if not runs:
                continue
            found = {row.method: row.x for row in runs if row.x is not None}
            marks = {r.method: figures.Mark(colour(results, r.method), plain(r.final)) for r in runs}
            task = Task(group.suite, problem, group.dimension, runs[0].instance)
            for title, picture in suites.pictures(task, found).items():
                name = f"{problem}, {title}" if title else problem
                yield Choice(results.label(group), name, figures.picture(picture, marks))


def median_runs(results: Results, group: Group, problem: str) -> list[Row]:
    """The median run of the host and of the subject, on the instance of the subject's; empty unless both have one."""
    pools = [
        [row for row in results.of(group, problem, method) if row.good and row.x is not None]
        for method in (results.host, results.subject)
    ]
    if not all(pools):
        return []
    instance = median_run(pools[1], _error).instance
    alike = [[row for row in pool if row.instance == instance] for pool in pools]
    return [median_run(pool, _error) for pool in alike] if all(alike) else []


def _error(row: Row) -> float:
    return row.final
