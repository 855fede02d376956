"""UAV path planning: terrains t01 … t56, 15 threats on the first half and 30 on the second; odd numbers are held out.

Terrain i and terrain i + 28 share a height map. d = 30 is the published benchmark's size (ten waypoints); d = 1135 our
own variant: 378 waypoints and one cruise height. Any d = 3n or 3n + 1 works. The cost itself is the error.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from janusopt.bench.picture import Relief
from janusopt.bench.problem import Problem
from janusopt.bench.suites.flight import Flight
from janusopt.bench.suites.terrain import SIZE, terrain
from janusopt.bench.task import Task
from janusopt.core.arrays import Vec, frozen
from janusopt.errors import InputError

MAPS = 28
TERRAINS = tuple(f"t{i:02d}" for i in range(1, 2 * MAPS + 1))
HELD_OUT, TUNING = TERRAINS[::2], TERRAINS[1::2]
_MESH = 60  # points a side of the ground in a picture
_TOWER = 220.0  # metres above ground to which a threat is drawn: over every path


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


def pictures(task: Task, found: Mapping[str, Vec]) -> dict[str, Relief]:
    """The paths over ground and threats, in heights above sea."""
    plan = flight(task.problem, task.dimension)
    land, axis = plan.terrain, np.linspace(1.0, SIZE, _MESH)
    cx, cy, radius = land.threats.T
    feet = land.ground(cx, cy)
    cylinders = np.column_stack([cx, cy, radius, feet - _TOWER / 2.0, feet + _TOWER])
    paths = {name: plan.path(np.asarray(x, dtype=float)[None, :])[0] for name, x in found.items()}
    above = {name: np.column_stack([P[:, :2], P[:, 2] + land.ground(P[:, 0], P[:, 1])]) for name, P in paths.items()}
    return {"": Relief(axis, axis, land.ground(*np.meshgrid(axis, axis)), cylinders, above)}
