"""The page of a plan whose problems have one objective: its sections in order."""

from __future__ import annotations

from collections.abc import Callable

from janusopt.bench.report import audit, html, panels, runs, solved, tables
from janusopt.bench.report.distributions import distributions
from janusopt.bench.report.html import Section
from janusopt.bench.report.pictures import pictures
from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table

HEAT = "Geometric mean over paired seeds of error / host's error. Blue: lower than the host; red: higher."
FUNCTIONS = "One row a function, losses beside wins. Click a heading to sort."
AUDIT = "Plain means and medians of every problem. Blue: significantly won; red: lost. Click a heading to sort."
DISTRIBUTIONS = "Every run is a point; boxes from the lower to the upper quartile with the median."
PICTURES = "Host and subject, each by its median run."
CONVERGENCE = "Medians over the seeds; for the host and the subject a band from the lower to the upper quartile."
ECDF = (
    "Share of (run, target) pairs reached. 51 targets a function, evenly spread in the logarithm from the host's "
    "median first error down to the least final error of any method."
)
METHODS = "The subject beside the host and the peers."
SPREADS = "Of final errors, floored."
RANKS = "Where each source's candidates ranked in their generation. Dotted: a source no better than any other."
CHARTS = "Which chart the subject's infill used, for each tenth of a run."


def page(results: Results) -> str:
    """The whole document."""
    return html.whole(results.title, _lead(results), _sections(results))


def _sections(results: Results) -> list[Section]:
    host, subject = results.host, results.subject
    overview, gate, seconds, incidents, costs, solvers = (
        make(results)
        for make in (tables.overview, tables.gate, runs.seconds, runs.incidents, audit.costs, solved.methods)
    )
    return [
        Section("overview", overview.title, overview.note, html.table(overview)),
        Section("heat", f"Ratio to {host}", HEAT, html.panel(panels.heat(results))),
        Section("functions", f"{subject} against {host}", FUNCTIONS, _by_group(results, tables.functions)),
        Section("costs", costs.title, costs.note, html.table(costs) + html.tables([audit.rivals(results)])),
        Section("audit", "Audit by problem", AUDIT, _by_group(results, audit.problems)),
        Section("solved", solvers.title, solvers.note, html.table(solvers) + html.tables([solved.problems(results)])),
        Section("distributions", "Final errors", DISTRIBUTIONS, html.panel(distributions(results))),
        Section("pictures", "What was found", PICTURES, html.panel(pictures(results))),
        Section("convergence", "Convergence", CONVERGENCE, html.panel(panels.convergence(results))),
        Section("ecdf", "Targets reached", ECDF, html.panel(panels.ecdf(results))),
        Section("methods", "All methods", METHODS, _by_group(results, tables.means)),
        Section("spreads", "Mean, deviation, median", SPREADS, _by_group(results, tables.spreads)),
        Section(
            "ranks", "Ranks by source", RANKS, html.panel(panels.ranks(results)) + html.table(runs.sources(results))
        ),
        Section("charts", "Charts over time", CHARTS, html.panel(panels.charts(results))),
        Section("seconds", seconds.title, seconds.note, html.panel(panels.seconds(results)) + html.table(seconds)),
        Section("gate", gate.title, gate.note, html.table(gate)),
        html.incidents(incidents),
        html.versions(results),
    ]


def _lead(results: Results) -> str:
    groups = "; ".join(f"{g.suite}, d = {g.dimension}, {g.budget:,} evaluations" for g in results.groups)
    return f"{results.subject} against its host {results.host}. {groups}. {results.state}"


def _by_group(results: Results, make: Callable[[Results, Group], Table]) -> str:
    return html.tables(make(results, group) for group in results.groups)
