"""COMO-CMA-ES from comocma, by pycma's authors: the multi-objective CMA-ES among the peers, for two objectives.

Each of its kernels is a CMA-ES that improves the hypervolume of all kernels' means together, and needs some hundred
evaluations to get anywhere: twenty of them suit 20,000. The reference point that it has to be given is the problem's.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from janusopt.bench.gallery import Gallery
from janusopt.bench.meter import Stop
from janusopt.bench.methods.stream import stream
from janusopt.bench.outcome import Outcome
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Rows, Vec
from janusopt.core.front import Front
from janusopt.errors import InputError
from janusopt.extras import require

_KERNELS = 20
_SPREAD = 0.2  # of the box, as for pycma
_KEPT = 66  # rows of a front, which grows to half as many again


def como_cma(problem: Problem, seed: int, budget: int, _x0: Vec) -> Outcome:
    """In the unit box, from uniform starts; of what it evaluates up to a hundred non-dominated rows are kept."""
    if problem.objectives != 2 or problem.reference is None:
        raise InputError(f"the method como-cma is for two objectives, this problem has {problem.objectives}")
    require("comocma", extra="bench", purpose="the method como-cma")
    import comocma

    rng = stream(seed)
    options = {
        "bounds": [0.0, 1.0],
        "seed": np.nan,
        "randn": lambda *shape: rng.standard_normal(shape),
        "verbose": -9,
        "verb_log": 0,
    }
    kernels = comocma.get_cmas(list(rng.uniform(size=(_KERNELS, problem.d))), _SPREAD, inopts=options)
    order = {"update_order": lambda _: rng.random(), "archive": False, "verb_log": 0, "verb_disp": 0}
    kernel_set = comocma.Sofomore(kernels, list(problem.reference), opts=order)
    gallery, kept, spent = Gallery(budget, 2), Front(_KEPT), 0
    with suppress(Stop):
        while spent < budget and not kernel_set.stop():
            U = kernel_set.ask()
            X = _inside(problem, np.array(U))[: budget - spent]
            gallery.before(spent + len(X), lambda: kept.F)
            F = problem.fun(X)
            kept.admit(X, F)
            spent += len(X)
            if len(X) == len(U):
                kernel_set.tell(U, [list(row) for row in F])
    gallery.last(spent, kept.F)
    return Outcome(fronts=gallery.fronts)


def _inside(problem: Problem, U: Rows) -> Rows:
    """Rows of the unit box in the problem's."""
    return np.asarray(problem.lower + np.clip(U, 0.0, 1.0) * (problem.upper - problem.lower))
