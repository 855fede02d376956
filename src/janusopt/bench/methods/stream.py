"""Where a run's randomness comes from: one seed, a stream for the start and one for the method."""

from __future__ import annotations

import numpy as np

from janusopt.bench.problem import Problem
from janusopt.core.arrays import Vec


def stream(seed: int) -> np.random.Generator:
    """A method's own stream, apart from the start's."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))


def uniform(problem: Problem, rng: np.random.Generator) -> Vec:
    """(d,): a point of the box."""
    return np.asarray(rng.uniform(problem.lower, problem.upper))


def start(problem: Problem, seed: int) -> Vec:
    """(d,): the start that all methods share: the problem's own, or the one that ``minimize(rng=seed)`` would draw."""
    if problem.start is not None:
        return problem.start
    return uniform(problem, np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]))
