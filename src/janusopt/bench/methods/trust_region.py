"""Peers for residuals: SciPy's trust region with forward differences, and DFO-LS, which needs no differences.

DFO-LS is under the GPL: an extra of its own brings it, and only this file imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np
from scipy.optimize import least_squares

from janusopt.bench.methods.stream import stream, uniform
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Vec
from janusopt.errors import InputError
from janusopt.extras import require

_TOLERANCE = 1e-14
_RADIUS = 1e-10  # of the box, where DFO-LS has converged


def scipy_lsq(problem: Problem, seed: int, _budget: int, x0: Vec) -> NoReturn:
    """SciPy's ``least_squares``; when it has converged, again from a uniform point."""
    rng, x, residuals = stream(seed), x0, _residuals(problem)
    margin = 1e-10 * (problem.upper - problem.lower)  # a start must lie strictly inside
    box = problem.lower, problem.upper
    while True:
        inside = np.clip(x, problem.lower + margin, problem.upper - margin)
        least_squares(residuals, inside, bounds=box, xtol=_TOLERANCE, ftol=_TOLERANCE, gtol=_TOLERANCE)
        x = uniform(problem, rng)


def dfo_ls(problem: Problem, seed: int, budget: int, x0: Vec) -> NoReturn:
    """DFO-LS in the unit box, first radius 0.1 of it; when it has converged, again from a uniform point."""
    require("dfols", extra="gpl", purpose="the method dfo-ls")
    import dfols

    rng, x, residuals = stream(seed), x0, _residuals(problem)
    box = problem.lower, problem.upper
    while True:
        dfols.solve(
            residuals, x, bounds=box, maxfun=budget, rhoend=_RADIUS, scaling_within_bounds=True, do_logging=False
        )
        x = uniform(problem, rng)


def _residuals(problem: Problem) -> Callable[[Vec], Vec]:
    """(d,) → (m,), also for components that sum to f: their roots."""
    if problem.kind == "objectives":
        raise InputError("least squares needs residuals or components, this problem has several objectives")

    def residuals(x: Vec) -> Vec:
        answer = problem.fun(np.array(x, dtype=float)[None, :])
        if problem.kind == "residuals":
            return np.asarray(answer[0], dtype=float)
        if not isinstance(answer, tuple):
            raise InputError("least squares needs residuals or components, this problem has one value only")
        return np.asarray(np.sqrt(answer[1][0]), dtype=float)

    return residuals
