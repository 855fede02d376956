"""Peers from numpy and SciPy. Each runs until the problem's meter stops it, or the budget is spent."""

from __future__ import annotations

from contextlib import suppress
from typing import NoReturn

import numpy as np
from scipy.optimize import Bounds, differential_evolution, minimize

from janusopt.bench.gallery import Gallery
from janusopt.bench.meter import Stop
from janusopt.bench.methods.stream import stream, uniform
from janusopt.bench.outcome import Outcome
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Rows, Vec
from janusopt.core.front import Front

_KEPT = 66  # rows of a front, which grows to half as many again
_BLOCK = 256  # rows that random search draws at a time
_ENDLESS = 10**9


def random_search(problem: Problem, seed: int, budget: int, x0: Vec) -> Outcome:
    """Uniform in the box; the first row is the start. Of several objectives it keeps at most a hundred rows."""
    rng = stream(seed)
    if problem.kind == "objectives":
        return Outcome(fronts=_random_fronts(problem, rng, budget))
    problem.fun(x0[None, :])
    while True:
        problem.fun(rng.uniform(problem.lower, problem.upper, (_BLOCK, problem.d)))


def _random_fronts(problem: Problem, rng: np.random.Generator, budget: int) -> dict[int, Rows]:
    gallery, kept, spent = Gallery(budget, problem.objectives), Front(_KEPT), 0
    with suppress(Stop):
        while spent < budget:
            X = rng.uniform(problem.lower, problem.upper, (min(_BLOCK, budget - spent), problem.d))
            gallery.before(spent + len(X), lambda: kept.F)
            kept.admit(X, problem.fun(X))
            spent += len(X)
    gallery.last(spent, kept.F)
    return gallery.fronts


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
