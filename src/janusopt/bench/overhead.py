"""What JANUS costs beside the host it helps: ``python -m janusopt.bench.overhead``.

*Per generation.* ``janusopt.CMAEvolutionStrategy`` against ``cma.CMAEvolutionStrategy``, default settings, on a free
objective (a weighted sum of squares whose own time is left out). Both runs live in one process and take turns in short
blocks, so that a slow moment of the machine hits both; a time is the median over blocks. Where promises are broken or
the host travels, no fit stands and JANUS costs more: the same on other landscapes, against no limit.

*Growth.* ``propose`` + ``observe`` beside a diagonal host with a window of 300 rows, each dimension in a fresh process,
so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import cma
import numpy as np

import janusopt
from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.pycma import PycmaHost
from janusopt.infill import Infill
from janusopt.threads import one_thread


@dataclass(frozen=True, slots=True)
class Limit:
    """Most that JANUS may cost at one dimension: time relative to the host, and added milliseconds a generation."""

    d: int
    ratio: float
    added_ms: float
    generations: int
    blocks: int


LIMITS = (Limit(30, 3.0, 5.0, 60, 15), Limit(100, 2.0, 5.0, 40, 15), Limit(500, 1.5, 30.0, 20, 7))
Landscape = Callable[[Rows], Vec]  # rows X (n, d) to values (n,)


def ellipsoid(X: Rows) -> Vec:
    """A weighted sum of squares."""
    return np.square(X) @ np.logspace(0, 4, X.shape[1])


def powers(X: Rows) -> Vec:
    """A sum of different powers: flatter and flatter near its minimum."""
    return np.asarray((np.abs(X) ** np.linspace(2.0, 6.0, X.shape[1])).sum(axis=1))


def valley(X: Rows) -> Vec:
    """Rosenbrock's function."""
    bend = X[:, 1:] - np.square(X[:, :-1])
    return np.asarray((100.0 * np.square(bend) + np.square(1.0 - X[:, :-1])).sum(axis=1))


def sphere(X: Rows) -> Vec:
    """One long descent."""
    return np.asarray(np.square(X).sum(axis=1))


def rugged(X: Rows) -> Vec:
    """Rastrigin's function."""
    return np.asarray((np.square(X) - 10.0 * np.cos(2.0 * np.pi * X) + 10.0).sum(axis=1))


def noise(X: Rows) -> Vec:
    """Nothing to learn: digits far behind the point."""
    return np.asarray((1e6 * X.sum(axis=1)) % 1.0)


ELSEWHERE: dict[str, Landscape] = {
    "different powers": powers,
    "Rosenbrock": valley,
    "sphere": sphere,
    "Rastrigin": rugged,
    "noise": noise,
}
GROWTH = (1_000, 10_000, 100_000)
GROWTH_SECONDS, GROWTH_GIGABYTES = 2.0, 1.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a generation of the bare host and of host + JANUS."""

    host_ms: float
    janus_ms: float

    @property
    def ratio(self) -> float:
        return self.janus_ms / self.host_ms

    @property
    def added_ms(self) -> float:
        return self.janus_ms - self.host_ms


def measure(limit: Limit, bounded: bool, landscape: Landscape = ellipsoid) -> Cost:
    """Alternate blocks of the two runs; the first pair fills the window and is not counted."""
    options: dict[str, Any] = {"seed": 1, "verbose": -9, "verb_log": 0}
    if bounded:
        options["bounds"] = [[-5.0] * limit.d, [5.0] * limit.d]
    runs = [kind(limit.d * [3.0], 2.0, options) for kind in (cma.CMAEvolutionStrategy, janusopt.CMAEvolutionStrategy)]
    times: list[list[float]] = [[], []]
    for block in range(limit.blocks + 1):
        for run, spent in zip(runs, times, strict=True):
            seconds = _block(run, landscape, limit.generations)
            if block:
                spent.append(1e3 * seconds / limit.generations)
    return Cost(*(median(spent) for spent in times))


def _block(run: Any, landscape: Landscape, generations: int) -> float:
    """Seconds that ``generations`` pairs of ask and tell take."""
    seconds = 0.0
    for _ in range(generations):
        start = perf_counter()
        X = run.ask()
        seconds += perf_counter() - start
        values = landscape(np.array(X)).tolist()
        start = perf_counter()
        run.tell(X, values)
        seconds += perf_counter() - start
    return seconds


def grow(d: int, generations: int = 25, *, bare: bool = False) -> dict[str, float]:
    """Seconds of propose + observe in a generation once the window is full, and this process's peak memory in GB.

    ``bare`` leaves JANUS out: what the host and Python need by themselves.
    """
    free = np.full(d, np.inf)
    host = PycmaHost(np.full(d, 3.0), np.full(d, 2.0), -free, free, seed=1, sampler="diagonal")
    infill: Infill = janusopt.NoInfill() if bare else janusopt.Janus(rng=1)
    weights, spent = np.logspace(0, 4, d), list[float]()
    while len(spent) < generations:
        frame = host.frame()
        start = perf_counter()
        proposals = infill.propose(frame, host.slots)
        seconds = perf_counter() - start
        if proposals.metric is not None and proposals.weight > 0:
            host.reshape(proposals.metric, proposals.weight)
        X = host.ask(proposals.X)
        values = np.square(X) @ weights
        evals = Evaluations(values, np.zeros(len(X), dtype=bool))
        start = perf_counter()
        infill.observe(X, evals)
        spent.append(seconds + perf_counter() - start)
        host.tell(X, evals)
    full = spent[-(-300 // host.rows) :]
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return {"median": median(full), "worst": max(full), "gigabytes": kilobytes / 1024**2}


def _grow_apart(d: int, *options: str) -> dict[str, float]:
    """:func:`grow` in a process of its own."""
    command = [sys.executable, "-m", "janusopt.bench.overhead", "--grow", str(d), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def _mark(held: bool) -> str:
    return "pass" if held else "FAIL"


def report() -> bool:
    """Print the tables; True when every limit holds."""
    held = _report_time()
    _report_elsewhere(next(limit for limit in LIMITS if limit.d == 100))
    held += _report_growth()
    print(f"\n{sum(held)} of {len(held)} limits hold.")
    return all(held)


def _report_time() -> list[bool]:
    held = []
    print("Time of ask + tell, milliseconds a generation (median), one BLAS thread, free objective\n")
    print(f"{'d':>5}  {'box':3}  {'host':>8}  {'+ JANUS':>8}  {'added':>7}  {'limit':>6}  {'ratio':>6}  {'limit':>5}")
    for limit in LIMITS:
        for bounded in (False, True):
            cost = measure(limit, bounded)
            held.append(cost.ratio <= limit.ratio and cost.added_ms <= limit.added_ms)
            print(
                f"{limit.d:>5}  {'yes' if bounded else 'no':3}  {cost.host_ms:>8.2f}  {cost.janus_ms:>8.2f}  "
                f"{cost.added_ms:>7.2f}  {limit.added_ms:>6.0f}  {cost.ratio:>6.2f}  {limit.ratio:>5.1f}  "
                f"{_mark(held[-1])}",
                flush=True,
            )
    return held


def _report_elsewhere(limit: Limit) -> None:
    print(f"\nOther landscapes, d = {limit.d}, no box: no limit is set for them\n")
    print(f"{'landscape':<16}  {'host':>8}  {'+ JANUS':>8}  {'added':>7}  {'ratio':>6}")
    for name, landscape in ELSEWHERE.items():
        cost = measure(limit, False, landscape)
        print(
            f"{name:<16}  {cost.host_ms:>8.2f}  {cost.janus_ms:>8.2f}  {cost.added_ms:>7.2f}  {cost.ratio:>6.2f}",
            flush=True,
        )


def _report_growth() -> list[bool]:
    held = []
    print("\nGrowth: propose + observe beside a diagonal host, window 300; peak memory of the whole process\n")
    print(
        f"{'d':>7}  {'s median':>8}  {'µs/d':>5}  {'s worst':>8}  {'limit':>5}  {'host GB':>7}  {'+ JANUS':>7}  limit"
    )
    for d in GROWTH:
        bare, cost = _grow_apart(d, "--bare"), _grow_apart(d)
        held.append(cost["worst"] <= GROWTH_SECONDS and cost["gigabytes"] <= GROWTH_GIGABYTES)
        print(
            f"{d:>7}  {cost['median']:>8.4f}  {1e6 * cost['median'] / d:>5.1f}  {cost['worst']:>8.4f}  "
            f"{GROWTH_SECONDS:>5.1f}  {bare['gigabytes']:>7.2f}  {cost['gigabytes']:>7.2f}  {GROWTH_GIGABYTES:>5.1f}  "
            f"{_mark(held[-1])}",
            flush=True,
        )
    return held


def main(arguments: list[str] | None = None) -> int:
    """0 when every limit holds."""
    parser = argparse.ArgumentParser(prog="janusopt bench overhead", description="What JANUS costs beside its host.")
    parser.add_argument("--grow", type=int, metavar="D", help="only the growth measurement at this dimension, as JSON")
    parser.add_argument("--bare", action="store_true", help="with --grow: the host without JANUS")
    chosen = parser.parse_args(arguments)
    elsewhere = one_thread("janusopt.bench.overhead", sys.argv[1:] if arguments is None else arguments)
    if elsewhere is not None:
        return elsewhere
    if chosen.grow:
        print(json.dumps(grow(chosen.grow, bare=chosen.bare)))
        return 0
    return 0 if report() else 1


if __name__ == "__main__":
    sys.exit(main())
