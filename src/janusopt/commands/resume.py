"""``janusopt resume``: go on with a journal; what it was started with is in it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from janusopt.commands.arguments import count, positive
from janusopt.errors import InputError


def add_parser(commands: Any) -> None:
    """Its options."""
    parser = commands.add_parser(
        "resume",
        help="go on with a run that was stopped, or with a finished one and a larger budget",
        description="Go on with a run. A run of janusopt minimize needs the journal only; one that was started from "
        "Python needs its objective. Options that are left out are as they were.",
    )
    parser.add_argument("journal", type=Path)
    objective = parser.add_mutually_exclusive_group()
    objective.add_argument("--objective", metavar="MODULE:FUNCTION", help="for a run that was started from Python")
    objective.add_argument("--command", help="another program in place of the recorded one")
    parser.add_argument("--budget", type=count, metavar="N", help="larger: the run goes on beyond its end")
    parser.add_argument("--workers", type=count, metavar="K", help="programs at once")
    parser.add_argument("--timeout", type=positive, metavar="S", help="seconds, then the program is killed")
    parser.add_argument("--on-error", choices=("skip", "raise"), help="what a failed evaluation does")
    parser.add_argument("--target", type=float, metavar="F", help="stop at this value")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the best parameters there, as JSON")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from janusopt.commands.recorded import recorded_arguments
    from janusopt.errors import JournalError
    from janusopt.journal import Journal

    if not chosen.journal.is_file():
        raise JournalError(f"there is no journal {chosen.journal}")
    with Journal(chosen.journal) as journal:
        kind, arguments = recorded_arguments(journal)
        if chosen.budget is not None:
            arguments["budget"] = chosen.budget
        run, target = _python(chosen, kind) if journal.call is None else _program(chosen, journal, kind)
        if kind != "objectives":
            arguments["target"] = target
        return int(run(arguments, journal, chosen.out))


def _program(chosen: argparse.Namespace, journal: Any, kind: str) -> tuple[Any, float | None]:
    from janusopt.commands.call import Call
    from janusopt.commands.run import Run

    if chosen.objective is not None:
        raise InputError("this run was started by janusopt minimize --command: leave --objective out")
    names = ("command", "workers", "timeout", "on_error", "target")
    changes = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    call = replace(Call.from_plain(journal.call), **changes)
    program = call.program(kind)
    journal.remember(call.plain())
    run = Run(
        program, kind, workers=call.workers, skip=call.on_error == "skip", stop=program.stop,
        parameters=call.parameters,
    )  # fmt: skip
    return run, call.target


def _python(chosen: argparse.Namespace, kind: str) -> tuple[Any, float | None]:
    from janusopt.commands.run import Run

    if chosen.objective is None:
        raise InputError("this run was started from Python: say what it minimizes with --objective module:function")
    if chosen.timeout is not None:
        raise InputError(
            "--timeout kills programs; for a Python function resume from Python, with workers= and timeout="
        )
    fun = _function(chosen.objective)
    run = Run(fun, kind, workers=chosen.workers or 1, skip=chosen.on_error == "skip", stop=lambda: None)
    return run, chosen.target


def _function(name: str) -> Callable[..., Any]:
    """``module:function``, looked for in this folder too."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise InputError(f"--objective must be module:function, got {name!r}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise InputError(f"--objective {name} cannot be loaded: {error}") from error
    if not callable(found):
        raise InputError(f"--objective {name} is no function but a {type(found).__name__}")
    return found
