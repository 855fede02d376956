"""Pairs of BBOB functions: ``f1-f8`` on [-5, 5]^d, both of the task's instance. Fronts lie inside the box.

F = (f_a − f_a*, f_b − f_b*): the ideal point is the origin, the nadir (f_a(x_b*) − f_a*, f_b(x_a*) − f_b*). A pair
whose optima lie on the box or close to each other is refused: there would be no front inside the box to find.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from janusopt.bench.problem import Problem
from janusopt.bench.suites.bbob import bbob_function
from janusopt.bench.task import Task
from janusopt.core.arrays import Rows, Vec, frozen
from janusopt.errors import InputError

_SIDE = 5.0
_INSIDE = 0.01  # least distance of an optimum to the box
_APART = 1.0  # least distance of the two optima
_MARGIN = 1.1


def build(task: Task, seed: int) -> Problem:  # noqa: ARG001 - nothing here is noisy
    """The pair that ``task.problem`` names."""
    numbers = re.fullmatch(r"f([1-9]|1\d|2[0-4])-f([1-9]|1\d|2[0-4])", task.problem)
    if numbers is None or task.dimension < 2 or task.instance < 1:
        raise InputError(
            "a task of biobj is a pair of f1 to f24 such as f1-f8 with dimension ≥ 2 and instance ≥ 1, got "
            f"{task.problem!r}, dimension {task.dimension}, instance {task.instance}"
        )
    pair = [bbob_function(int(number), task.dimension, task.instance) for number in numbers.groups()]
    best = np.array([float(source.optimum.y) for source in pair])

    def objectives(X: Rows) -> Rows:
        return np.asarray(np.column_stack([source(X) for source in pair]) - best)

    optima = np.array([_optimum(source, task) for source in pair])
    if np.linalg.norm(optima[0] - optima[1]) < _APART:
        raise InputError(f"the optima of {task.problem}, instance {task.instance}, are less than {_APART} apart")
    side = frozen(np.full(task.dimension, _SIDE))
    nadir = objectives(optima).max(axis=0)
    return Problem(-side, side, objectives, kind="objectives", objectives=2, reference=frozen(_MARGIN * nadir))


def _optimum(source: Any, task: Task) -> Vec:
    """(d,): where the function is least, checked, since ioh is wrong about it for f19 beyond 64 variables."""
    x = np.array(source.optimum.x, dtype=float)
    if abs(source(x) - source.optimum.y) > 1e-6 * (1.0 + abs(source.optimum.y)):
        raise InputError(f"the optimum of one function of {task.problem} is not known at d = {task.dimension}")
    if np.abs(x).max() > _SIDE - _INSIDE:
        raise InputError(f"the optimum of one function of {task.problem} lies on the box")
    return x
