"""Made-up campaigns: a host whose errors fall with the evaluations, methods that end at a stated factor of it."""

from __future__ import annotations

import numpy as np

from janusopt.bench.record import Record
from janusopt.bench.report.results import Results
from janusopt.bench.report.row import read
from janusopt.bench.stats import log_grid
from janusopt.bench.task import Run, Task

FACTORS = {"cma": 1.0, "janus": 0.01, "random-search": 50.0}


def runs(problems=("f4", "f10"), dimensions=(30,), seeds=range(100, 112), methods=FACTORS, budget=1000, suite="bbob"):
    return [
        Run(Task(suite, problem, d, 11 + seed % 5), method, seed, budget)
        for d in dimensions
        for problem in problems
        for seed in seeds
        for method in methods
    ]


def record(run, factor, **changes):
    """A run whose final error is its seed's luck times ``factor``."""
    rng = np.random.default_rng([run.seed, run.task.dimension, len(run.method), sum(map(ord, run.task.problem))])
    final = 10.0 * factor * float(np.exp(rng.normal(0.0, 0.3)))
    grid = log_grid(run.budget).astype(int)[5:]
    best = final * (grid[-1] / grid) ** (1.0 + np.log10(1e4 / factor) / 4)
    known = {
        "final": final, "evaluations": run.budget, "grid": grid.tolist(), "best": best.tolist(), "seconds_total": 2.0,
        "start": 1e6, "x": [0.5] * run.task.dimension if run.task.dimension <= 30 else None,
        "seconds_host": 0.5, "seconds_infill": 0.25, "seconds_evaluation": 1.0, "versions": '{"numpy": "2.4.6"}',
    }  # fmt: skip
    if run.method == "janus":
        known |= {
            "sources": [{"name": "gn", "proposed": 200, "first": 50, "upper": 120}],
            "ranks": [{"name": "gn", "histogram": [90, 30, 20, 10, 10, 10, 10, 10, 5, 5]}],
            "charts": [{"name": "newton", "counts": [0, 1, *[3] * 8]}, {"name": "linear", "counts": [3, 2, *[0] * 8]}],
        }
    return Record.of(run, **(known | changes))


def results(
    planned=None, records=None, factors=FACTORS, host="cma", subject="janus", title="A made-up campaign", terms=None
):
    planned = runs() if planned is None else planned
    records = [record(run, factors[run.method]) for run in planned] if records is None else records
    return Results(title, host, subject, 1e-8, planned, map(read, records), terms)
