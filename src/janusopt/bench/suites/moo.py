"""ZDT, DTLZ and WFG from pymoo, in their published boxes: ``zdt1-n2``, ``dtlz2-n5``, ``wfg4-n10``; n: objectives.

The dimension is the task's; there is a standard one. In WFG the position variables are k = 4 for two objectives and
k = 2(m − 1) for more, the others are distances. Most optima of these problems lie on bounds: what that means is in
docs/suites.md.

True fronts: zdt's own; dtlz1: Σf = ½; dtlz2–4: |f| = 1; wfg4–9: Σ(f_i/2i)² = 1; wfg1 with two objectives: its curve;
dtlz7 and wfg2 with up to three objectives: rows with the best distances, at a grid of positions.
"""

from __future__ import annotations

import re
from math import comb
from typing import Any

import numpy as np

from janusopt.bench.problem import Problem
from janusopt.bench.task import Task
from janusopt.core.arrays import Rows, frozen
from janusopt.core.dominance import nondominated
from janusopt.errors import InputError
from janusopt.extras import require

_ROWS = 1000  # of a true front, at most
_NAMES = {"zdt": (1, 2, 3, 4, 6), "dtlz": (1, 2, 3, 4, 7), "wfg": (1, 2, 4, 5, 6, 7, 8, 9)}
_MARGIN = 1.1
_SEVENTH = 0.8594009  # where the front of dtlz7 ends in all objectives but the last


def build(task: Task, seed: int) -> Problem:  # noqa: ARG001 - nothing here is noisy
    """The problem that ``task.problem`` names."""
    family, number, m = _parts(task.problem)
    source = _problem(family, number, task.dimension, m)

    def front() -> Rows:
        return _front(source, family, number, m)

    unknown = m > {"dtlz7": 3, "wfg1": 2, "wfg2": 3}.get(f"{family}{number}", m)
    return Problem(
        frozen(np.broadcast_to(source.xl, task.dimension)),
        frozen(np.broadcast_to(source.xu, task.dimension)),
        lambda X: np.asarray(source.evaluate(X, return_values_of=["F"]), dtype=float),
        kind="objectives",
        objectives=m,
        reference=frozen(_MARGIN * _nadir(family, number, m)),
        front=None if unknown else front,
    )


def standard_dimension(problem: str) -> int:
    """As published; dtlz by m and its k of 5, 10 or 20, wfg with 12 variables up to three objectives, then l = 10."""
    family, number, m = _parts(problem)
    if family == "zdt":
        return 30 if number <= 3 else 10
    if family == "dtlz":
        return m - 1 + {1: 5, 7: 20}.get(number, 10)
    return 12 if m <= 3 else 2 * (m - 1) + 10


def _parts(problem: str) -> tuple[str, int, int]:
    found = re.fullmatch(r"(zdt|dtlz|wfg)(\d)-n(\d+)", problem)
    if found is not None:
        family, number, m = found[1], int(found[2]), int(found[3])
        if number in _NAMES[family] and m >= 2 and (family != "zdt" or m == 2):
            return family, number, m
    known = ", ".join(f"{family}{number}" for family, numbers in _NAMES.items() for number in numbers)
    raise InputError(
        f"a task of moo is one of {known}, then -n and the number of objectives (zdt: two), got {problem!r}"
    )


def _problem(family: str, number: int, d: int, m: int) -> Any:
    require("pymoo", extra="pymoo", purpose="the suite moo")
    from pymoo.problems import get_problem

    sizes = {"n_var": d} if family == "zdt" else {"n_var": d, "n_obj": m}
    try:
        return get_problem(f"{family}{number}", **sizes)
    except (ValueError, AssertionError) as error:
        raise InputError(f"{family}{number} has no form with {d} variables and {m} objectives: {error}") from error


def _nadir(family: str, number: int, m: int) -> Rows:
    """(m,): the worst of each objective on the front."""
    if family == "wfg":
        return 2.0 * np.arange(1.0, m + 1)
    if family == "dtlz":
        return np.append(np.full(m - 1, _SEVENTH), 2.0 * m) if number == 7 else np.full(m, 0.5 if number == 1 else 1.0)
    return np.array([0.8518328654, 1.0]) if number == 3 else np.ones(2)


def _front(source: Any, family: str, number: int, m: int) -> Rows:
    """(p, m): rows of the true front."""
    if family == "zdt":
        return np.asarray(source.pareto_front(500), dtype=float)
    if family == "dtlz" and number < 7:
        return np.asarray(source.pareto_front(_directions(m)), dtype=float)
    if family == "wfg" and number >= 4:
        sphere = _directions(m)
        return np.asarray(sphere / np.linalg.norm(sphere, axis=1, keepdims=True) * _nadir(family, number, m))
    return _convex_mixed() if number == 1 else _sampled(source, family, m)


def _convex_mixed() -> Rows:
    """wfg1 with two objectives. Its bias y^0.02 makes a rounding error of the distances a long way: not sampled."""
    t = np.linspace(0.0, 1.0, _ROWS)
    mixed = 1.0 - t - np.cos(10.0 * np.pi * t + 0.5 * np.pi) / (10.0 * np.pi)
    return np.column_stack([2.0 * (1.0 - np.cos(0.5 * np.pi * t)), 4.0 * mixed])


def _sampled(source: Any, family: str, m: int) -> Rows:
    """Evaluated at a grid of positions with the distances at their best: 0 in dtlz7, 0.35 of the box in wfg2."""
    side = np.linspace(0.0, 1.0, _ROWS if m == 2 else 120)
    grid = np.stack(np.meshgrid(*[side] * (m - 1), indexing="ij"), axis=-1).reshape(-1, m - 1)
    if family == "dtlz":
        X = np.hstack([grid, np.zeros((len(grid), source.n_var - m + 1))])
    else:
        positions = np.repeat(grid, source.k // (m - 1), axis=1)
        X = np.hstack([positions, np.full((len(grid), source.l), 0.35)]) * source.xu
    F = np.asarray(source.evaluate(X, return_values_of=["F"]), dtype=float)
    F = F[nondominated(F)]
    return F[:: -(-len(F) // _ROWS)]


def _directions(m: int) -> Rows:
    """Das and Dennis' directions, as many as fit into a thousand rows."""
    from pymoo.util.ref_dirs import get_reference_directions

    partitions = 1
    while comb(m + partitions, m - 1) <= _ROWS:
        partitions += 1
    return np.asarray(get_reference_directions("das-dennis", m, n_partitions=partitions), dtype=float)
