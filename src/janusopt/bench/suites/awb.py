"""Automatic white balance: calibrate a camera's estimate of the light on 111 scenes, as an open stand-in for a
proprietary task of the same size.

The estimate is a weighted mean of a scene's pixels, then a colour matrix. A pixel's weight is a product of three table
entries: by chromaticity (33 × 33), by luma (16) and by zone of the picture (21). With the nine of the matrix these are
d = 1135 variables, tables as logarithms, zero the camera as built: plain mean and unit matrix. The d = 119 sibling has
tables of 9 × 9 and 8. Components are the scenes' reproduction angles in degrees, f their mean.

Problem ``fit`` is judged on its own scenes; ``transfer`` fits the same ones and is judged on 111 others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from janusopt.bench.picture import Profile
from janusopt.bench.problem import Problem
from janusopt.bench.suites.scenes import PIXELS, Scenes, scenes
from janusopt.bench.task import Task
from janusopt.core.arrays import Index, Rows, Vec, frozen
from janusopt.errors import InputError

SCENES = 111
ZONES = 21
TABLES = {1135: (33, 16), 119: (9, 8)}  # d: chromaticities a side, steps of luma
_BOX = 2.5
_MATRIX = 0.1  # of a variable in the colour matrix
_CENTRE, _REACH = np.array([0.1, -0.9]), np.array([1.2, 1.8])  # of log(r/g) and log(b/g) in the table
_LUMA = 2.0  # mean pixels: the brightest step


@dataclass(frozen=True, slots=True, eq=False)
class WhiteBalance:
    """Tables of ``side``² chromaticities and ``steps`` of luma, over scenes whose pixels know their entries."""

    side: int
    steps: int
    light: Rows  # (m, 3)
    pixels: Rows  # (m, 512, 4), the last column ones, so that one product gives sums and weights
    chroma: Index  # (m, 512)
    place: Index  # (m, 512): luma · ZONES + zone

    def __call__(self, X: Rows) -> tuple[Vec, Rows]:
        """Mean (k,) and reproduction angles (k, m) in degrees of rows X (k, d)."""
        R = np.array([self._angles(x) for x in X]).reshape(len(X), len(self.light))
        return R.mean(axis=1), R

    def _angles(self, x: Vec) -> Vec:
        entries = self.side**2
        chroma, luma, matrix, zone = np.split(x, np.cumsum([entries, self.steps, 9]))
        weight = np.exp(chroma)[self.chroma]
        weight *= np.exp(luma[:, None] + zone).ravel()[self.place]
        total = (weight[:, None, :] @ self.pixels)[:, 0]
        seen = total[:, :3] / total[:, 3:] @ (np.eye(3) + _MATRIX * matrix.reshape(3, 3)).T
        neutral = self.light / np.maximum(seen, 1e-6)
        cosine = neutral.sum(axis=1) / np.sqrt(3.0 * (neutral**2).sum(axis=1))
        return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def white_balance(dimension: int, drawn: Scenes) -> WhiteBalance:
    """The pipeline of a size over these scenes."""
    if dimension not in TABLES:
        raise InputError(f"awb has d = {' and '.join(map(str, sorted(TABLES)))}, got {dimension}")
    side, steps = TABLES[dimension]
    C = drawn.pixels
    ratios = (np.log(C[..., [0, 2]] / C[..., 1:2]) - _CENTRE) / _REACH
    cells = np.clip(np.round((0.5 + 0.5 * ratios) * (side - 1)), 0, side - 1).astype(np.intp)
    level = C.sum(axis=2) / (_LUMA * C.sum(axis=2).mean(axis=1, keepdims=True))
    luma = np.clip((level * steps).astype(np.intp), 0, steps - 1)
    zone = np.arange(PIXELS) * ZONES // PIXELS
    wide = np.concatenate([C, np.ones((*C.shape[:2], 1))], axis=2)
    return WhiteBalance(side, steps, drawn.light, wide, cells[..., 0] * side + cells[..., 1], luma * ZONES + zone)


def _cameras(task: Task) -> tuple[WhiteBalance, WhiteBalance]:
    """On the scenes of an instance, and on held-out ones from a stream of their own."""
    fitted, others = (
        white_balance(task.dimension, scenes(SCENES, np.random.default_rng([task.instance, part]))) for part in (1, 2)
    )
    return fitted, others


def build(task: Task, seed: int) -> Problem:  # noqa: ARG001 - evaluations are not noisy
    """The scenes of an instance, judged on them or on the held-out ones."""
    if task.problem not in ("fit", "transfer"):
        raise InputError(f"the problems of awb are fit and transfer, got {task.problem!r}")
    camera, others = _cameras(task)

    def held_out(X: Rows) -> Vec:
        return others(X)[0]

    edge = np.full(task.dimension, _BOX)
    judge = held_out if task.problem == "transfer" else None
    return Problem(frozen(-edge), frozen(edge), camera, judge=judge, start=frozen(0.0 * edge))


def pictures(task: Task, found: Mapping[str, Vec]) -> dict[str, Profile]:
    """The angle of every scene, before and after calibration."""
    rows = {"as built": np.zeros(task.dimension), **found}
    return {
        title: Profile(
            "scene, by its error",
            "reproduction angle in degrees",
            {name: camera(np.asarray(x, dtype=float)[None, :])[1][0] for name, x in rows.items()},
        )
        for title, camera in zip(("fitted scenes", "held-out scenes"), _cameras(task), strict=True)
    }
