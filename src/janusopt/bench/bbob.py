"""BBOB duel: infills against their bare host, paired seeds, equal evaluations, restarts for both.

    python -m janusopt.bench.bbob --dims 30 --seeds 100:105 --infills janus,janus-gn,cmix,random

Functions from ioh on [-5, 5]^d; seed s runs on instance ``first + s % 5``. Instances 1 to 5 are for tuning, 11 to 15
(the default) for reports. Per function: geometric-mean final errors (floored at 1e-8), the ratio to the host, runs won
and lost; at the end the geometric-mean ratio and the significant losses (paired Wilcoxon, Holm).
"""

from __future__ import annotations

import argparse
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

import janusopt
from janusopt.bench.holm import holm
from janusopt.core.arrays import Rows, Vec
from janusopt.errors import InputError
from janusopt.extras import require
from janusopt.threads import one_thread

HELD_OUT = (4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 22, 23, 24)
FLOOR = 1e-8


@dataclass(frozen=True, slots=True)
class Run:
    """One run: which function, dimension, instance and seed, by which host and infill."""

    function: int
    d: int
    instance: int
    seed: int
    host: str
    infill: str
    budget: int


@lru_cache(maxsize=4)
def _problem(function: int, d: int, instance: int) -> Any:
    """Built once per worker: construction is O(d³), and ioh's problems do not pickle."""
    import ioh

    return ioh.get_problem(function, instance=instance, dimension=d, problem_class=ioh.ProblemClass.BBOB)


def final_error(run: Run) -> float:
    """f − f_opt at the end of the budget, floored."""
    problem = _problem(run.function, run.d, run.instance)
    least = float(problem.optimum.y)

    def error(X: Rows) -> Vec:
        return np.asarray(problem(X), dtype=float) - least

    result = janusopt.minimize(
        error,
        bounds=[(-5.0, 5.0)] * run.d,
        budget=run.budget,
        host=run.host,
        infill=run.infill,
        rng=run.seed,
        vectorized=True,
        target=FLOOR,
    )
    return max(float(result.fun), FLOOR)


def _verdicts(errors: dict[str, dict[int, Vec]], infills: list[str]) -> bool:
    """Print the summary; whether no infill loses significantly on any function."""
    clean = True
    for infill in infills:
        logs = {f: np.log(errors[infill][f]) - np.log(errors["none"][f]) for f in errors["none"]}
        p = [1.0 if np.all(v <= 0) else float(wilcoxon(v, alternative="greater").pvalue) for v in logs.values()]
        lost = [f"f{f}" for f, corrected in zip(logs, holm(p), strict=True) if corrected < 0.05]
        ratio = math.exp(float(np.mean([v.mean() for v in logs.values()])))
        print(
            f"{infill}: geometric-mean ratio to the host {ratio:.4g}; significant losses: {', '.join(lost) or 'none'}"
        )
        clean &= not lost
    return clean


def duel(d: int, options: argparse.Namespace, functions: list[int], seeds: range, pool: ProcessPoolExecutor) -> bool:
    """All runs of one dimension; False where an infill loses significantly."""
    infills = options.infills.split(",")
    names = ["none", *infills]
    runs = [
        Run(f, d, options.first + s % 5, s, options.host, name, options.budget)
        for f in functions
        for s in seeds
        for name in names
    ]
    values = np.array(list(pool.map(final_error, runs))).reshape(len(functions), len(seeds), len(names))
    errors = {name: {f: values[i, :, k] for i, f in enumerate(functions)} for k, name in enumerate(names)}
    print(f"\nd = {d}, {options.budget} evaluations, host {options.host}, {len(seeds)} seeds")
    for i, f in enumerate(functions):
        host = values[i, :, 0]
        line = f"f{f:<3} host {np.exp(np.log(host).mean()):9.3g}"
        for k, name in enumerate(infills, start=1):
            own = values[i, :, k]
            line += f" | {name} {np.exp(np.log(own).mean()):9.3g} ×{np.exp((np.log(own) - np.log(host)).mean()):<8.2g}"
            line += f" {int((own < host).sum())}/{int((own > host).sum())}"
        print(line, flush=True)
    return _verdicts(errors, infills)


def _span(text: str) -> range:
    try:
        low, high = map(int, text.split(":"))
    except ValueError:
        raise InputError(f"--seeds must be FIRST:LAST+1, for example 100:115, got {text!r}") from None
    return range(low, high)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where an infill loses significantly on a function."""
    parser = argparse.ArgumentParser(prog="python -m janusopt.bench.bbob", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dims", default="30")
    parser.add_argument("--functions", default=",".join(map(str, HELD_OUT)))
    parser.add_argument("--seeds", default="100:105")
    parser.add_argument("--first", type=int, default=11, help="first of the five instances (1 for tuning)")
    parser.add_argument("--budget", type=int, default=20_000)
    parser.add_argument("--host", default="cma")
    parser.add_argument("--infills", default="janus")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    require("ioh", extra="bench", purpose="the BBOB duel")
    functions = [int(f) for f in options.functions.split(",")]
    with ProcessPoolExecutor(options.workers) as pool:
        clean = [duel(int(d), options, functions, _span(options.seeds), pool) for d in options.dims.split(",")]
    return 0 if all(clean) else 1


if __name__ == "__main__":
    code = one_thread("janusopt.bench.bbob", sys.argv[1:])
    raise SystemExit(main() if code is None else code)
