"""pymoo's particle swarm, with its adaptive weights and its default of 25 particles."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from janusopt.bench.methods.stream import stream
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Vec
from janusopt.core.evaluations import Evaluations
from janusopt.extras import require

_PARTICLES = 25


def pso(problem: Problem, seed: int, _budget: int, _x0: Vec) -> NoReturn:
    """From a Latin hypercube; it takes no start and never ends by itself."""
    require("pymoo", extra="pymoo", purpose="the method pso")
    from janusopt.hosts.pymoo import PymooHost, make_algorithm

    own = int(stream(seed).integers(2**31))
    host = PymooHost(make_algorithm("pso", 1, _PARTICLES, {}), problem.lower, problem.upper, seed=own)
    none = np.empty((0, problem.d))
    while True:
        X = host.ask(none)
        f = problem.scalars(problem.fun(X))
        host.tell(X, Evaluations(f, ~np.isfinite(f)))
