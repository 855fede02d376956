"""Kill -9 over and over: ``python -m janusopt.bench.kills --kills 200``.

A run on a real file is killed at random moments by SIGKILL and resumed, until it ends; its result and every row of its
journal must equal the unbroken run's, bit for bit. When a run ends before enough kills came, the next seed begins.
The process that is killed is forked from one that has imported everything: no time is lost on imports, and the kills
fall on opening, replay, evaluation and commit.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from janusopt.core.arrays import Vec
from janusopt.doors.minimize import minimize
from janusopt.doors.minimize_multi import minimize_multi
from janusopt.entry import ROWS_A_GENERATION
from janusopt.journal import connect, scan

D = 6
HOSTS = ("cma", "cmaes", "de", "sms-emoa", "age-moea2")
_SEVERAL = ("sms-emoa", "age-moea2")
_BUDGET = 1500
_SOON = 0.3  # share of kills at any moment since the start; the others wait for evaluations to have been made


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """How one host fared: kills, runs that ended, and what differed ("" if nothing)."""

    host: str
    kills: int
    runs: int
    difference: str
    seconds: float

    def __str__(self) -> str:
        told = self.difference or "every result and every row equal to the unbroken run's"
        return f"{self.host:10} {self.kills:4} kills over {self.runs:2} runs, {self.seconds:4.0f} s: {told}"


def ellipsoid(x: Vec) -> float:
    """One objective."""
    return float((np.logspace(0, 4, D) * (x - 1.0) ** 2).sum())


def two(x: Vec) -> Vec:
    """Two objectives."""
    return np.array([((x - 1.0) ** 2).sum(), ((x + 1.0) ** 2).sum()])


def run(host: str, seed: int, journal: Path, beat: int | None = None) -> None:
    """One run to its end, or until it is killed; a byte goes to the pipe ``beat`` for every evaluation.

    The result is written beside the journal.
    """

    def beating(x: Vec) -> Any:
        if beat is not None:
            os.write(beat, b".")
        return two(x) if host in _SEVERAL else ellipsoid(x)

    box = [(-5.0, 5.0)] * D
    if host in _SEVERAL:
        result = minimize_multi(beating, bounds=box, budget=_BUDGET, host=host, popsize=20, rng=seed, journal=journal)
        found = (result.X.tolist(), result.F.tolist())
    else:
        result = minimize(beating, bounds=box, budget=_BUDGET, host=host, rng=seed, journal=journal)
        found = (result.x.tolist(), result.fun)
    _beside(journal).write_text(repr((*found, result.nit, result.message)), encoding="utf-8")


def rows(journal: Path) -> dict[int, tuple[Any, ...]]:
    """Every row of a journal that has to be the same, by number: all but the time it took."""
    with closing(connect(journal.resolve(), readonly=True)) as connection:
        entries = [entry for entry in scan(connection) if entry is not None]
    return {
        entry.id: (entry.f, entry.failed, entry.source, entry.x.tobytes(), entry.wide.tobytes()) for entry in entries
    }


def judge(host: str, kills: int, folder: Path, rng: np.random.Generator) -> Verdict:
    """Kill so often; every run that was begun is brought to its end and compared."""
    start, done, runs, difference = time.monotonic(), 0, 0, ""
    while done < kills and not difference:
        whole, broken = folder / f"{host}-{runs}-whole.db", folder / f"{host}-{runs}.db"
        run(host, runs, whole)
        done += _killed(host, runs, broken, kills - done, rng)
        difference = _difference(whole, broken)
        runs += 1
    return Verdict(host, done, runs, difference, time.monotonic() - start)


def _difference(whole: Path, broken: Path) -> str:
    expected, found = rows(whole), rows(broken)
    if len(expected) != _BUDGET:
        return f"DIFFERENT: the unbroken run has {len(expected)} rows"
    numbers = sorted(expected.keys() | found.keys())
    wrong = [number for number in numbers if repr(expected.get(number)) != repr(found.get(number))]
    if wrong:
        return f"DIFFERENT: {len(wrong)} rows, the first is (generation, row) {divmod(wrong[0], ROWS_A_GENERATION)}"
    return "" if _beside(whole).read_text() == _beside(broken).read_text() else "DIFFERENT: the results"


def _beside(journal: Path) -> Path:
    return journal.with_suffix(".result")


def _killed(host: str, seed: int, journal: Path, most: int, rng: np.random.Generator) -> int:
    """Start, kill and start again until the run ends by itself; how often it was killed."""
    kills, opening = 0, 0.5
    while True:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _child(host, seed, journal, writer)
        os.close(writer)
        began = time.monotonic()
        if kills < most and rng.random() < _SOON:
            time.sleep(rng.uniform(0.0, opening))
        else:
            beats = int(rng.integers(1, 30)) if kills < most else _BUDGET + 1
            first = os.read(reader, 1)
            opening = time.monotonic() - began if first else opening
            while first and beats > 1 and os.read(reader, 1):
                beats -= 1
            time.sleep(rng.uniform(0.0, 0.003))
        os.close(reader)
        if kills < most:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            if os.WEXITSTATUS(status):
                raise RuntimeError(f"{host}, seed {seed}: the run failed after {kills} kills")
            return kills
        kills += 1


def _child(host: str, seed: int, journal: Path, writer: int) -> None:
    """Never returns: what the parent holds is not this process's to close."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    code = 1
    try:
        run(host, seed, journal, writer)
        code = 0
    finally:
        os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """0: nothing differs; 1: something does."""
    parser = argparse.ArgumentParser(prog="python -m janusopt.bench.kills", description="Kill runs and resume them.")
    parser.add_argument("--kills", type=int, default=200, help="for every host (default: %(default)s)")
    parser.add_argument("--hosts", nargs="+", choices=HOSTS, default=HOSTS, metavar="HOST", help=", ".join(HOSTS))
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    equal = True
    for host in chosen.hosts:
        with TemporaryDirectory() as folder:
            verdict = judge(host, chosen.kills, Path(folder), np.random.default_rng(chosen.seed))
        print(verdict, flush=True)
        equal = equal and not verdict.difference
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
