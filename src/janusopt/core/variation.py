"""Candidates without a model: a non-dominated anchor, changed. They may lie outside the box.

differential   a + F (x_r − x_s) on some coordinates
graft          a few coordinates of a row seen earlier in the run: the way back to a part of the front that was lost
               because another one got ahead of it
leap           a few coordinates moved by the difference of two such rows: the way to the next of many minima, when all
               rows of the front sit in one and so no longer differ by the distance between two
project        a few coordinates on bounds, where the front's own rows sit on them
snap, scatter  controls that know only the box, only the host's scale
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Mask, Rows, Vec
from janusopt.core.donors import Donors
from janusopt.core.frame import Frame


def differential(anchors: Rows, front: Rows, pool: Rows, rng: np.random.Generator, *, crossover: float) -> Rows:
    """``x = a + F (x_r − x_s)`` on a random subset of the coordinates (binomial crossover, at least one).

    Half of the differences are between rows of the front (along it), half between recent rows; F ~ U(0.2, 0.8).
    """
    k, d = anchors.shape
    along = rng.random(k) < 0.5
    difference = np.empty((k, d))
    for rows, chosen in ((front, along), (pool, np.logical_not(along))):
        n = int(np.count_nonzero(chosen))
        r = rng.integers(len(rows), size=n)
        s = (r + rng.integers(1, max(len(rows), 2), size=n)) % len(rows)
        difference[chosen] = rows.take(r, axis=0) - rows.take(s, axis=0)
    factor = rng.uniform(0.2, 0.8, size=(k, 1))
    take = rng.random((k, d)) < crossover
    take[np.arange(k), rng.integers(d, size=k)] = True
    difference *= factor
    return np.asarray(anchors + np.where(take, difference, 0.0))


def graft(anchors: Rows, pool: Rows | Donors, rng: np.random.Generator, *, leaps: int = 0) -> Rows:
    """The anchors (k, d), each with one to three coordinates of a random row of the pool.

    In the last ``leaps`` of them such coordinates are moved instead, by the difference of two random rows.
    """
    k, d = anchors.shape
    stay = k - leaps
    donors, keys, last = rng.integers(len(pool), size=stay), rng.random((stay, d)), rng.integers(3, size=stay)
    if leaps:
        donors = np.concatenate([donors, rng.integers(len(pool), size=2 * leaps)])
        keys = np.concatenate([keys, rng.random((leaps, d))])
        last = np.concatenate([last, rng.integers(3, size=leaps)])
    rows = pool[donors]
    rows[stay:k] = anchors[stay:] + (rows[stay:k] - rows[k:])
    return np.where(_few(keys, last), rows[:k], anchors)


def project(anchors: Rows, front: Rows, lower: Vec, upper: Vec, rng: np.random.Generator) -> Rows:
    """The anchors (k, d) with one to three coordinates put on bounds, preferring those where most of the front sits.

    No rows where no row of the front sits on a bound.
    """
    on_lower, on_upper = front <= lower, front >= upper
    if not (on_lower.any() or on_upper.any()):
        return np.empty((0, anchors.shape[1]))
    ones = np.ones(len(front))
    low, high = ones @ on_lower / len(front), ones @ on_upper / len(front)
    sitting = low + high
    bound = np.where(rng.random(anchors.shape) * sitting < low, lower, upper)
    free = (anchors != bound) & (sitting > 0.0)
    keys = np.where(free, rng.random(anchors.shape) ** (1.0 / np.maximum(sitting, 1e-3)), -1.0)
    return np.where(_few(-keys, rng.integers(3, size=len(keys))) & free, bound, anchors)


def snap(anchors: Rows, lower: Vec, upper: Vec, rng: np.random.Generator) -> Rows:
    """The anchors (k, d) with one to three coordinates put on a bound: a control that knows only the box."""
    bound = np.where(rng.random(anchors.shape) < 0.5, lower, upper)
    few = _few(rng.random(anchors.shape), rng.integers(3, size=len(anchors)))
    return np.where(few & np.isfinite(bound), bound, anchors)


def scatter(frame: Frame, k: int, rng: np.random.Generator) -> Rows:
    """k draws from the host's own scale about its centre: a control that knows only the frame."""
    return np.asarray(frame.mean + frame.sigma * frame.color(rng.standard_normal((k, frame.d))))


def _few(keys: Rows, last: Index) -> Mask:
    """(k, d): of each row of keys (k, d) the least ones, up to the one whose rank is in ``last`` (k,)."""
    k, d = keys.shape
    least = np.sort(keys, axis=1)[np.arange(k), np.minimum(last, d - 1)]
    return np.asarray(keys <= least[:, None])
