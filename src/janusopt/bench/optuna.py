"""JanusSampler against Optuna's own CmaEsSampler at equal trials: three smooth and three rugged functions.

    python -m janusopt.bench.optuna [--seeds 8] [--dims 10,40] [--trials 30]

``--trials`` is per parameter. Optima lie off the centre, elsewhere for each seed, which both samplers share. A row is a
win or a loss when a paired Wilcoxon test says so (two one-sided tests a row, Holm-corrected over the rows). Needs the
extras ``optuna`` and ``cmaes``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np

from janusopt.bench.stats import paired_verdicts
from janusopt.core.arrays import Vec
from janusopt.extras import require
from janusopt.threads import one_thread

FLOOR = 1e-10
Objective = Callable[[Vec], float]


def sphere(y: Vec) -> float:
    """Σ y²."""
    return float(y @ y)


def ellipsoid(y: Vec) -> float:
    """Condition 1e6."""
    return float(10.0 ** (6.0 * np.arange(len(y)) / max(len(y) - 1, 1)) @ y**2)


def rosenbrock(y: Vec) -> float:
    """A bent valley; its optimum moved to 0."""
    z = y + 1.0
    return float(np.sum(100.0 * (z[1:] - z[:-1] ** 2) ** 2 + (1.0 - z[:-1]) ** 2))


def rastrigin(y: Vec) -> float:
    """Many local optima in a bowl."""
    return float(np.sum(y**2 + 10.0 * (1.0 - np.cos(2.0 * np.pi * y))))


def ackley(y: Vec) -> float:
    """A flat, rippled plain with a hole."""
    d = len(y)
    dip = -20.0 * np.exp(-0.2 * np.sqrt(y @ y / d)) - np.exp(np.cos(2.0 * np.pi * y).sum() / d)
    return float(max(dip + 20.0 + np.e, 0.0))


def schaffer(y: Vec) -> float:
    """Schaffer's F7: ripples that grow finer towards the optimum."""
    s = np.sqrt(y[1:] ** 2 + y[:-1] ** 2)
    return float(np.mean(np.sqrt(s) * (1.0 + np.sin(50.0 * s**0.2) ** 2)) ** 2)


SMOOTH = (sphere, ellipsoid, rosenbrock)
RUGGED = (rastrigin, ackley, schaffer)


def error(fun: Objective, d: int, trials: int, seed: int, janus: bool) -> float:
    """The best value of one study on [-5, 5]^d, floored."""
    from janusopt.integrations.optuna import JanusSampler, optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    optimum = np.random.default_rng([seed, d]).uniform(-2.0, 2.0, d)
    sampler = JanusSampler(seed=seed) if janus else optuna.samplers.CmaEsSampler(seed=seed)
    study = optuna.create_study(sampler=sampler)
    names = [f"x{i}" for i in range(d)]
    study.optimize(
        lambda trial: fun(np.array([trial.suggest_float(name, -5.0, 5.0) for name in names]) - optimum), n_trials=trials
    )
    return max(float(study.best_value), FLOOR)


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print a line each; exit code 1 where a loss is significant."""
    parser = argparse.ArgumentParser(prog="python -m janusopt.bench.optuna", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--dims", default="10,40")
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--functions", default=",".join(fun.__name__ for fun in (*SMOOTH, *RUGGED)))
    options = parser.parse_args(arguments)
    require("optuna", extra="optuna", purpose="the Optuna bench")
    require("cmaes", extra="cmaes", purpose="Optuna's CmaEsSampler")
    chosen = [fun for fun in (*SMOOTH, *RUGGED) if fun.__name__ in options.functions.split(",")]
    rows: list[tuple[str, Vec]] = []
    for d in map(int, options.dims.split(",")):
        for fun in chosen:
            ours, theirs = (
                np.log([error(fun, d, options.trials * d, seed, janus) for seed in range(options.seeds)])
                for janus in (True, False)
            )
            label = f"d={d:<3} {fun.__name__:10} {'smooth' if fun in SMOOTH else 'rugged'}"
            rows.append((label, ours - theirs))
            better = int(np.sum(ours < theirs))
            print(
                f"{label}  CmaEsSampler {np.exp(theirs.mean()):9.2e}  JANUS {np.exp(ours.mean()):9.2e}  "
                f"ratio {np.exp((ours - theirs).mean()):9.2e}  better {better}/{options.seeds}",
                flush=True,
            )
    found = [verdict.word for verdict in paired_verdicts([ratios for _, ratios in rows])]
    for (label, _), verdict in zip(rows, found, strict=True):
        print(f"{label}  {verdict}")
    print(f"{len(rows)} cases: {found.count('win')} wins, {found.count('even')} even, {found.count('loss')} losses")
    return 1 if "loss" in found else 0


if __name__ == "__main__":
    code = one_thread("janusopt.bench.optuna", sys.argv[1:])
    raise SystemExit(main() if code is None else code)
