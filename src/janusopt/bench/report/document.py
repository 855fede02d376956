"""The report's tables as one Markdown document, for the docs."""

from __future__ import annotations

from janusopt.bench.report import audit, runs, solved, tables
from janusopt.bench.report.results import Results


def document(results: Results) -> str:
    """A heading, what there is of the plan, then every table that has rows."""
    makers = (tables.functions, audit.problems, tables.means, tables.spreads)
    by_group = [make(results, group) for make in makers for group in results.groups]
    whole = [make(results) for make in (tables.overview, audit.costs, audit.rivals, solved.methods, solved.problems)]
    found = [*whole, *by_group, tables.gate(results)]
    found += [make(results) for make in (runs.sources, runs.seconds, runs.incidents)]
    return "\n".join([f"## {results.title}\n\n{results.state}\n", *(table.markdown() for table in found if table.rows)])
