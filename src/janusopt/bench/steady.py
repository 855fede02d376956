"""What asynchronous runs cost in evaluations and gain in time: ``python -m janusopt.bench.steady``.

Eight workers, evaluation times that differ tenfold (10^u units, u uniform in [0, 1], whatever the point). Time is
simulated: nothing sleeps, no machine's load shows, and the table is the same every time.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import rosen

from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.evaluate import Evaluate, Row
from janusopt.hosts.registry import make_host
from janusopt.infill import Proposals
from janusopt.infills import make_infill
from janusopt.loop import TARGET_REACHED, Loop
from janusopt.space import read_space
from janusopt.steady import SteadyLoop
from janusopt.threads import one_thread

WORKERS, SEEDS, BUDGET, TARGET = 8, 11, 30_000, 1e-6
PROBLEMS: dict[str, tuple[int, Callable[[Vec], float]]] = {
    "sphere": (10, lambda x: float(x @ x)),
    "ellipsoid": (10, lambda x: float(np.logspace(0, 6, 10) @ x**2)),
    "rosenbrock": (6, lambda x: float(rosen(x))),
}
HOSTS = {"cma": 16, "sep-cma": 16, "de": 32}


class Clock:
    """Simulated workers: rows are sent, and arrive when their time is up."""

    def __init__(self, fun: Callable[[Vec], float], seed: int) -> None:
        self._evaluate, self._fun = Evaluate(fun), fun
        self._rng = np.random.default_rng(seed)
        self._flying: list[tuple[float, int, Vec]] = []
        self.now = 0.0

    def send(self, number: int, x: Vec, source: str) -> None:
        heapq.heappush(self._flying, (self.now + 10.0 ** self._rng.random(), number, x))

    def take(self) -> tuple[int, Row]:
        self.now, number, x = heapq.heappop(self._flying)
        return number, (self._fun(x), np.empty(0), np.empty(0))

    def gather(self, rows: Sequence[Row]) -> Evaluations:
        return self._evaluate.gather(rows)

    def close(self) -> None:
        self._flying.clear()

    def generation(self, X: Rows) -> Evaluations:
        """All rows of X (n, d) on the workers, until the last has arrived."""
        rows: dict[int, Row] = {}
        for i, x in enumerate(X):
            if i >= WORKERS:
                rows.update([self.take()])
            self.send(i, x, "")
        while self._flying:
            rows.update([self.take()])
        return self.gather([rows[i] for i in range(len(X))])


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Evaluations and time until the target was reached, or the budget was spent."""

    evaluations: int
    time: float
    reached: bool


def run(problem: str, host: str, infill: str | None, seed: int, *, asynchronous: bool) -> Outcome:
    """One run to the target."""
    d, fun = PROBLEMS[problem]
    start, host_seed, infill_seed, times = np.random.SeedSequence(seed).spawn(4)
    space = read_space(None, [(-4.0, 5.0)] * d, None, np.random.default_rng(start))
    driven = make_host(host, space, host_seed, HOSTS[host], {})
    filler = make_infill(infill, d=d, scalar=True, rng=np.random.default_rng(infill_seed))
    clock = Clock(fun, int(times.generate_state(1)[0]))

    def watch(_X: Rows, evals: Evaluations, _proposals: Proposals) -> tuple[int, str] | None:
        return (TARGET_REACHED, "") if evals.f.min() <= TARGET else None

    loop: Loop | SteadyLoop
    if asynchronous:
        loop = SteadyLoop(driven, filler, clock, BUDGET, watch, "ipop", WORKERS)
    else:
        loop = Loop(driven, filler, clock.generation, BUDGET, watch)
    progress = loop.run()
    return Outcome(progress.nfev, clock.now, progress.status == TARGET_REACHED)


def main() -> int:
    """Print the table: medians over seeds."""
    elsewhere = one_thread("janusopt.bench.steady", sys.argv[1:])
    if elsewhere is not None:
        return elsewhere
    print(f"To f = {TARGET:g}, median of {SEEDS} seeds, {WORKERS} workers, times 1 to 10; asynchronous / synchronous\n")
    print(f"{'problem':12}{'host':9}{'infill':8}{'evaluations':>22}{'ratio':>7}{'time':>18}{'ratio':>7}  reached")
    for problem in PROBLEMS:
        for host in HOSTS:
            for infill in ("janus", None):
                _report(problem, host, infill)
    return 0


def _report(problem: str, host: str, infill: str | None) -> None:
    late, whole = (
        [run(problem, host, infill, seed, asynchronous=asynchronous) for seed in range(SEEDS)]
        for asynchronous in (True, False)
    )
    evaluations = [float(np.median([outcome.evaluations for outcome in part])) for part in (late, whole)]
    times = [float(np.median([outcome.time for outcome in part])) for part in (late, whole)]
    reached = " / ".join(str(sum(outcome.reached for outcome in part)) for part in (late, whole))
    counts = f"{evaluations[0]:>10.0f} / {evaluations[1]:<9.0f}{evaluations[0] / evaluations[1]:>7.2f}"
    spent = f"{times[0]:>9.0f} / {times[1]:<6.0f}{times[0] / times[1]:>7.2f}"
    print(f"{problem:12}{host:9}{infill or 'none':8}{counts}{spent}  {reached}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
