"""Peers from NLopt: BOBYQA, NEWUOA, COBYLA. All are evaluated inside the box only.

NEWUOA knows no bounds: it sees the objective reflected at the bounds. NLopt's own variant with bounds is slow from a
hundred variables on and was seen never to return (https://github.com/stevengj/nlopt/issues/117). COBYLA is NLopt's and
not SciPy's, which evaluates outside the box.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from janusopt.bench.methods.stream import stream, uniform
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Vec
from janusopt.core.box import returned
from janusopt.extras import require

_STEP = 0.2  # of the box: the first step, as the hosts' initial spread
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Nlopt:
    """An algorithm of NLopt by its constant; when it has converged, again from a uniform point."""

    algorithm: str
    bounded: bool = True

    def __call__(self, problem: Problem, seed: int, budget: int, x0: Vec) -> NoReturn:
        require("nlopt", extra="bench", purpose=self.algorithm)
        import nlopt

        def objective(x: Vec, _: Any) -> float:
            return problem.value(x if self.bounded else returned(x, problem.lower, problem.upper, "reflect"))

        rng, x = stream(seed), x0
        while True:
            optimizer = nlopt.opt(getattr(nlopt, self.algorithm), problem.d)
            if self.bounded:
                optimizer.set_lower_bounds(problem.lower)
                optimizer.set_upper_bounds(problem.upper)
            optimizer.set_initial_step(_STEP * (problem.upper - problem.lower))
            optimizer.set_xtol_rel(_TOLERANCE)
            optimizer.set_min_objective(objective)
            with suppress(nlopt.RoundoffLimited, RuntimeError):  # NLopt's ways to say that it gets no further
                optimizer.optimize(x)
            x = uniform(problem, rng)
