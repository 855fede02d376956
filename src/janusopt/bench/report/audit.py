"""The audit: plain means and medians of the errors, runs that are feasible, and the best of the other methods.

For suites whose errors are costs, where an arithmetic mean has a meaning and a geometric one hides failures.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table, number, plain, share
from janusopt.bench.report.tables import TESTED, marked


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a method: mean over problems of its mean over seeds, median over all its runs, runs, feasible ones."""

    mean: float
    median: float
    runs: int
    feasible: int

    def against(self, other: Cost) -> tuple[str, str]:
        """Ratio of means, ratio of medians."""
        return number(self.mean / other.mean), number(self.median / other.median)


def cost(results: Results, group: Group, method: str, problems: list[str] | None = None) -> Cost:
    """Over these problems, or all of the group; NaN where one has no run."""
    chosen = results.problems(group) if problems is None else problems
    errors = [list(results.errors(group, problem, method).values()) for problem in chosen]
    if not all(errors):
        return Cost(float("nan"), float("nan"), sum(map(len, errors)), 0)
    flat = np.concatenate(errors)
    limit = np.inf if results.terms.feasible is None else results.terms.feasible
    mean = float(np.mean([np.mean(values) for values in errors]))
    return Cost(mean, float(np.median(flat)), len(flat), int((flat < limit).sum()))


def costs(results: Results) -> Table:
    """Every method, a row each; no row where the plan asks for no audit."""
    rows = []
    for group in results.groups if results.terms.audited else ():
        found = {method: cost(results, group, method) for method in results.methods(group)}
        for method, own in found.items():
            name = f"**{method}**" if method == results.subject else method
            to_host = own.against(found[results.host]) if results.host in found else ("–", "–")
            of_subject = found[results.subject].against(own) if results.subject in found else ("–", "–")
            cells = (plain(own.mean), plain(own.median), *_feasible(results, own), *to_host, *of_subject)
            rows.append((results.label(group), name, str(own.runs), *cells, _won_lost(results, group, method)))
    host, subject = results.host, results.subject
    header = (
        "", "method", "runs", "mean", "median", *_feasible_heading(results), f"mean / {host}", f"median / {host}",
        f"mean {subject} / it", f"median {subject} / it", f"won/lost against {host}",
    )  # fmt: skip
    note = "Mean: over the problems, of the mean over the seeds. Median: over all runs. " + _limit(results)
    return Table("Plain means and medians", header, tuple(rows), note)


def _won_lost(results: Results, group: Group, method: str) -> str:
    contest = results.contest(group, method, results.host) if method != results.host else None
    if contest is None:
        return "–"
    words = Counter(verdict.word for verdict in contest.verdicts.values())
    return f"{words['win']}/{words['loss']}{'' if contest.decidable else ' †'}"


def rivals(results: Results) -> Table:
    """The subject against the other method of least mean: of all others, and of those without infill."""
    rows = []
    filled = {row.method for row in results.rows if row.sources}
    for group in results.groups if results.terms.audited else ():
        found = {method: cost(results, group, method) for method in results.methods(group)}
        own = found.pop(results.subject, None)
        known = {method: c for method, c in found.items() if np.isfinite(c.mean)}
        bare = {method: c for method, c in known.items() if method not in filled}
        for among, pool in (("all others", known), ("those without infill", bare)):
            if own is not None and pool:
                best = min(pool, key=lambda method: pool[method].mean)
                rows.append((results.label(group), among, best, *own.against(pool[best])))
    header = ("", "among", "least mean", "ratio of means", "ratio of medians")
    return Table(f"{results.subject} against the best other method", header, tuple(rows), "Below 1 is better.")


def problems(results: Results, group: Group) -> Table:
    """The subject against the host, a row for each problem; no row where the plan asks for no audit."""
    host, subject = results.host, results.subject
    contest = results.contest(group, subject, host)
    verdicts = contest.verdicts if contest else {}
    rows = []
    for problem in results.problems(group) if results.terms.audited else ():
        theirs, own = (cost(results, group, method, [problem]) for method in (host, subject))
        cells = [plain(value) for value in (theirs.mean, own.mean, theirs.median, own.median)]
        cells += [*_feasible(results, theirs), *_feasible(results, own), *own.against(theirs)]
        verdict = verdicts.get(problem)
        judged = (number(verdict.better), number(verdict.worse), marked(verdict.word)) if verdict else ("–",) * 3
        rows.append((problem, *cells, *judged))
    header = (
        "", f"mean {host}", f"mean {subject}", f"median {host}", f"median {subject}",
        *(f"{word} {method}" for method in (host, subject) for word in _feasible_heading(results)),
        "ratio of means", "ratio of medians", "p better", "p worse", "verdict",
    )  # fmt: skip
    note = f"Verdict: {TESTED[results.terms.test]}. " + _limit(results)
    note += " Here too few seeds for any to be significant." if contest and not contest.decidable else ""
    return Table(f"Audit, {results.label(group)}", header, tuple(rows), note.strip())


def _feasible_heading(results: Results) -> tuple[str, ...]:
    return () if results.terms.feasible is None else ("feasible",)


def _feasible(results: Results, own: Cost) -> tuple[str, ...]:
    return () if results.terms.feasible is None else (share(own.feasible, own.runs),)


def _limit(results: Results) -> str:
    limit = results.terms.feasible
    return "" if limit is None else f"Feasible: share of runs below {limit:,.0f}."
