"""Optima on the box: JANUS against the bare host where a third or all of the coordinates end on a bound.

    python -m janusopt.bench.bounds [--seeds 10] [--dims 10,60] [--hosts cma,sep-cma,…]

A linear objective, a sphere and an ellipsoid with their centre outside the box, at equal evaluations and paired
seeds. Errors below 1e-9 of the starting error count as solved. A row is a loss when a one-sided paired Wilcoxon test
(Holm-corrected over the rows) says that JANUS ends worse.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from scipy.stats import wilcoxon

import janusopt
from janusopt.bench.holm import holm
from janusopt.core.arrays import Rows, Vec
from janusopt.threads import one_thread

HOSTS = ("cma", "sep-cma", "vkd-cma", "cmaes", "de")
FLOOR = 1e-9
Objective = Callable[[Rows], Vec]


def problems(d: int, share: float) -> dict[str, tuple[Objective, float]]:
    """Objectives (n, d) → (n,) on [-1, 1]^d with a ``share`` of the optimum on bounds, and their least values."""
    active = np.arange(d) < round(share * d)
    centre = np.where(active, np.where(np.arange(d) % 2 == 0, 1.5, -1.5), 0.3)
    best = np.clip(centre, -1.0, 1.0)
    stretch = 10.0 ** (4.0 * np.arange(d) / max(d - 1, 1))
    slope = np.where(active, np.where(np.arange(d) % 2 == 0, -1.0, 1.0), 0.0) * (1.0 + np.arange(d))

    def linear(X: Rows) -> Vec:
        return np.asarray(X @ slope + ((X - 0.3) ** 2 * ~active).sum(axis=1))

    def sphere(X: Rows) -> Vec:
        return np.asarray(((X - centre) ** 2).sum(axis=1))

    def ellipsoid(X: Rows) -> Vec:
        return np.asarray(((X - centre) ** 2) @ stretch)

    return {fun.__name__: (fun, float(fun(best[None, :])[0])) for fun in (linear, sphere, ellipsoid)}


def errors(fun: Objective, least: float, d: int, budget: int, host: str, infill: str | None, seeds: int) -> Vec:
    """(seeds,) final errors in units of the starting error, floored."""
    start = float(fun(np.zeros((1, d)))[0]) - least
    found = [
        janusopt.minimize(
            fun, bounds=[(-1.0, 1.0)] * d, budget=budget, host=host, infill=infill, rng=seed, vectorized=True
        ).fun
        for seed in range(seeds)
    ]
    return np.maximum((np.array(found) - least) / start, FLOOR)


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print a line each; exit code 1 where a loss is significant."""
    parser = argparse.ArgumentParser(prog="python -m janusopt.bench.bounds", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--dims", default="10,60")
    parser.add_argument("--hosts", default=",".join(HOSTS))
    options = parser.parse_args(arguments)
    rows: list[tuple[str, float, float, float]] = []
    for d in map(int, options.dims.split(",")):
        for host in options.hosts.split(","):
            for share in (1 / 3, 1.0):
                for name, (fun, least) in problems(d, share).items():
                    bare, janus = (
                        errors(fun, least, d, 100 * d, host, infill, options.seeds) for infill in (None, "janus")
                    )
                    worse = (
                        1.0
                        if np.all(janus <= bare)
                        else float(wilcoxon(np.log(janus), np.log(bare), alternative="greater").pvalue)
                    )
                    ratio = float(np.exp(np.mean(np.log(janus) - np.log(bare))))
                    label = f"d={d:<3} {host:8} {name:9} {'all' if share == 1.0 else 'a third':7} active"
                    rows.append((label, float(np.exp(np.log(bare).mean())), ratio, worse))
                    print(
                        f"{label}  host {rows[-1][1]:9.2e}  JANUS/host {ratio:9.2e}  p(worse) {worse:.3f}", flush=True
                    )
    losses = [row[0] for row, p in zip(rows, holm([row[3] for row in rows]), strict=True) if p < 0.05]
    print(f"{len(rows)} cases, {len(losses)} significant losses{': ' + '; '.join(losses) if losses else ''}")
    return 1 if losses else 0


if __name__ == "__main__":
    code = one_thread("janusopt.bench.bounds", sys.argv[1:])
    raise SystemExit(main() if code is None else code)
