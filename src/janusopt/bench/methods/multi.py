"""janusopt on several objectives: a pymoo algorithm by name, with or without infill.

A run is judged by the host's last population, which is what a user of pymoo gets; there are no restarts, as in pymoo.
The rows are those of ``minimize_multi(rng=seed)``; its archive of the whole run, which takes most of the time where the
objective is cheap, is not kept: it would hide what infill costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from janusopt.bench.gallery import Gallery
from janusopt.bench.meter import Stop
from janusopt.bench.outcome import Outcome
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Rows, Vec
from janusopt.doors.minimize_multi import minimize_multi
from janusopt.errors import EvaluationError, InputError
from janusopt.evaluate import Evaluate
from janusopt.extras import require
from janusopt.infills import make_pareto_infill
from janusopt.loop import Loop
from janusopt.pareto import ParetoConfig, ParetoJanus

POPULATION = 100
_SLOWNESS = {"age-moea2": 4.0, "moead": 12.0}
_DIRECTED = ("nsga3", "moead", "rvea")  # their population is as large as a layout of reference directions


@dataclass(frozen=True, slots=True)
class Multi:
    """``host`` and ``infill`` as minimize_multi names them; ``config`` changes settings of its ParetoConfig."""

    host: str
    infill: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)

    def changed(self, config: Mapping[str, Any]) -> Multi:
        """The same with more settings, checked."""
        method = replace(self, config={**self.config, **config})
        method.settings()
        return method

    def settings(self) -> str | ParetoConfig | None:
        """What minimize_multi gets as ``infill``."""
        named = make_pareto_infill(self.infill, rng=np.random.default_rng(0))
        if not self.config:
            return self.infill
        if not isinstance(named, ParetoJanus):
            raise InputError(f"infill {self.infill!r} has no settings, got {dict(self.config)}")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in self.config.items()
        }
        return ParetoJanus(named.config, **values).config

    def __call__(self, problem: Problem, seed: int, budget: int, _x0: Vec) -> Outcome:
        if problem.kind != "objectives":
            raise InputError(f"the method {self.host} is for several objectives, this problem has one")
        host_seed, infill_seed = np.random.SeedSequence(seed).spawn(3)[1:]
        watched = _Watched(problem, budget, self._host(problem, host_seed, budget))
        evaluate = Evaluate(watched, kind="objectives", vectorized=True)
        infill = make_pareto_infill(self.settings(), rng=np.random.default_rng(infill_seed))
        loop = Loop(watched.host, infill, evaluate, budget, lambda *_: None, restarts=None)
        try:
            loop.run()
        except EvaluationError as error:
            if not isinstance(error.__cause__, Stop):
                raise
        spent = loop.progress.seconds["infill"]
        return Outcome(seconds_infill=spent, records=tuple(infill.records), fronts=watched.fronts())

    @property
    def slowness(self) -> float:
        """Beside NSGA-II."""
        return _SLOWNESS.get(self.host, 1.0)

    def prepare(self) -> None:
        """Let what is compiled when it is first needed (AGE-MOEA2's distances, some seconds) be compiled."""
        if self.host == "age-moea2":
            _compiled()

    def _host(self, problem: Problem, seed: np.random.SeedSequence, budget: int) -> Any:
        """The host that minimize_multi would make of the name."""
        require("pymoo", extra="pymoo", purpose="methods for several objectives")
        from janusopt.hosts.pymoo import PymooHost, make_algorithm

        m = problem.objectives
        popsize = directions(m) if self.host in _DIRECTED else POPULATION
        number = int(seed.generate_state(1, np.uint64)[0])
        algorithm = make_algorithm(self.host, m, popsize, {})
        return PymooHost(algorithm, problem.lower, problem.upper, objectives=m, seed=number, budget=budget)


class _Watched:
    """The objectives of a problem, and a look at the host's population whenever a count is due."""

    def __init__(self, problem: Problem, budget: int, host: Any) -> None:
        self.host = host
        self._fun, self._spent, self._m = problem.fun, 0, problem.objectives
        self._gallery = Gallery(budget, problem.objectives)

    def __call__(self, X: Rows) -> Any:
        self._gallery.before(self._spent + len(X), self._population)
        answer = self._fun(X)
        self._spent += len(X)
        return answer

    def _population(self) -> Rows:
        population = self.host.algorithm.pop
        return np.empty((0, self._m)) if population is None else np.asarray(population.get("F"), dtype=float)

    def fronts(self) -> dict[int, Rows]:
        """After the run."""
        self._gallery.last(self._spent, self._population())
        return self._gallery.fronts


@lru_cache(maxsize=1)
def _compiled() -> None:
    minimize_multi(
        lambda X: np.column_stack([X[:, 0], 1.0 - X[:, 0] + X[:, 1]]),
        bounds=[(0.0, 1.0)] * 2, budget=60, host="age-moea2", infill=None, rng=0, popsize=20, vectorized=True,
    )  # fmt: skip


def directions(m: int) -> int:
    """How many of Das and Dennis' directions there are in the layout whose number is nearest to the population."""
    layouts = [comb(m + partitions - 1, m - 1) for partitions in range(1, POPULATION)]
    return min(layouts, key=lambda number: abs(number - POPULATION))
