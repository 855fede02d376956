"""Made-up campaigns with several objectives: fronts that are parts of circles, at a stated distance from the best."""

from __future__ import annotations

import numpy as np

from janusopt.bench.plan import League
from janusopt.bench.record import Record
from janusopt.bench.report.fronts.standings import Standings
from janusopt.bench.report.row import read
from janusopt.bench.task import Run, Task

RADII = {"sms-emoa": 1.1, "janus-sms": 1.0, "nsga2": 1.12, "random-search": 1.6}
LEAGUE = League("sms-emoa", "janus-sms")


def runs(problems=("f1-f8", "f2-f10"), seeds=range(100, 110), methods=RADII, budget=4000, suite="biobj"):
    return [
        Run(Task(suite, problem, 20, 11), method, seed, budget)
        for problem in problems
        for seed in seeds
        for method in methods
    ]


def front(radius, seed, points=20, objectives=2):
    """Rows on a circle or a sphere, at ``radius`` and a little luck."""
    rng = np.random.default_rng(seed)
    rows = np.abs(rng.normal(size=(points, objectives))) + 1e-3
    rows = np.vstack([rows, np.eye(objectives) + 1e-3])
    luck = 1.0 + 0.01 * rng.uniform()
    return radius * luck * rows / np.linalg.norm(rows, axis=1, keepdims=True)


def record(run, radius, objectives=2, **changes):
    """A run that ends at ``radius``; at a quarter and half of its budget it was 2 and 1.5 times as far."""
    rng_seed = [run.seed, len(run.method), sum(map(ord, run.task.problem))]
    last = front(radius, rng_seed, objectives=objectives)
    known = {
        "evaluations": run.budget, "front": last.tolist(), "grid": [run.budget // 4, run.budget // 2, run.budget],
        "fronts": [{"evaluations": run.budget // p, "rows": (last * far).tolist()} for p, far in ((4, 2), (2, 1.5))],
        "volumes": [0.1 / radius, 0.2 / radius, 0.5 / radius], "igd_plus": radius - 1.0,
        "versions": '{"numpy": "2.4.6"}',
        "seconds_total": 3.0 if run.method == "janus-sms" else 2.0, "seconds_host": 1.0, "seconds_infill": 0.25,
        "seconds_evaluation": 0.5,
    }  # fmt: skip
    if run.method.startswith("janus"):
        known |= {
            "sources": [{"name": "newton", "proposed": 400, "first": 50, "upper": 120}],
            "ranks": [{"name": "newton", "histogram": [90, 30, 20, 10, 10, 10, 10, 10, 5, 5]}],
        }
    return Record.of(run, **(known | changes))


def standings(planned=None, records=None, radii=RADII, leagues=None):
    planned = runs() if planned is None else planned
    records = [record(run, radii[run.method]) for run in planned] if records is None else records
    leagues = dict.fromkeys((run.key for run in planned), LEAGUE) if leagues is None else leagues
    return Standings("A made-up campaign", leagues, planned, map(read, records))
