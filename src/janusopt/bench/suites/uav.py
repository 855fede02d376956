"""UAV path planning: terrains t01 … t56, 15 threats on the first half and 30 on the second; odd numbers are held out.

Terrain i and terrain i + 28 share a height map. d = 30 is the published benchmark's size (ten waypoints); d = 1135 our
own variant: 378 waypoints and one cruise height. Any d = 3n or 3n + 1 works. The cost itself is the error.
"""

from __future__ import annotations

from janusopt.bench.problem import Problem
from janusopt.bench.suites.flight import Flight
from janusopt.bench.suites.terrain import terrain
from janusopt.bench.task import Task
from janusopt.core.arrays import frozen
from janusopt.errors import InputError

MAPS = 28
TERRAINS = tuple(f"t{i:02d}" for i in range(1, 2 * MAPS + 1))
HELD_OUT, TUNING = TERRAINS[::2], TERRAINS[1::2]


def flight(name: str, dimension: int) -> Flight:
    """The flight of a terrain by name in d = 3n variables, or 3n + 1 with a cruise height."""
    if name not in TERRAINS:
        raise InputError(f"a terrain is one of t01 … t{2 * MAPS}, got {name!r}")
    waypoints, rest = divmod(dimension, 3)
    if waypoints < 1 or rest > 1:
        raise InputError(f"a path has 3n variables, or 3n + 1 with a cruise height, got d = {dimension}")
    i = TERRAINS.index(name)
    return Flight(terrain(i % MAPS, 15 if i < MAPS else 30), waypoints, cruise=rest == 1)


def build(task: Task, seed: int) -> Problem:  # noqa: ARG001 - evaluations are not noisy
    """Cost and components of a terrain."""
    plan = flight(task.problem, task.dimension)
    lower, upper = plan.box
    return Problem(frozen(lower), frozen(upper), plan)
