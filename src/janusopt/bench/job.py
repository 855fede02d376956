"""One run as a worker gets it, and what comes of it."""

from __future__ import annotations

import faulthandler
import json
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np

from janusopt.bench import suites
from janusopt.bench.gallery import EARLIER, unit_volume
from janusopt.bench.meter import Meter, Stop
from janusopt.bench.methods import Method, prepare, slowness
from janusopt.bench.methods.stream import start
from janusopt.bench.outcome import Outcome
from janusopt.bench.problem import Problem
from janusopt.bench.record import LONGEST, Record
from janusopt.bench.task import Run
from janusopt.describe import versions
from janusopt.volume import igd_plus

_GRACE = 60.0  # seconds beyond its cap after which a run that evaluates nothing takes its process with it
_PACKAGES = ("janusopt", "numpy", "scipy", "cma", "cmaes", "ioh", "nlopt", "pymoo", "moocore")
_FEW = 3  # objectives up to which earlier fronts are stored


@dataclass(frozen=True, slots=True)
class Job:
    """A run, the method that it names, the error at which it may end, its time, and extra counts for its curve."""

    run: Run
    method: Method
    target: float
    cap_seconds: float | None = None
    at: tuple[int, ...] = ()

    @property
    def cost(self) -> float:
        """What the run costs, in evaluations of a small problem: measured roughly, for order and time left."""
        d = self.run.task.dimension
        return self.run.budget * (1.0 + d / 150 + (d / 300) ** 2) * slowness(self.method)


def execute(job: Job) -> Record:
    """Run it, wherever this process is. A failure is recorded with its traceback, never raised.

    The cap is looked at between evaluations. A method that hangs in C far beyond it ends its process, as nothing else
    would: the campaign sees a lost worker.
    """
    begun = time.perf_counter()
    if job.cap_seconds is not None:
        faulthandler.dump_traceback_later(job.cap_seconds + _GRACE, exit=True)
    try:
        problem = suites.build(job.run.task, job.run.seed)
        prepare(job.method)
        x0 = start(problem, job.run.seed)
        first = None if problem.kind == "objectives" else problem.error(x0)
        meter = Meter(problem, job.run.budget, job.target, job.cap_seconds, job.at)
        begun = time.perf_counter()
        try:
            outcome = job.method(meter.metered, job.run.seed, job.run.budget, x0)
        except Stop:
            outcome = Outcome()
        return _record(job.run, problem, meter, outcome, time.perf_counter() - begun, first)
    except Exception:  # noqa: BLE001 - whatever a method or a problem raises belongs into its record
        return failed(job.run, traceback.format_exc(), time.perf_counter() - begun)
    finally:
        faulthandler.cancel_dump_traceback_later()


def failed(run: Run, error: str, seconds: float = 0.0) -> Record:
    """The record of a run that came to nothing."""
    return Record.of(run, status="failed", error=error, seconds_total=seconds, versions=_versions())


def _record(run: Run, problem: Problem, meter: Meter, outcome: Outcome, seconds: float, first: float | None) -> Record:
    grid, best = meter.curve()
    kept = meter.x if run.task.dimension <= LONGEST else None
    rest = seconds - meter.seconds - outcome.seconds_infill
    return Record.of(
        run,
        status="capped" if meter.capped else "ok",
        final=meter.final,
        evaluations=meter.evaluations,
        seconds_total=seconds,
        seconds_host=rest if outcome.seconds_host is None else outcome.seconds_host,
        seconds_infill=outcome.seconds_infill,
        seconds_evaluation=meter.seconds,
        sources=outcome.sources(),
        ranks=outcome.ranks(),
        charts=outcome.charts(),
        versions=_versions(),
        start=first,
        x=None if kept is None else kept.astype(np.float32).tolist(),
        **{"grid": grid.tolist(), "best": best.tolist(), **_fronts(problem, run.budget, outcome)},
    )


def _fronts(problem: Problem, budget: int, outcome: Outcome) -> dict[str, Any]:
    """What a record holds of a run with several objectives; nothing where there is one."""
    if not outcome.fronts:
        return {}
    last = list(outcome.fronts.values())[-1]
    earlier = [budget // part for part in EARLIER if problem.objectives <= _FEW]
    scale = np.ones(problem.objectives) if problem.reference is None else problem.reference
    return {
        "grid": list(outcome.fronts),
        "volumes": [unit_volume(F / scale) for F in outcome.fronts.values()],
        "front": last.tolist(),
        "fronts": [
            {"evaluations": count, "rows": F.tolist()} for count, F in outcome.fronts.items() if count in earlier
        ],
        "igd_plus": None if problem.front is None else igd_plus(last, problem.front()),
    }


def _versions() -> str:
    python = ".".join(map(str, sys.version_info[:3]))
    return json.dumps({"python": python, **versions(_PACKAGES)})
