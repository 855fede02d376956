"""``janusopt minimize``: any simulator that is a program."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from janusopt.commands.arguments import count, positive, seed

_KINDS = ("scalar", "residuals", "objectives")


def add_parser(commands: Any) -> None:
    """Its options."""
    parser = commands.add_parser(
        "minimize",
        help="minimize what a program computes",
        description="Minimize what a program computes. The command is split into words as a shell would, and run "
        "without one; {params.json}, {out.json} and {NAME} in it are replaced by a file with the parameters, a "
        "file for the result, and the value of a parameter. Without {out.json} the last line that the program prints "
        "is the result.",
    )
    parser.add_argument("--command", required=True, help='such as "./sim {params.json} {out.json}"')
    parser.add_argument("--space", type=Path, required=True, metavar="FILE", help="TOML: [parameters.NAME] low, high …")
    parser.add_argument("--budget", type=count, required=True, metavar="N", help="evaluations")
    parser.add_argument("--journal", type=Path, metavar="FILE", help="record of the run; goes on if it holds one")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the best parameters there, as JSON")
    parser.add_argument("--workers", type=count, default=1, metavar="K", help="programs at once (default: 1)")
    parser.add_argument("--timeout", type=positive, metavar="S", help="seconds, then the program is killed")
    parser.add_argument(
        "--on-error", choices=("skip", "raise"), default="skip",
        help="what a failed evaluation does: nothing but count, or stop the run (default: skip)",
    )  # fmt: skip
    parser.add_argument(
        "--kind", choices=_KINDS, default="scalar", help="what the program gives: one value (default), residuals, …"
    )
    parser.add_argument("--host", help="cma (default), sep-cma, vkd-cma, cmaes, de; several objectives: sms-emoa, …")
    parser.add_argument("--infill", default="janus", help="janus (default), janus-gn, cmix, random, none")
    parser.add_argument("--population", type=count, metavar="N", help="rows a generation (default: the host's own)")
    parser.add_argument("--target", type=float, metavar="F", help="stop at this value")
    parser.add_argument("--seed", type=seed, help="the same seed gives the same run")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from janusopt.commands.call import Call
    from janusopt.commands.run import Run
    from janusopt.journal import Journal
    from janusopt.simulator.parameters import Parameters

    call = Call(
        command=chosen.command, parameters=Parameters.read(chosen.space), workers=chosen.workers,
        timeout=chosen.timeout, on_error=chosen.on_error, target=chosen.target,
    )  # fmt: skip
    program = call.program(chosen.kind)
    if call.parameters.integers:
        print(
            f"note: {', '.join(call.parameters.integers)} rounded to whole numbers; the search sees steps there",
            file=sys.stderr,
        )
    run = Run(
        program, chosen.kind, workers=call.workers, skip=call.on_error == "skip", stop=program.stop,
        parameters=call.parameters,
    )  # fmt: skip
    with nullcontext() if chosen.journal is None else Journal(chosen.journal) as journal:
        if journal is not None:
            _same_program(journal, call.plain())
            journal.remember(call.plain())
        return run(_arguments(chosen, call), journal, chosen.out)


def _arguments(chosen: argparse.Namespace, call: Any) -> dict[str, Any]:
    several = chosen.kind == "objectives"
    arguments = {
        "bounds": call.parameters.bounds, "budget": chosen.budget, "infill": chosen.infill, "rng": chosen.seed,
        "popsize": chosen.population, "host": chosen.host or ("sms-emoa" if several else "cma"),
    }  # fmt: skip
    if not several:
        arguments |= {"x0": call.parameters.x0, "sigma0": call.parameters.sigma0, "target": call.target}
    return arguments


def _same_program(journal: Any, call: dict[str, Any]) -> None:
    """A journal of another program or other parameters is not gone on with by accident."""
    from janusopt.describe import differences
    from janusopt.errors import JournalError

    if journal.settings is None:
        return
    shaping = ("command", "parameters")
    before = {name: (journal.call or {}).get(name) for name in shaping}
    if told := differences(before, {name: call[name] for name in shaping}):
        raise JournalError(
            f"{journal.path} is the journal of another run: {told}. To go on with another program: janusopt resume "
            f"{journal.path} --command …"
        )
