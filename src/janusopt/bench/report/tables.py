"""Tables of final errors: who won what against the host, every method beside every other, and the gate."""

from __future__ import annotations

from collections import Counter

import numpy as np

from janusopt.bench import stats
from janusopt.bench.report.gate import TIE, trials
from janusopt.bench.report.results import Contest, Results
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table, number

PAIRED = (
    "Ratio: geometric mean of error / host's error over paired seeds, below 1 is better, with a 95 % bootstrap "
    "interval over seeds; and the ratio of the median function. w/e/l: won, even, lost; of functions by "
    "{test}, of runs as plain counts."
)
TESTED = {
    "wilcoxon": "one-sided paired Wilcoxon tests at 5 %, Holm-corrected over the functions",
    "mann-whitney": "one-sided Mann–Whitney U tests at 5 %, Bonferroni-corrected over the functions",
}
TOO_FEW = "too few seeds for any function to be significant."


def overview(results: Results) -> Table:
    """Every method against the host, a row each."""
    host = results.host
    header = (
        "", "method", f"ratio to {host}", "95 % interval", "median function", "functions w/e/l", "runs w/e/l", "error",
        "pairs", "capped",
    )  # fmt: skip
    rows = []
    for group in results.groups:
        for method in results.methods(group):
            contest = results.contest(group, method, host) if method != host else None
            cells = _contest_cells(contest) if contest else ("–",) * 5
            capped = sum(row.status == "capped" for row in results.method_rows(group, method))
            pairs = "–" if method == host else f"{contest.pairs if contest else 0} of {results.planned(group, method)}"
            name = f"**{method}**" if method == results.subject else method
            rows.append(
                (results.label(group), name, *cells, number(results.overall(group, method)), pairs, str(capped))
            )
    note = PAIRED.format(test=TESTED[results.terms.test])
    note += f" Error: geometric mean over functions and seeds, floored at {number(results.floor)}."
    note += f" †: {TOO_FEW}" if any("†" in row[5] for row in rows) else ""
    return Table("All methods against the host", header, tuple(rows), note)


def _contest_cells(contest: Contest) -> tuple[str, ...]:
    words = Counter(verdict.word for verdict in contest.verdicts.values())
    functions = f"{words['win']}/{words['even']}/{words['loss']}{'' if contest.decidable else ' †'}"
    counts = np.sum([stats.won_even_lost(logs) for logs in contest.logs.values()], axis=0)
    runs = "/".join(map(str, counts))
    return number(contest.ratio), _interval(contest), number(contest.typical), functions, runs


def _interval(contest: Contest) -> str:
    low, high = contest.interval
    return f"{number(low)} – {number(high)}" if np.isfinite(low) else "–"


def functions(results: Results, group: Group) -> Table:
    """The subject against the host, a row for each problem; losses beside wins."""
    host, subject = results.host, results.subject
    header = ("", host, subject, "ratio", "95 % interval", "runs w/e/l", "p better", "p worse", "verdict")
    contest = results.contest(group, subject, host)
    rows = []
    for problem in results.problems(group):
        errors = [number(results.geometric_mean(group, problem, method)) for method in (host, subject)]
        cells = _function_cells(contest, problem) if contest and problem in contest.logs else ("–",) * 6
        rows.append((problem, *errors, *cells))
    note = f"Geometric means of final errors, floored at {number(results.floor)}; {TESTED[results.terms.test]}."
    note += f" Here {TOO_FEW}" if contest and not contest.decidable else ""
    return Table(f"{subject} against {host}, {results.label(group)}", header, tuple(rows), note)


def _function_cells(contest: Contest, problem: str) -> tuple[str, ...]:
    alone = Contest({problem: contest.logs[problem]})
    verdict = contest.verdicts[problem]
    word = marked(verdict.word)
    counts = "/".join(map(str, stats.won_even_lost(contest.logs[problem])))
    return number(alone.ratio), _interval(alone), counts, number(verdict.better), number(verdict.worse), word


def marked(word: str) -> str:
    """A verdict as a cell: bold unless it is even."""
    return word if word == "even" else f"**{word}**"


def means(results: Results, group: Group) -> Table:
    """Geometric-mean errors of all methods, the least of each problem in bold."""
    methods = results.methods(group)
    rows = []
    for problem in results.problems(group):
        values = {method: results.geometric_mean(group, problem, method) for method in methods}
        seeds = {method: len(results.errors(group, problem, method)) for method in methods}
        rows.append((problem, *_means_cells(values, seeds, results.subject)))
    overall = {method: results.overall(group, method) for method in methods}
    rows.append(("all", *_means_cells(overall, dict.fromkeys(methods, 0), results.subject)))
    header = ("", *methods, f"{results.subject} / best other")
    note = "Geometric means of final errors; bold: the least. (n): only so many seeds, fewer than others have."
    return Table(f"Geometric means, {results.label(group)}", header, tuple(rows), note)


def _means_cells(values: dict[str, float], seeds: dict[str, int], subject: str) -> list[str]:
    known = {method: value for method, value in values.items() if np.isfinite(value)}
    cells = []
    for method, value in values.items():
        shown = number(value) + (f" ({seeds[method]})" if seeds[method] < max(seeds.values()) else "")
        cells.append(f"**{shown}**" if method in known and value == min(known.values()) else shown)
    others = [value for method, value in known.items() if method != subject]
    return [*cells, number(known[subject] / min(others)) if subject in known and others else "–"]


def spreads(results: Results, group: Group) -> Table:
    """Mean ± standard deviation, and median, of all methods."""
    methods = results.methods(group)
    rows = [
        (problem, *(_spread(list(results.errors(group, problem, method).values())) for method in methods))
        for problem in results.problems(group)
    ]
    note = "Mean ± standard deviation; median. Over the seeds of each method."
    return Table(f"Mean, deviation, median, {results.label(group)}", ("", *methods), tuple(rows), note)


def _spread(errors: list[float]) -> str:
    if not errors:
        return "–"
    deviation = number(float(np.std(errors, ddof=1))) if len(errors) > 1 else "–"
    return f"{number(float(np.mean(errors)))} ± {deviation}; {number(float(np.median(errors)))}"


def gate(results: Results) -> Table:
    """The host against random search: where it leads least, and where it does not lead at all."""
    rows = []
    found = [trial for trial in trials(results, results) if trial.ratio is not None]
    for group in results.groups:
        ratios = {trial.problem: trial.ratio or 0.0 for trial in found if trial.group == group}
        closest = max(ratios, key=lambda problem: ratios[problem], default="")
        behind = ", ".join(f"{t.problem} ({number(t.ratio or 0.0)})" for t in found if t.group == group and not t.ahead)
        if closest:
            rows.append((results.label(group), str(len(ratios)), closest, number(ratios[closest]), behind or "none"))
    header = ("", "functions", "closest", f"{results.host} / random search there", "not ahead on")
    beaten = f"beats the host by {TIE - 1:.0%} or more on any function"
    if results.terms.solved:
        beaten = "solves as many problems as the host"
    elif results.terms.feasible is not None:
        beaten = "beats the host over all problems"
    note = (
        f"There is no report where random search {beaten}, in this plan "
        "or in the one that it names as its gate. Where the host is not ahead, a ratio to it says little."
    )
    return Table("The gate", header, tuple(rows), note)
