"""Regions along a front: one at each of its ends and one in its middle, each about the best row for a weighted sum.

    value(x) = wᵀS(x),   S = (F − ideal)/(nadir − ideal),   w = (1, ε, …, ε), …, (ε, …, ε, 1), (1, …, 1)

A row's objectives are kept, not its value: the scale of S moves with the front. Each region has a memory of its own, as
the rows near it are few among those of a generation; one region is served at a time, in turn. What lies on the front
between them is left to steps along it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.frame import Frame
from janusopt.core.front import Front
from janusopt.core.memory import Memory
from janusopt.core.region import Region, Step
from janusopt.core.trace import Window

FEWEST = 4  # rows that a fit is made for, where there are slots for them
_LEAST = 0.01  # ε
_MEMORY, _NUMBERS, _SHORTEST = 600, 1_000_000, 50  # rows near a region, as long as they hold no more numbers than that


@dataclass(slots=True, eq=False)
class _Post:
    """A region with its weights (m,), the rows near it, where it lies and what it asked."""

    weights: Vec
    region: Region
    memory: Memory
    centre: Vec = field(default_factory=lambda: np.empty(0))
    asked: _Asked | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The step as a row x (d,); a row's value, up to a constant, is Fᵀ``unit`` in the scale of then."""

    x: Vec
    step: Step
    unit: Vec
    before: float


class Regions:
    """For m objectives and d variables."""

    def __init__(self, m: int, d: int, config: JanusConfig | None = None) -> None:
        ends = np.where(np.eye(m, dtype=bool), 1.0, _LEAST)
        W = np.concatenate([ends, np.ones((1, m))])
        memory = min(_MEMORY, max(_NUMBERS // d, _SHORTEST))
        config = config or JanusConfig()
        self._posts = [_Post(w / w.sum(), Region(config), Memory(memory)) for w in W]
        self._turn = 0

    def observe(self, X: Rows, F: Rows) -> None:
        """Rows X (n, d) with objectives F (n, m): what came of the steps among them."""
        for post in self._posts:
            if post.asked is None:
                continue
            for i in np.flatnonzero(X[:, 0] == post.asked.x[0]):
                if np.array_equal(X[i], post.asked.x):
                    post.region.judge(post.asked.before - float(_values(F[i], post.asked.unit)), post.asked.step)
                    post.asked = None
                    break

    def rows(self, frame: Frame, front: Front, recent: Window, count: int, rng: np.random.Generator) -> Rows:
        """(≤ count, d): the next region's step and samples; with fewer than four of them a random choice."""
        post = self._posts[self._turn % len(self._posts)]
        self._turn += 1
        unit = post.weights / front.span
        values = _values(front.F, unit)
        best = int(np.argmin(values))
        centre = front.X[best]
        if not np.array_equal(centre, post.centre):
            post.centre = centre.copy()
            post.region.move(post.centre, theirs=True)
        Z = post.memory.look(recent, post.region.here)
        near = post.memory.window()
        if near.S is None:
            return np.empty((0, frame.d))
        f = _values(near.S, unit) - values[best]
        offer = post.region.offer(frame, post.centre, near.X, f, max(count, FEWEST), rng, Z)
        X = offer.frame.from_z(offer.Z)
        post.asked = None
        if offer.step is not None:
            x = offer.frame.from_z(offer.step.z)
            post.asked = _Asked(x, offer.step, unit, float(values[best]))
            X = np.concatenate([x[None, :], X])
        return X if len(X) <= count else X[rng.permutation(len(X))[:count]]


def _values(F: Rows, unit: Vec) -> Vec:
    """``F unit``: wᵀS up to a constant; infinite beyond the largest float, and then there is no fit."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(F @ unit)
