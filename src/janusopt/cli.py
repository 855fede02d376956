"""The command ``janusopt``: ``demo``, ``bench``, ``report``, and the commands of :mod:`janusopt.commands`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from janusopt.commands import export, minimize, resume, show
from janusopt.commands.arguments import count, positive
from janusopt.errors import JanusError
from janusopt.threads import one_thread

READER_LEFT = 141  # 128 + SIGPIPE: what a shell reports of a tool whose reader ended first


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 a limit, a run or the gate of a benchmark failed, 2 something is missing or wrong.

    Where the reader of the output leaves (``| head``), the command ends without a word.
    """
    try:
        try:
            return _main(arguments)
        finally:
            sys.stdout.flush()  # here and not when Python ends, where nobody can catch what it raises
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT


def _main(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    chosen = _parser().parse_args(given)
    try:
        elsewhere = one_thread("janusopt.cli", given)
        return int(chosen.run(chosen)) if elsewhere is None else elsewhere
    except JanusError as error:
        print(f"janusopt: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("janusopt: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="janusopt", description="Infill that speeds up population optimizers.")
    commands = parser.add_subparsers(metavar="command", required=True)

    demo = commands.add_parser("demo", help="one host with and without JANUS on three problems: table and plots")
    demo.add_argument(
        "--out", type=Path, default=Path("janusopt-demo"), help="folder for the plots (default: %(default)s)"
    )
    demo.add_argument("--seeds", type=count, default=3, help="runs of each kind (default: %(default)s)")
    demo.add_argument("--scale", type=positive, default=1.0, help="multiplies the budgets (default: %(default)s)")
    demo.set_defaults(run=_demo)

    _add_bench(commands.add_parser("bench", help="measurements").add_subparsers(metavar="what", required=True))

    report = commands.add_parser(
        "report", parents=[_plan_arguments()], help="a plan's stored runs as tables and as one interactive page"
    )
    report.add_argument("--out", type=Path, metavar="DIR", help="folder for the page (default: reports/<plan>)")
    report.set_defaults(run=_report)

    for command in (minimize, resume, show, export):
        command.add_parser(commands)
    return parser


def _add_bench(bench: Any) -> None:
    bench.add_parser("overhead", help="what JANUS costs beside its host, against the stated limits").set_defaults(
        run=_overhead
    )

    plan = _plan_arguments()
    run = bench.add_parser("run", parents=[plan], help="do the runs of a plan that are not stored yet")
    run.add_argument("--workers", type=count, metavar="N", help="processes (default: as many as there are cores)")
    run.add_argument("--shard", metavar="i/n", help="only this part of the runs, for several machines")
    run.add_argument(
        "--dask", metavar="ADDRESS", help="on the workers of this Dask scheduler, for example tcp://host:8786"
    )
    run.add_argument("--seeds", metavar="a:b", help="only the plan's runs with seeds a to b − 1")
    run.add_argument("--retry", action="store_true", help="also the runs that are stored as failed")
    run.set_defaults(run=_campaign("run"))

    export = bench.add_parser("export", parents=[plan], help="the stored runs of a plan for IOHinspector, IOHanalyzer")
    export.add_argument("--ioh", type=Path, required=True, metavar="DIR", help="where to write IOH data")
    export.set_defaults(run=_campaign("export"))

    compact = bench.add_parser("compact", parents=[plan], help="fold the runs of a plan into one file")
    compact.set_defaults(run=_campaign("compact"))


def _plan_arguments() -> argparse.ArgumentParser:
    plan = argparse.ArgumentParser(add_help=False)
    plan.add_argument("plan", type=Path, help="a TOML file, for example plans/bbob-host.toml")
    plan.add_argument("--quick", action="store_true", help="the plan's [quick] form")
    plan.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where runs are kept (default: %(default)s)",
    )
    return plan


def _campaign(name: str) -> Callable[[argparse.Namespace], int]:
    """The function of bench/command.py of that name, imported when it is called."""

    def call(chosen: argparse.Namespace) -> int:
        from janusopt.bench import command

        code: int = getattr(command, name)(chosen)
        return code

    return call


def _report(chosen: argparse.Namespace) -> int:
    from janusopt.bench.report import command

    return command.report(chosen)


def _demo(chosen: argparse.Namespace) -> int:
    from janusopt import demo

    demo.show(chosen.out, chosen.seeds, chosen.scale)
    return 0


def _overhead(_: argparse.Namespace) -> int:
    from janusopt.bench import overhead

    return overhead.main([])


if __name__ == "__main__":
    sys.exit(main())
