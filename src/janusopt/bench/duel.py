"""A duel for tuning: methods against the first of them, paired seeds, equal evaluations; prints, stores nothing.

    python -m janusopt.bench.duel --dims 30 --functions 4,10 --seeds 0:3 --first 1 --methods "cma,janus,janus trim=0.1"

BBOB functions; seed s runs on instance ``first + s % 5``. Instances 1 to 5 are for tuning, 11 to 15 (the default) for
reports. Per function: geometric-mean final errors (floored at 1e-8), the ratio to the first method, runs won and lost;
at the end the geometric-mean ratio and the significant losses (paired Wilcoxon, Holm).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from janusopt.bench.campaign import Campaign
from janusopt.bench.crew import LocalCrew
from janusopt.bench.job import Job
from janusopt.bench.methods import find
from janusopt.bench.plan import span
from janusopt.bench.record import Record
from janusopt.bench.stats import geometric_mean, log_ratios, paired_verdicts, ratio
from janusopt.bench.task import Run, Task
from janusopt.core.arrays import Vec
from janusopt.threads import one_thread

HELD_OUT = (4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 22, 23, 24)
FLOOR = 1e-8
Errors = dict[str, dict[str, Vec]]  # method → problem → (seeds,)


def jobs(options: argparse.Namespace, d: int) -> list[Job]:
    """All runs of one dimension; those of one task stand together."""
    names = options.methods.split(",")
    return [
        Job(Run(Task(options.suite, f"f{f}", d, options.first + s % 5), name, s, options.budget), find(name), FLOOR)
        for f in options.functions.split(",")
        for s in sorted(span(options.seeds), key=lambda s: (s % 5, s))
        for name in names
    ]


def fight(work: Sequence[Job], workers: int) -> Errors:
    """Run the jobs; final errors by method and problem, floored. A run that failed ends the duel."""
    found: dict[tuple[str, str, int], float] = {}

    def keep(_: Job, record: Record) -> None:
        if record.final is None:
            raise SystemExit(f"{record.key} failed:\n{record.error}")
        found[record.method, record.problem, record.seed] = max(record.final, FLOOR)

    with closing(LocalCrew(workers)) as crew:
        Campaign(crew, keep).run(work)
    errors: Errors = {}
    for job in work:
        errors.setdefault(job.run.method, {}).setdefault(job.run.task.problem, np.empty(0))
    for method, problem, seed in sorted(found):
        errors[method][problem] = np.append(errors[method][problem], found[method, problem, seed])
    return errors


def table(errors: Errors) -> None:
    """A line a problem."""
    host, *others = errors
    for problem, own in errors[host].items():
        line = f"{problem:<4} {host} {geometric_mean(own):9.3g}"
        for name in others:
            value = errors[name][problem]
            line += f" | {name} {geometric_mean(value):9.3g} ×{geometric_mean(value / own):<8.2g}"
            line += f" {int((value < own).sum())}/{int((value > own).sum())}"
        print(line, flush=True)


def verdicts(errors: Errors) -> bool:
    """Print the summary; whether no method loses significantly to the first on any problem."""
    host, *others = errors
    clean = True
    for name in others:
        logs = {problem: log_ratios(own, errors[host][problem], FLOOR) for problem, own in errors[name].items()}
        found = paired_verdicts(list(logs.values()))
        lost = [problem for problem, verdict in zip(logs, found, strict=True) if verdict.word == "loss"]
        told = f"geometric-mean ratio to {host} {ratio(list(logs.values())):.4g}"
        print(f"{name}: {told}; significant losses: {', '.join(lost) or 'none'}")
        clean &= not lost
    return clean


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where a method loses significantly on a function."""
    parser = argparse.ArgumentParser(prog="python -m janusopt.bench.duel", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suite", default="bbob", choices=("bbob", "bbob-noisy"))
    parser.add_argument("--dims", default="30")
    parser.add_argument("--functions", default=",".join(map(str, HELD_OUT)))
    parser.add_argument("--seeds", default="100:105")
    parser.add_argument("--first", type=int, default=11, help="first of the five instances (1 for tuning)")
    parser.add_argument("--budget", type=int, default=20_000)
    parser.add_argument("--methods", default="cma,janus", help="the first is the one that the others are compared with")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    clean = []
    for d in map(int, options.dims.split(",")):
        work = jobs(options, d)
        print(f"\nd = {d}, {options.budget} evaluations, {len(span(options.seeds))} seeds", flush=True)
        errors = fight(work, options.workers)
        table(errors)
        clean.append(verdicts(errors))
    return 0 if all(clean) else 1


if __name__ == "__main__":
    code = one_thread("janusopt.bench.duel", sys.argv[1:])
    raise SystemExit(main() if code is None else code)
