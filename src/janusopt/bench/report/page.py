"""The report as one HTML page that needs nothing else: tables, figures, plotly.js, all inside."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import groupby

from janusopt.bench.report import audit, figures, panels, runs, solved, tables
from janusopt.bench.report.distributions import distributions
from janusopt.bench.report.panels import Choice
from janusopt.bench.report.pictures import pictures
from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group
from janusopt.bench.report.table import Table

LONG = 60
VERDICTS = {"win": "win", "more": "win", "loss": "loss", "fewer": "loss"}
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


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its anchor, a sentence on how to read it, and its content as HTML."""

    anchor: str
    title: str
    note: str
    content: str


def page(results: Results) -> str:
    """The whole document."""
    found = [section for section in _sections(results) if section.content]
    links = "\n".join(f'<a href="#{s.anchor}">{escape(s.title)}</a>' for s in found)
    body = "\n".join(
        f'<section id="{s.anchor}">\n<h2>{escape(s.title)}</h2>\n<p>{escape(s.note)}</p>\n{s.content}\n</section>'
        for s in found
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(results.title)}</title>\n'
        f"<style>\n{_part('page.css')}</style>\n</head>\n<body>\n<nav>\n{links}\n</nav>\n"
        f"<main>\n<h1>{escape(results.title)}</h1>\n<p>{escape(_lead(results))}</p>\n{body}\n</main>\n"
        f"<script>\n{figures.library()}\n</script>\n<script>\n{_part('page.js')}</script>\n</body>\n</html>\n"
    )


def _sections(results: Results) -> list[Section]:
    host, subject = results.host, results.subject
    overview, gate, seconds, incidents, costs, solvers = (
        make(results)
        for make in (tables.overview, tables.gate, runs.seconds, runs.incidents, audit.costs, solved.methods)
    )
    return [
        Section("overview", overview.title, overview.note, _table(overview)),
        Section("heat", f"Ratio to {host}", HEAT, _panel(panels.heat(results))),
        Section("functions", f"{subject} against {host}", FUNCTIONS, _tables(results, tables.functions)),
        Section("costs", costs.title, costs.note, _table(costs) + _titled(audit.rivals(results))),
        Section("audit", "Audit by problem", AUDIT, _tables(results, audit.problems)),
        Section("solved", solvers.title, solvers.note, _table(solvers) + _titled(solved.problems(results))),
        Section("distributions", "Final errors", DISTRIBUTIONS, _panel(distributions(results))),
        Section("pictures", "What was found", PICTURES, _panel(pictures(results))),
        Section("convergence", "Convergence", CONVERGENCE, _panel(panels.convergence(results))),
        Section("ecdf", "Targets reached", ECDF, _panel(panels.ecdf(results))),
        Section("methods", "All methods", METHODS, _tables(results, tables.means)),
        Section("spreads", "Mean, deviation, median", SPREADS, _tables(results, tables.spreads)),
        Section("ranks", "Ranks by source", RANKS, _panel(panels.ranks(results)) + _table(runs.sources(results))),
        Section("charts", "Charts over time", CHARTS, _panel(panels.charts(results))),
        Section("seconds", seconds.title, seconds.note, _panel(panels.seconds(results)) + _table(seconds)),
        Section("gate", gate.title, gate.note, _table(gate)),
        Section("incidents", incidents.title, incidents.note, _table(incidents) or "<p>None.</p>"),
        Section("versions", "Package versions", "Of the stored runs.", _versions(results)),
    ]


def _lead(results: Results) -> str:
    groups = "; ".join(f"{g.suite}, d = {g.dimension}, {g.budget:,} evaluations" for g in results.groups)
    return f"{results.subject} against its host {results.host}. {groups}. {results.state}"


def _tables(results: Results, make: Callable[[Results, Group], Table]) -> str:
    return "\n".join(_titled(make(results, group)) for group in results.groups).strip()


def _titled(table: Table) -> str:
    if not table.rows:
        return ""
    return f"<h3>{escape(table.title)}</h3>\n<p>{escape(table.note)}</p>\n{_table(table)}"


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>'


def _cell(text: str) -> str:
    plain = text.strip("*")
    kind = VERDICTS.get(plain) or ("long" if len(plain) > LONG else "")
    shown = escape(plain) if plain == text else f"<b>{escape(plain)}</b>"
    return f'<td class="{kind}">{shown}</td>' if kind else f"<td>{shown}</td>"


def _panel(choices: Iterable[Choice]) -> str:
    found = list(enumerate(choices))
    if not found:
        return ""
    options = ""
    for heading, entries in groupby(found, key=lambda entry: entry[1].heading):
        names = [(i, f"{heading}, {choice.name}" if heading else choice.name) for i, choice in entries]
        inner = "".join(f'<option value="{i}">{escape(name)}</option>' for i, name in names)
        options += f'<optgroup label="{escape(heading)}">{inner}</optgroup>' if heading else inner
    data = ",\n".join(choice.figure for _, choice in found).replace("</", "<\\/")
    return (
        f'<div class="panel"><select>{options}</select><div class="plot"></div>\n'
        f'<script type="application/json">[{data}]</script></div>\n'
    )


def _versions(results: Results) -> str:
    found = Counter(row.versions for row in results.rows)
    rows = tuple(
        (", ".join(f"{name} {version}" for name, version in json.loads(text).items()) or "unknown", str(count))
        for text, count in found.most_common()
    )
    return _table(Table("", ("versions", "runs"), rows))


def _part(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
