"""``janusopt show``: how far a run is, also while it goes on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from janusopt.errors import InputError
from janusopt.extras import require


def add_parser(commands: Any) -> None:
    """Its options."""
    parser = commands.add_parser("show", help="a journal's progress, best row, failures, sources and convergence")
    parser.add_argument("journal", type=Path)
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="write the convergence as a picture too")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from janusopt.commands.sketch import sketch
    from janusopt.report import Report

    report = Report(chosen.journal)
    for line in report.lines():
        print(line)
    if report.settings["kind"] == "objectives":
        if chosen.plot is not None:
            raise InputError("--plot draws the best value, and a run with several objectives has none: leave it out")
        return 0
    evaluations, best = report.convergence()
    for line in sketch(evaluations, best):
        print(line)
    if chosen.plot is not None:
        _plot(chosen.plot, report.path, evaluations, best)
    return 0


def _plot(path: Path, journal: Path, evaluations: Any, best: Any) -> None:
    require("matplotlib", extra="cli", purpose="--plot")
    from janusopt.demo.plots import convergence

    if path.resolve() == journal:
        raise InputError("--plot names the journal itself: give another file")
    try:
        convergence(evaluations, best, journal.name, path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {error}") from error
    print(f"written to {path}")
