"""jDE: differential evolution whose members carry their own F and CR (Brest et al. 2006).

A trial inherits its member's pair, or draws a new one with probability 0.1 each: F ~ U(0.1, 1), CR ~ U(0, 1). The pair
stays where the trial does. rand/1/bin, population and bounds are those of our host "de".
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from janusopt.bench.methods.stream import stream, uniform
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Rows, Vec
from janusopt.hosts.de import bounced, crossed, default_popsize, donors

_RENEWED = 0.1  # probability with which a trial draws its own F, and its own CR
_COLLAPSED = 1e-12  # of the box, as in our host


def jde(problem: Problem, seed: int, _budget: int, x0: Vec) -> NoReturn:
    """From the shared start and uniform points; again from uniform points when the population is one point."""
    rng, x, n = stream(seed), x0, default_popsize(problem.d, "rand/1/bin")
    side = problem.upper - problem.lower
    while True:
        X = rng.uniform(problem.lower, problem.upper, (n, problem.d))
        X[0] = x
        F, CR, f = np.full((n, 1), 0.5), np.full((n, 1), 0.9), _values(problem, X)
        while np.any(np.ptp(X, axis=0) > _COLLAPSED * side):
            F_new, CR_new = _renewed(F, 0.1, 1.0, rng), _renewed(CR, 0.0, 1.0, rng)
            r1, r2, r3 = donors(n, 3, rng).T
            mutants = X[r1] + F_new * (X[r2] - X[r3])
            trials = bounced(crossed(X, mutants, CR_new, rng), X, problem.lower, problem.upper, rng)
            values = _values(problem, trials)
            better = values <= f
            f, kept = np.where(better, values, f), better[:, None]
            X, F, CR = (np.where(kept, new, old) for new, old in ((trials, X), (F_new, F), (CR_new, CR)))
        x = uniform(problem, rng)


def _renewed(values: Rows, low: float, high: float, rng: np.random.Generator) -> Rows:
    """(n, 1): each kept, or drawn anew between low and high."""
    fresh, chance = rng.uniform(low, high, values.shape), rng.random(values.shape)
    return np.where(chance < _RENEWED, fresh, values)


def _values(problem: Problem, X: Rows) -> Vec:
    f = problem.scalars(problem.fun(X))
    return np.asarray(np.where(np.isnan(f), np.inf, f))
