"""``janusopt report PLAN``: the page, the Markdown tables, and the main table in the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from janusopt.bench.plan import Plan, read_plan
from janusopt.bench.record import Record
from janusopt.bench.report import audit, solved, tables
from janusopt.bench.report.document import document
from janusopt.bench.report.fronts import gate as fronts_gate
from janusopt.bench.report.fronts import tables as fronts_tables
from janusopt.bench.report.fronts.document import document as fronts_document
from janusopt.bench.report.fronts.standings import Standings
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
    records = stored(plan, chosen.results)
    out = chosen.out or Path("reports") / plan.name
    if any(record.front is not None for record in records):
        return _fronts(plan, records, out)
    results = _results(plan, records)
    shown = _results(gate, stored(gate, chosen.results)) if gate else results
    quick = " --quick" if chosen.quick else ""
    refused = refusal(results, shown, [f"janusopt bench run {p.path}{quick}" for p in (plan, gate) if p])
    if refused:
        print(f"janusopt: no report: {refused}", file=sys.stderr)
        return 1
    from janusopt.bench.report.page import page

    _write(out, document(results), page(results))
    print(f"{results.title}\n{results.state}\n")
    printed = [make(results) for make in (tables.overview, audit.costs, audit.rivals, solved.methods)]
    print("\n\n".join(table.text() for table in printed if table.rows))
    print()
    for group in results.groups:
        print(f"{results.label(group)}: significant losses of {results.subject}: {_losses(results, group)}")
    for suite, places in solved.suites(results).items():
        behind = ", ".join(solved.behind(results, places, results.subject)) or "none"
        print(f"{suite}: problems that {results.subject} solves with fewer seeds than {results.host}: {behind}")
    return _written(out)


def _fronts(plan: Plan, records: list[Record], out: Path) -> int:
    """The report of a plan with several objectives."""
    if plan.gate is not None:
        raise InputError(f"{plan.path}: with several objectives random-search must be in the plan itself, without gate")
    standings = Standings(plan.title, plan.leagues, plan.runs, map(read, records))
    refused = fronts_gate.refusal(standings, f"janusopt bench run {plan.path}")
    if refused:
        print(f"janusopt: no report: {refused}", file=sys.stderr)
        return 1
    from janusopt.bench.report.fronts.page import page

    earlier = [standings.earlier(count) for count in plan.terms.at]
    _write(out, fronts_document(standings, earlier), page(standings, earlier))
    print(f"{standings.title}\n{standings.state}\n")
    for board in (standings, *earlier):
        for group in board.groups:
            print(f"{fronts_tables.leaderboard(board, group).text()}\n")
    return _written(out)


def stored(plan: Plan, folder: Path) -> list[Record]:
    """What is stored of a plan's runs."""
    records = Store(folder, plan.name).records()
    if not records:
        raise InputError(f"nothing is stored of {plan.name} in {folder}: first do janusopt bench run {plan.path}")
    return records


def _results(plan: Plan, records: list[Record]) -> Results:
    if {(league.host, league.subject) for league in plan.leagues.values()} != {(plan.host, plan.subject)}:
        raise InputError(f"{plan.path}: parts with a host of their own are for several objectives")
    return Results(plan.title, plan.host, plan.subject, plan.floor, list(plan.runs), map(read, records), plan.terms)


def _write(out: Path, document: str, page: str) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "tables.md").write_text(document, encoding="utf-8")
        (out / "page.html").write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"the report cannot be written to {out}: {error.strerror}; name another folder with --out"
        ) from error


def _written(out: Path) -> int:
    print(f"\nwritten: {out / 'page.html'}, {out / 'tables.md'}")
    return 0


def _losses(results: Results, group: Group) -> str:
    contest = results.contest(group, results.subject, results.host)
    if contest is None or not contest.decidable:
        return "unknown, too few seeds"
    return ", ".join(p for p, verdict in contest.verdicts.items() if verdict.word == "loss") or "none"
