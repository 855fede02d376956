"""A symmetric positive metric in whitened coordinates, stored as its few special directions.

``T = rest · (I − V Vᵀ) + V diag(values) Vᵀ`` with V (d, k) orthonormal: what Eq. 3 needs of ``(G + λI)⁻¹``
without a d×d matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.core.arrays import Rows, Vec


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """V (d, k) orthonormal columns, values (k,) > 0 along them, rest > 0 everywhere else."""

    V: Rows
    values: Vec
    rest: float

    @property
    def d(self) -> int:
        return int(self.V.shape[0])

    @property
    def trace(self) -> float:
        """``tr T``."""
        return float(self.values.sum() + (self.d - len(self.values)) * self.rest)

    def blended(self, weight: float, low: float, high: float) -> Metric:
        """Eq. 3 in the host's whitened coordinates, where C is the identity: ``(1−w) I + w · d/tr(T) · T``.

        The factors are bounded to [low, high], so that one call changes no variance by more than that.
        """
        unit = self.trace / self.d
        values = np.clip(1.0 - weight + weight * self.values / unit, low, high)
        rest = float(np.clip(1.0 - weight + weight * self.rest / unit, low, high))
        return Metric(self.V, values, rest)

    def diagonal(self) -> Vec:
        """``diag T`` in whitened coordinates: all that a diagonal host can take."""
        return np.asarray(self.rest + np.einsum("dk,dk,k->d", self.V, self.V, self.values - self.rest))
