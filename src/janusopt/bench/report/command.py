"""``janusopt report PLAN``: the page, the Markdown tables, and the main table in the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from janusopt.bench.plan import Plan, read_plan
from janusopt.bench.report import audit, solved, tables
from janusopt.bench.report.document import document
from janusopt.bench.report.gate import refusal
from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group, read
from janusopt.bench.store import Store
from janusopt.errors import InputError
from janusopt.extras import require


def report(chosen: argparse.Namespace) -> int:
    """Write and print the report; 1 where the host is not shown to beat random search, and then nothing is written."""
    require("plotly", extra="bench", purpose="the report")
    plan = read_plan(chosen.plan, quick=chosen.quick)
    gate = read_plan(plan.gate, quick=chosen.quick) if plan.gate else None
    results = load(plan, chosen.results)
    shown = load(gate, chosen.results) if gate else results
    quick = " --quick" if chosen.quick else ""
    refused = refusal(results, shown, [f"janusopt bench run {p.path}{quick}" for p in (plan, gate) if p])
    if refused:
        print(f"janusopt: no report: {refused}", file=sys.stderr)
        return 1
    _write(results, chosen.out or Path("reports") / plan.name)
    return 0


def load(plan: Plan, folder: Path) -> Results:
    """What is stored of a plan's runs."""
    records = Store(folder, plan.name).records()
    if not records:
        raise InputError(f"nothing is stored of {plan.name} in {folder}: first do janusopt bench run {plan.path}")
    if any(record.front is not None for record in records):
        raise InputError(f"{plan.path} has several objectives: the report compares the errors of one")
    return Results(plan.title, plan.host, plan.subject, plan.floor, list(plan.runs), map(read, records), plan.terms)


def _write(results: Results, out: Path) -> None:
    from janusopt.bench.report.page import page

    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "tables.md").write_text(document(results), encoding="utf-8")
        (out / "page.html").write_text(page(results), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"the report cannot be written to {out}: {error.strerror}; name another folder with --out"
        ) from error
    print(f"{results.title}\n{results.state}\n")
    shown = [make(results) for make in (tables.overview, audit.costs, audit.rivals, solved.methods)]
    print("\n\n".join(table.text() for table in shown if table.rows))
    print()
    for group in results.groups:
        print(f"{results.label(group)}: significant losses of {results.subject}: {_losses(results, group)}")
    for suite, places in solved.suites(results).items():
        behind = ", ".join(solved.behind(results, places, results.subject)) or "none"
        print(f"{suite}: problems that {results.subject} solves with fewer seeds than {results.host}: {behind}")
    print(f"\nwritten: {out / 'page.html'}, {out / 'tables.md'}")


def _losses(results: Results, group: Group) -> str:
    contest = results.contest(group, results.subject, results.host)
    if contest is None or not contest.decidable:
        return "unknown, too few seeds"
    return ", ".join(p for p, verdict in contest.verdicts.items() if verdict.word == "loss") or "none"
