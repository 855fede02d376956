"""Optima on the box: JANUS against the bare host where a third or all of the coordinates end on a bound.

    python -m janusopt.bench.bounds [--seeds 10] [--dims 10,60] [--hosts cma,sep-cma,…] [--workers 2]

pymoo's single-objective algorithms stand for any of pymoo, nevergrad's (through AskTell) for any ask/tell object.
A linear objective, a sphere and an ellipsoid with their centre outside the box, at equal evaluations and paired
seeds. Errors below 1e-9 of the starting error count as solved. A row is a loss when a one-sided paired Wilcoxon test
(Holm-corrected over the rows) says that JANUS ends worse.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

import janusopt
from janusopt.bench.stats import geometric_mean, log_ratios, paired_verdicts, ratio, won_even_lost
from janusopt.core.arrays import Rows, Vec
from janusopt.hosts.ask_tell import AskTell
from janusopt.hosts.base import Host
from janusopt.hosts.pymoo import PymooHost, make_algorithm
from janusopt.threads import one_thread

HOSTS = ("cma", "sep-cma", "vkd-cma", "cmaes", "de", "pymoo-de", "pymoo-ga", "nevergrad-de", "nevergrad-pso")
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


def make_host(name: str, d: int, seed: int) -> str | Host:
    """A name that minimize knows, or pymoo's and nevergrad's optimizers as host objects on [-1, 1]^d."""
    box = np.full(d, -1.0), np.full(d, 1.0)
    if name.startswith("pymoo-"):
        return PymooHost(make_algorithm(name.removeprefix("pymoo-"), 1, None, {}), *box, seed=seed)
    if name.startswith("nevergrad-"):
        import nevergrad as ng

        array = ng.p.Array(init=np.zeros(d)).set_mutation(sigma=0.4)
        array.random_state = np.random.RandomState(seed)
        kind = ng.optimizers.registry[name.removeprefix("nevergrad-").upper()]
        return AskTell.nevergrad(kind(parametrization=array.set_bounds(*box), budget=100 * d, num_workers=20))
    return name


def errors(fun: Objective, least: float, d: int, budget: int, host: str, infill: str | None, seeds: int) -> Vec:
    """(seeds,) final errors in units of the starting error, floored."""
    start = float(fun(np.zeros((1, d)))[0]) - least
    found = [
        janusopt.minimize(
            fun,
            bounds=[(-1.0, 1.0)] * d,
            budget=budget,
            host=make_host(host, d, seed),
            infill=infill,
            rng=seed,
            vectorized=True,
        ).fun
        for seed in range(seeds)
    ]
    return np.maximum((np.array(found) - least) / start, FLOOR)


@dataclass(frozen=True, slots=True)
class Case:
    """One objective on one host: ``share`` of the coordinates end on a bound."""

    d: int
    host: str
    share: float
    problem: str
    seeds: int

    def __str__(self) -> str:
        share = "all" if self.share == 1.0 else "a third"
        return f"d={self.d:<3} {self.host:13} {self.problem:9} {share:7} active"


def duel(case: Case) -> tuple[float, Vec]:
    """The host's geometric-mean error, and (seeds,) log ratios of JANUS to it."""
    fun, least = problems(case.d, case.share)[case.problem]
    bare, janus = (
        errors(fun, least, case.d, 100 * case.d, case.host, infill, case.seeds) for infill in (None, "janus")
    )
    return geometric_mean(bare), log_ratios(janus, bare, FLOOR)


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print a line each; exit code 1 where a loss is significant."""
    parser = argparse.ArgumentParser(prog="python -m janusopt.bench.bounds", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--dims", default="10,60")
    parser.add_argument("--hosts", default=",".join(HOSTS))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    cases = [
        Case(d, host, share, problem, options.seeds)
        for d in map(int, options.dims.split(","))
        for host in options.hosts.split(",")
        for share in (1 / 3, 1.0)
        for problem in ("linear", "sphere", "ellipsoid")
    ]
    gaps: list[Vec] = []
    with ProcessPoolExecutor(options.workers) as pool:
        for case, (host, gap) in zip(cases, pool.map(duel, cases), strict=True):
            gaps.append(gap)
            won, even, lost = won_even_lost(gap)
            told = f"JANUS/host {ratio([gap]):9.2e}  won {won}, even {even}, lost {lost}"
            print(f"{case}  host {host:9.2e}  {told}", flush=True)
    losses = [str(case) for case, verdict in zip(cases, paired_verdicts(gaps), strict=True) if verdict.word == "loss"]
    print(f"{len(cases)} cases, {len(losses)} significant losses{': ' + '; '.join(losses) if losses else ''}")
    return 1 if losses else 0


if __name__ == "__main__":
    code = one_thread("janusopt.bench.bounds", sys.argv[1:])
    raise SystemExit(main() if code is None else code)
