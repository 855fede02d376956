"""What a row adds to a front: the volume it dominates that the front does not, up to a reference point.

Two objectives: exact. Under the front's staircase with steps of height y_i over [a_i, a_{i+1}), a row s adds

    Σ_i (y_i − s_2)₊ · |[a_i, a_{i+1}) ∩ [s_1, r)|.

More: the mean over a few directions u of L_u^m, where L_u is how far a ray along u leads from s before the front or
the reference point dominates its end: for the front min_a max_j (a_j − s_j)/u_j. The volume in polar coordinates about
s, sampled: proportional to it, which is all that credit needs.
"""

from __future__ import annotations

from functools import reduce
from math import sqrt

import numpy as np

from janusopt.core.arrays import Rows, Vec

_TILTS = 5  # rays beside the diagonal one, each leaning towards every fifth objective


def contributions(S: Rows, A: Rows, reference: float) -> Vec:
    """(n,): what each row of S (n, m) alone adds to the front A (k, m), both up to ``reference`` in every objective.

    A row that the front covers adds nothing, and is better left out for the time.
    """
    if S.shape[1] == 2:
        return _staircase(S, A, reference)
    return _rays(S, A, reference)


def _staircase(S: Rows, A: Rows, reference: float) -> Vec:
    A = A[np.argsort(A[:, 0])]
    start, height = np.empty(len(A) + 2), np.empty(len(A) + 1)
    start[0], start[1:-1], start[-1] = -np.inf, A[:, 0], reference
    height[0], height[1:] = reference, A[:, 1]
    np.minimum(start, reference, out=start)
    np.minimum.accumulate(height, out=height)
    width = start[1:] - np.maximum(start[:-1], S[:, :1])
    depth = height - S[:, 1:]
    np.maximum(width, 0.0, out=width)
    np.maximum(depth, 0.0, out=depth)
    width *= depth
    return np.asarray(width.sum(axis=1))


def _rays(S: Rows, A: Rows, reference: float) -> Vec:
    """With u = (h, 1, …)/|(h, 1, …)| a ray is min_a max((a_1 − s_1)/h, a_2 − s_2, …) |(h, 1, …)| long, h its lean."""
    m = S.shape[1]
    tilts = min(m, _TILTS)
    lean = max(3.0, float(tilts))
    ahead = [_most(S[:, t::tilts], A[:, t::tilts]) for t in range(tilts)]
    room = [(reference - S[:, t::tilts]).min(axis=1) for t in range(tilts)]
    lengths = np.empty((tilts + 1, len(S)))
    for t in range(tilts):
        way, limit = ahead[t] / lean, room[t] / lean
        for i in range(tilts):
            if i != t:
                np.maximum(way, ahead[i], out=way)
                np.minimum(limit, room[i], out=limit)
        leaning = len(range(t, m, tilts))
        lengths[t] = sqrt(leaning * lean**2 + m - leaning) * np.minimum(way.min(axis=1), limit)
    lengths[-1] = sqrt(m) * np.minimum(reduce(np.maximum, ahead).min(axis=1), reduce(np.minimum, room))
    return np.asarray((np.maximum(lengths, 0.0) ** m).mean(axis=0))


def _most(S: Rows, A: Rows) -> Rows:
    """(n, k): the largest of a_j − s_j over the objectives of S (n, j) and A (k, j)."""
    return reduce(np.maximum, [A[:, j] - S[:, j : j + 1] for j in range(S.shape[1])])
