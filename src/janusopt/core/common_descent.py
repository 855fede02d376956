"""The direction that improves every objective at once: the shortest vector in the convex hull of the gradients."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from janusopt.core.arrays import Rows, Vec


def descent_weights(J: Rows) -> Vec:
    """``argmin_{w ≥ 0, Σw = 1} |Jᵀw|²`` (m,) for gradients J (m, d), exactly.

    Non-negative least squares on ``min |Jᵀw|² + (Σw − 1)²``: along a ray w = t·u with u on the simplex the best value
    is q/(1 + q), q = |Jᵀu|², which grows with q, so that the direction of its solution is the solution on the simplex.
    """
    m = len(J)
    if m == 1:
        return np.ones(1)
    unit = float(np.sqrt((J * J).sum(axis=1).max()))
    if not unit > 0.0 or not np.isfinite(unit):
        return np.full(m, 1.0 / m)
    Q = (J / unit) @ (J / unit).T
    values, E = np.linalg.eigh(Q)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * E.T  # rootᵀ root = Q: m rows in place of d
    system = np.vstack([root, np.ones((1, m))])
    target = np.zeros(m + 1)
    target[-1] = 1.0
    w, _ = nnls(system, target)
    total = float(w.sum())
    return np.asarray(w / total) if total > 0.0 else np.full(m, 1.0 / m)
