"""The command ``janusopt``: ``demo``, ``bench overhead``, and the commands of :mod:`janusopt.commands`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from janusopt.commands import export, minimize, resume, show
from janusopt.commands.arguments import count, positive
from janusopt.errors import JanusError
from janusopt.threads import one_thread


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 a limit of the benchmark does not hold, 2 something is missing or wrong."""
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

    bench = commands.add_parser("bench", help="measurements").add_subparsers(metavar="what", required=True)
    bench.add_parser("overhead", help="what JANUS costs beside its host, against the stated limits").set_defaults(
        run=_overhead
    )

    for command in (minimize, resume, show, export):
        command.add_parser(commands)
    return parser


def _demo(chosen: argparse.Namespace) -> int:
    from janusopt import demo

    demo.show(chosen.out, chosen.seeds, chosen.scale)
    return 0


def _overhead(_: argparse.Namespace) -> int:
    from janusopt.bench import overhead

    return overhead.main([])


if __name__ == "__main__":
    sys.exit(main())
