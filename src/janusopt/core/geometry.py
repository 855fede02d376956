"""One thin SVD of J serves both uses of the Jacobian; G = JᵀJ and T = (G + λI)⁻¹ are never formed.

    J = U Σ Vᵀ
    GN step    −(G + λI)⁻¹ Jᵀ s_b  =  −V Σ/(Σ² + λ) Uᵀ s_b                                  (Eq. 2)
    trace      tr T = Σ_i 1/(σ_i² + λ) + (d − r)/(ρ + λ)                                     (for Eq. 3)
    root       T^½ ξ = ξ/√(ρ + λ) + V (1/√(σ² + λ) − 1/√(ρ + λ)) Vᵀ ξ                         (sampling)

ρ (``rest``) is the curvature outside the r directions of V: 0 for an observed Jacobian, the fitted isotropic
curvature for the newton chart, whose J has rows in every direction but only r of them are special.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.metric import Metric


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """``G = rest (I − VVᵀ) + V diag(curvature) Vᵀ``: curvature (r,) = σ² ≥ 0, Vt (r, d) orthonormal rows.

    ``doubt`` is the size of curvatures that may be no more than the error of a fit.
    """

    curvature: Vec
    Vt: Rows
    rest: float = 0.0
    doubt: float = 0.0

    @classmethod
    def of_jacobian(cls, J: Rows) -> Geometry:
        """From J (m, d) by the thin SVD, directions below rounding dropped."""
        _, sv, Vt = np.linalg.svd(J, full_matrices=False)
        keep = sv > (sv[0] if len(sv) else 0.0) * max(J.shape) * np.finfo(float).eps
        return cls(sv[keep] ** 2, Vt[keep])

    @property
    def d(self) -> int:
        return int(self.Vt.shape[1])

    @property
    def rank(self) -> int:
        return len(self.curvature)

    def split(self, slope: Vec) -> tuple[Vec, Vec | None]:
        """A slope's coordinates along V (r,) and what is left outside (d,); None when that is only rounding.

        ``Jᵀs`` lies in span(V); dividing its rounding error by a small λ would make a step of noise.
        """
        along = self.Vt @ slope
        outside = slope - along @ self.Vt
        return along, outside if norm(outside) > 1e-9 * norm(slope) else None

    def descend(self, slope: Vec, damping: float) -> Vec:
        """``−(G + λI)⁻¹ slope`` (d,) with slope = Jᵀ s_b: the damped GN step (Eq. 2)."""
        along, outside = self.split(slope)
        inside = -(along / (self.curvature + damping)) @ self.Vt
        return inside if outside is None else inside - outside / (self.rest + damping)

    def product(self, v: Vec, damping: float) -> Vec:
        """``(G + λI) v`` (d,)."""
        along = self.Vt @ v
        return (along * (self.curvature - self.rest)) @ self.Vt + (self.rest + damping) * v

    def gn_step(self, J: Rows, s_b: Vec, damping: float) -> Vec:
        """Eq. 2 as printed: ``−(JᵀJ + λI)⁻¹ Jᵀ s_b``."""
        return self.descend(s_b @ J, damping)

    def damping_for(self, slope: Vec, radius: float, least: float = 1e-10) -> float:
        """Smallest damping whose step fits the radius (the trust-region form of λ), by bisection on a scalar.

        ``least`` is relative to the largest curvature, so that a singular G still has a step.
        """
        along, outside = self.split(slope)
        rest = 0.0 if outside is None else float(outside @ outside)
        top = max(float(self.curvature.max(initial=0.0)), self.rest)
        if top <= 0.0:
            return norm(slope) / radius
        low = least * top

        def length(lam: float) -> float:
            inside = along / (self.curvature + lam)
            return float(np.sqrt(inside @ inside + rest / (self.rest + lam) ** 2))

        if length(low) <= radius:
            return low
        high = max(top, 2.0 * norm(slope) / radius)
        for _ in range(40):
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if length(middle) > radius else (low, middle)
            if high < 1.01 * low:
                break
        return high

    def inverse_trace(self, damping: float) -> float:
        """``tr T``."""
        return float(np.sum(1.0 / (self.curvature + damping)) + (self.d - self.rank) / (self.rest + damping))

    def sample(self, xi: Rows, damping: float) -> Rows:
        """``T^½ ξ`` for standard normal rows ξ (k, d)."""
        out = 1.0 / np.sqrt(self.rest + damping)
        inner = 1.0 / np.sqrt(self.curvature + damping)
        return np.asarray(xi * out + ((xi @ self.Vt.T) * (inner - out)) @ self.Vt)

    def metric(self, damping: float) -> Metric:
        """``T = (G + λI)⁻¹`` as a :class:`Metric`, for hosts that own a covariance."""
        return Metric(self.Vt.T, 1.0 / (self.curvature + damping), 1.0 / (self.rest + damping))
