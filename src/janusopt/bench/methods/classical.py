"""Peers from numpy and SciPy. Each runs until the problem's meter stops it."""

from __future__ import annotations

from typing import NoReturn

from scipy.optimize import Bounds, differential_evolution, minimize

from janusopt.bench.methods.stream import stream, uniform
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Vec

_BLOCK = 256  # rows that random search draws at a time
_ENDLESS = 10**9


def random_search(problem: Problem, seed: int, _budget: int, x0: Vec) -> NoReturn:
    """Uniform in the box; the first row is the start."""
    rng = stream(seed)
    problem.fun(x0[None, :])
    while True:
        problem.fun(rng.uniform(problem.lower, problem.upper, (_BLOCK, problem.d)))


def l_bfgs_b(problem: Problem, seed: int, _budget: int, x0: Vec) -> NoReturn:
    """L-BFGS-B with forward differences, inside the box; when it has converged, again from a uniform point."""
    rng, x = stream(seed), x0
    options = {"maxfun": _ENDLESS, "maxiter": _ENDLESS, "ftol": 1e-14, "gtol": 1e-10}
    while True:
        minimize(problem.value, x, method="L-BFGS-B", bounds=Bounds(problem.lower, problem.upper), options=options)
        x = uniform(problem, rng)


def scipy_de(problem: Problem, seed: int, _budget: int, x0: Vec) -> NoReturn:
    """SciPy's differential evolution with its default population, without polishing; restarted when converged."""
    rng, x = stream(seed), x0
    box = Bounds(problem.lower, problem.upper)
    while True:
        differential_evolution(problem.value, box, maxiter=_ENDLESS, polish=False, rng=rng, x0=x)
        x = uniform(problem, rng)
