"""Terrain: a seeded height map with vertical threats, a start and a goal, after the published UAV benchmark's recipe.

The 56 original maps are not obtainable. These follow the same generator: a few points spawn children ever closer to
them, whose heights and roughness scatter ever less about what is there. Heights are rounded to the centimetre, so that
machines whose last bits differ still fly over the same ground. Between grid points the ground is bilinear.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import LinearNDInterpolator

from janusopt.core.arrays import Rows, Vec, frozen
from janusopt.threads import SingleThread

SIZE = 900  # grid points a side, a metre apart
DANGER = 11.0  # metres around a threat where flying costs: the drone's size and ten of respect
_BASE, _ROUNDS, _CHILDREN = 130.0, 8, 3
_ROOM = 20.0  # metres that start and goal keep from the danger zones
_CELL = 10  # metres a side of the cells in which a clear route is looked for


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """heights (900, 900) by y, x; threats (k, 3) as x, y, radius; start and goal (2,)."""

    heights: NDArray[np.float32]
    threats: Rows
    start: Vec
    goal: Vec

    def ground(self, x: Vec, y: Vec) -> Vec:
        """Height under points x, y ∈ [1, 900], of any shape."""
        column, row = np.clip(x - 1.0, 0.0, SIZE - 1.001), np.clip(y - 1.0, 0.0, SIZE - 1.001)
        j, i = column.astype(np.intp), row.astype(np.intp)
        u, v = column - j, row - i
        flat, corner = self.heights.ravel(), i * SIZE + j
        near = flat[corner] * (1.0 - u) + flat[corner + 1] * u
        far = flat[corner + SIZE] * (1.0 - u) + flat[corner + SIZE + 1] * u
        return np.asarray(near * (1.0 - v) + far * v)


@lru_cache(maxsize=28)
def relief(seed: int) -> NDArray[np.float32]:
    """The height map (900, 900) of a seed; some seconds, once a process."""
    rng = np.random.default_rng([seed, 1])
    roughness, variety = rng.uniform(-200.0, 400.0), rng.uniform(100.0, 900.0)
    first = int(rng.integers(1, 5))
    points = rng.standard_normal((first, 2))
    normals = rng.standard_normal((first, 2))
    values = np.array([_BASE, roughness]) + normals * [roughness, variety]  # height, local roughness
    for k in range(1, _ROUNDS + 1):
        parents = np.repeat(np.arange(len(points)), _CHILDREN)
        angle, distance = rng.uniform(0.0, 2.0 * np.pi, len(parents)), 0.75**k * (1.0 + rng.random(len(parents)))
        born = points[parents] + distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        inherited = _interpolated(points, values, born, values[parents])
        normals = 0.5**k * rng.standard_normal((len(parents), 2))
        rough = inherited[:, 1] + variety * normals[:, 1]
        height = inherited[:, 0] + rough * normals[:, 0]
        points, values = np.vstack([points, born]), np.vstack([values, np.column_stack([height, rough])])
    points = (points - np.median(points, axis=0)) / points.std(axis=0)
    axis = np.linspace(-1.0, 1.0, SIZE)
    grid = np.column_stack([np.tile(axis, SIZE), np.repeat(axis, SIZE)])
    heights = _interpolated(points, values[:, :1], grid, np.full((SIZE * SIZE, 1), _BASE))
    fixed = np.round(heights.reshape(SIZE, SIZE), 2).astype(np.float32)
    fixed.flags.writeable = False
    return fixed


def _interpolated(points: Rows, values: Rows, at: Rows, outside: Rows) -> Rows:
    """Linear on the triangles of ``points``; ``outside`` (as long as ``at``) where there is no triangle."""
    if len(points) < 4:
        return outside
    with SingleThread()():  # SciPy calls LAPACK for every triangle: threads waited for each other most of the time
        inside = np.asarray(LinearNDInterpolator(points, values)(at))
    return np.where(np.isnan(inside), outside, inside)


@lru_cache(maxsize=56)
def terrain(seed: int, threats: int) -> Terrain:
    """The map of a seed with so many threats, drawn again until some route that never turns back is clear of them."""
    rng = np.random.default_rng([seed, 2, threats])
    while True:
        start, goal = rng.uniform(50.0, 150.0, 2), rng.uniform(750.0, 850.0, 2)
        cylinders = _cylinders(rng, threats, start, goal)
        if _passable(cylinders, start, goal):
            return Terrain(relief(seed), frozen(cylinders), frozen(start), frozen(goal))


def _cylinders(rng: np.random.Generator, count: int, start: Vec, goal: Vec) -> Rows:
    found: list[Vec] = []
    while len(found) < count:
        centre, radius = rng.uniform(0.0, SIZE, 2), rng.uniform(60.0, 90.0)
        gaps = [float(np.hypot(*(centre - end))) for end in (start, goal)]
        if min(gaps) > radius + DANGER + _ROOM:
            found.append(np.array([*centre, radius]))
    return np.array(found)


def _passable(threats: Rows, start: Vec, goal: Vec) -> bool:
    """Whether steps right, up or both lead over clear cells from start to goal."""
    middle = np.arange(_CELL / 2, SIZE, _CELL)
    gap = np.hypot(middle[:, None, None] - threats[:, 0], middle[:, None] - threats[:, 1]) - threats[:, 2]
    clear = np.all(gap > DANGER, axis=2)
    (i0, j0), (i1, j1) = (start // _CELL).astype(int), (goal // _CELL).astype(int)
    reached = np.zeros_like(clear)
    reached[i0, j0] = True
    for i, j in product(range(i0, i1 + 1), range(j0, j1 + 1)):
        before = reached[i - 1, j] or reached[i, j - 1] or reached[i - 1, j - 1]
        reached[i, j] |= before and clear[i, j]
    return bool(reached[i1, j1])
