"""``janusopt export``: a journal's evaluations as a table."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from janusopt.errors import InputError
from janusopt.extras import require


def add_parser(commands: Any) -> None:
    """Its options."""
    parser = commands.add_parser("export", help="a journal's evaluations as a table")
    parser.add_argument("journal", type=Path)
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", type=Path, metavar="FILE", help="write comma-separated values")
    form.add_argument("--parquet", type=Path, metavar="FILE", help="write Parquet (needs the extra parquet)")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from janusopt.report import Report

    report = Report(chosen.journal)
    out = chosen.csv or chosen.parquet
    if out.resolve() == report.path:
        raise InputError(f"{out} is the journal itself: give another file")
    try:
        _write_csv(report, out) if chosen.csv else _write_parquet(report, out)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error}") from error
    if report.damaged:
        print(f"janusopt: {report.damaged} places of {report.path} cannot be read and were left out", file=sys.stderr)
    return 0


def _write_csv(report: Any, out: Path) -> None:
    with out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(report.table())


def _write_parquet(report: Any, out: Path) -> None:
    require("pyarrow", extra="parquet", purpose="--parquet")
    from janusopt import parquet

    header, *rows = report.table()
    parquet.write({name: [row[i] for row in rows] for i, name in enumerate(header)}, out)
