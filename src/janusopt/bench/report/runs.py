"""Tables of the runs themselves: what became of each source's candidates, where the time went, what went wrong."""

from __future__ import annotations

from collections import Counter

import numpy as np

from janusopt.bench.report.results import Results, group_of
from janusopt.bench.report.row import PARTS, Group, Row
from janusopt.bench.report.table import Table, number, share, spans


def sources(results: Results) -> Table:
    """What became of each source's candidates, over all runs of a method."""
    rows = []
    for group in results.groups:
        for method in results.methods(group):
            total: dict[str, Counter[str]] = {}
            for row in results.method_rows(group, method):
                for source in row.sources:
                    counts = {"proposed": source.proposed, "first": source.first, "upper": source.upper}
                    total.setdefault(source.name, Counter()).update(counts)
            for name, count in total.items():
                shares = [share(count[what], count["proposed"]) for what in ("first", "upper")]
                rows.append((results.label(group), method, name, f"{count['proposed']:,}", *shares))
    header = ("", "method", "source", "candidates", "best of generation", "in the better quarter")
    note = "Candidates by where they came from, and how they ranked in their generation."
    return Table("Sources", header, tuple(rows), note)


def seconds(results: Results) -> Table:
    """Median wall time of a run, and where it went."""
    rows = [
        (results.label(group), method, *map(number, spent))
        for group in results.groups
        for method, spent in median_seconds(results, group).items()
    ]
    header = ("", "method", "seconds a run", "host", "infill", "evaluation")
    return Table("Wall time", header, tuple(rows), "Medians over all runs of a method.")


def median_seconds(results: Results, group: Group) -> dict[str, list[float]]:
    """By method: total, host, infill, evaluation; methods without runs are left out."""
    found = {}
    for method in results.methods(group):
        if spent := [row.seconds for row in results.method_rows(group, method) if row.good and row.seconds]:
            found[method] = [float(np.median([one[part] for one in spent])) for part in PARTS]
    return found


def incidents(results: Results) -> Table:
    """Runs that are missing, failed or were stopped by the time limit: a row for each group, method and reason."""
    seeds: dict[tuple[Group, str, str, str], dict[str, list[int]]] = {}
    for run in results.missing:
        place = (group_of(run), run.method, "missing", "not stored")
        seeds.setdefault(place, {}).setdefault(run.task.problem, []).append(run.seed)
    for what, found in (("failed", results.failed), ("capped", results.capped)):
        for row in found:
            place = (row.group, row.method, what, _reason(row) if what == "failed" else "time limit")
            seeds.setdefault(place, {}).setdefault(row.problem, []).append(row.seed)
    rows = []
    for (group, method, what, why), by_problem in seeds.items():
        which = "; ".join(f"{problem} ({spans(numbers)})" for problem, numbers in by_problem.items())
        rows.append((results.label(group), method, what, str(sum(map(len, by_problem.values()))), which, why))
    note = (
        "Missing and failed runs are left out of every comparison, and their pair with them; a capped run counts with "
    )
    note += "what it had reached."
    if results.others:
        note += f" {results.others} stored runs are not in the plan and are not used."
    return Table(
        "Missing, failed and capped runs", ("", "method", "what", "runs", "which (seeds)", "why"), tuple(rows), note
    )


def _reason(row: Row) -> str:
    lines = row.error.strip().splitlines()
    return lines[-1][:200] if lines else "no finite value"
