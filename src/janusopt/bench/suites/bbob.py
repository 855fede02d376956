"""BBOB from ioh: f1 to f24 on [-5, 5]^d, any dimension and instance; ``bbob-noisy`` is the same seen through noise.

Noise multiplies the error: ``f_opt + (f − f_opt)·(1 + 0.01·N(0, 1))``; runs are judged by f.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from janusopt.bench.problem import Problem
from janusopt.bench.task import Task
from janusopt.core.arrays import Rows, Vec
from janusopt.errors import InputError
from janusopt.extras import require

NOISE = 0.01


def build(task: Task, seed: int) -> Problem:
    """The function that ``task.problem`` names (f1 … f24); ``seed`` feeds the noise."""
    function = re.fullmatch(r"f([1-9]|1\d|2[0-4])", task.problem)
    if function is None or task.dimension < 2 or task.instance < 1:
        raise InputError(
            "a BBOB task is one of f1 to f24 with dimension ≥ 2 and instance ≥ 1, got "
            f"{task.problem!r}, dimension {task.dimension}, instance {task.instance}"
        )
    source = bbob_function(int(function[1]), task.dimension, task.instance)
    optimum = float(source.optimum.y)  # optimum.x is wrong for f19 beyond 64 variables, optimum.y is not

    def exact(X: Rows) -> Vec:
        return np.asarray(source(X), dtype=float)

    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))

    def noisy(X: Rows) -> Vec:
        return np.asarray(optimum + (exact(X) - optimum) * (1.0 + NOISE * rng.standard_normal(len(X))))

    side = np.full(task.dimension, 5.0)
    if task.suite == "bbob-noisy":
        return Problem(-side, side, noisy, optimum=optimum, judge=exact)
    return Problem(-side, side, exact, optimum=optimum)


@lru_cache(maxsize=4)
def bbob_function(number: int, d: int, instance: int) -> Any:
    """ioh's object; cached, because construction is O(d³): seconds from d = 500 on."""
    require("ioh", extra="bench", purpose="the BBOB suite")
    import ioh

    return ioh.get_problem(number, instance=instance, dimension=d, problem_class=ioh.ProblemClass.BBOB)
