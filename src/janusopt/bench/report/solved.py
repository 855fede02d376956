"""Problems solved: runs that reached f ≤ f* + τ (f0 − f*), f0 the value at the start that all methods share."""

from __future__ import annotations

import numpy as np

from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table, number


def seeds(results: Results, group: Group, problem: str, method: str) -> dict[int, bool]:
    """Whether each stored run solved its problem; a run that failed did not, one without a stored start is left out."""
    tau = results.terms.solved or 0.0
    return {
        row.seed: row.good and row.final <= tau * row.start
        for row in results.of(group, problem, method)
        if not row.good or np.isfinite(row.start)
    }


def lead(results: Results, group: Group, problem: str, method: str) -> int:
    """How many more seeds the method solves than the host, of those that both have."""
    own, theirs = (seeds(results, group, problem, name) for name in (method, results.host))
    return sum(own[seed] - theirs[seed] for seed in own.keys() & theirs.keys())


def suites(results: Results) -> dict[str, list[tuple[Group, str]]]:
    """Every problem in its group, by suite; nothing where the plan does not ask."""
    found: dict[str, list[tuple[Group, str]]] = {}
    for group in results.groups if results.terms.solved else ():
        found.setdefault(group.suite, []).extend((group, problem) for problem in results.problems(group))
    return found


def behind(results: Results, places: list[tuple[Group, str]], method: str) -> list[str]:
    """The problems that the method solves with fewer seeds than the host."""
    return [f"{p} (d = {group.dimension})" for group, p in places if lead(results, group, p, method) < 0]


def methods(results: Results) -> Table:
    """How many problems of each suite each method solves; no row where the plan does not ask."""
    rows = []
    for suite, places in suites(results).items():
        theirs = count(results, places, results.host)
        for method in results.all_methods:
            own = count(results, places, method)
            name = f"**{method}**" if method == results.subject else method
            ratio = number(own / theirs) if theirs else "–"
            rows.append((suite, name, f"{own:.1f}", str(len(places)), ratio, str(len(behind(results, places, method)))))
    host = results.host
    header = ("", "method", "solved", "of", f"/ {host}'s", f"problems with fewer seeds than {host}")
    tau = number(results.terms.solved or 0.0)
    note = f"Solved: f ≤ f* + {tau} (f0 − f*), f0 at the shared start. Problems, as a mean over the seeds."
    return Table("Problems solved", header, tuple(rows), note)


def count(results: Results, places: list[tuple[Group, str]], method: str) -> float:
    """Problems solved, as a mean over the seeds of each."""
    runs = [seeds(results, group, problem, method) for group, problem in places]
    return sum(sum(found.values()) / len(found) for found in runs if found)


def problems(results: Results) -> Table:
    """Seeds that solved each problem, a column for each method."""
    rows = []
    for group in results.groups if results.terms.solved else ():
        for problem in results.problems(group):
            found = [seeds(results, group, problem, method) for method in results.all_methods]
            cells = [f"{sum(runs.values())} of {len(runs)}" if runs else "–" for runs in found]
            more = lead(results, group, problem, results.subject)
            word = "**fewer**" if more < 0 else "**more**" if more > 0 else "as many"
            rows.append((results.label(group), problem, *cells, word))
    header = ("", "problem", *results.all_methods, f"{results.subject} against {results.host}")
    return Table("Seeds that solved each problem", header, tuple(rows))
