"""The Jacobian of many variables from few rows: which variables matter is learned along the way.

With n < d rows a ridge spreads what it saw evenly over all variables. Observed components share their variables, so J
has whole columns that hardly count, and m residuals together tell which. Each column has a prior variance of its own,

    J = argmin Σ_i w_i ‖s_i − b − J z_i‖² + ridge Σ_j ‖J_j‖²/τ_j²,        τ_j² = ‖J_j‖²/m of the last fit, and a little,

which is the plain ridge in coordinates τ ∘ z, in dual form, with the ridge of least leave-one-out error. Columns are
variables here: z must be scaled by axis, not rotated.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.core.jacobian import Centred, JacobianFit, centred

_RIDGES = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)  # in units of the mean eigenvalue of the Gram matrix
_LITTLE = 1e-3  # of the mean of τ², for variables that did not count so far
_FIRST = 3  # rounds of the first fit, which starts from equal variables


class Relevance:
    """Remembers, for each variable, the root mean square of its column of J in x."""

    def __init__(self) -> None:
        self._columns: Vec | None = None

    def fit(self, Z: Rows, S: Rows, weights: Vec, scale: Vec) -> JacobianFit | None:
        """``s ≈ b + J z`` on Z (n, d), S (n, m); ``scale`` (d,) is z's unit in x. None where S is constant."""
        data = centred(Z, S, weights)
        if data is None:
            return None
        rounds = 1 if self._columns is not None else _FIRST
        columns = np.ones(Z.shape[1]) if self._columns is None else self._columns * scale
        for _ in range(rounds):
            J, loo = _ridge(data, np.sqrt(columns**2 + _LITTLE * float((columns**2).mean())))
            if not np.all(np.isfinite(J)):
                return None
            columns = np.sqrt((J**2).mean(axis=0))
        self._columns = columns / scale
        return JacobianFit(J, data.s_bar - J @ data.z_bar, loo)


def _ridge(data: Centred, tau: Vec) -> tuple[Rows, float]:
    """J (m, d) under the prior τ (d,), and its leave-one-out R²."""
    A = data.Z * tau
    values, U = np.linalg.eigh(A @ A.T)
    values = np.maximum(values, 0.0)
    ridges = np.array(_RIDGES) * max(float(values.mean()), 1e-300)
    along = U.T @ data.S
    errors = [_left_out(data, U, values / (values + ridge), along) for ridge in ridges]
    best = int(np.argmin(errors))
    J = ((U / (values + ridges[best])) @ along).T @ A
    return J * tau, 1.0 - errors[best] / float((data.S**2).sum())


def _left_out(data: Centred, U: Rows, shrink: Vec, along: Rows) -> float:
    """Sum of squared leave-one-out errors of the ridge that shrinks by ``shrink`` along the columns of U."""
    leverage = (U**2) @ shrink + data.share
    error = (data.S - U @ (shrink[:, None] * along)) / np.maximum(1.0 - leverage, 1e-6)[:, None]
    return float((error**2).sum())
