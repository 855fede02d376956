"""What a row adds to a front: the volume it dominates that the front does not, up to a reference point.

Two objectives: exact. Under the front's staircase with steps of height y_i over [a_i, a_{i+1}), a row s adds

    Σ_i (y_i − s_2)₊ · |[a_i, a_{i+1}) ∩ [s_1, r)|.

More: the mean over a few directions u of L_u^m, where L_u is how far a ray along u leads from s before the front or
the reference point dominates its end; a ray's length is the maximin gain of :mod:`janusopt.core.dominance` in units
of u. The volume in polar coordinates about s, sampled: proportional to it, which is all that credit needs.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.core.dominance import gain

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
    m = S.shape[1]
    tilts = min(m, _TILTS)
    U = np.ones((tilts + 1, m))
    U[np.arange(m) % tilts, np.arange(m)] = max(3.0, float(tilts))
    U /= np.sqrt((U * U).sum(axis=1, keepdims=True))
    U = U[:, None, :]
    lengths = np.minimum(gain(S / U, A / U), ((reference - S) / U).min(axis=-1))
    return np.asarray((np.maximum(lengths, 0.0) ** m).mean(axis=0))
