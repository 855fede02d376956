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
from math import sqrt

import numpy as np

from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.metric import Metric

_ROUNDING = 1e-5  # of a slope: what float32 may put outside a span that the slope lies in
_LEAST = 1e-10  # least damping over the largest curvature, so that a singular G still has a step
_OVER, _ITERATIONS = 1.005, 60


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
        if self.rank == self.d:
            return along, None
        outside = slope - along @ self.Vt
        return along, outside if norm(outside) > _ROUNDING * norm(slope) else None

    def descend(self, slope: Vec, damping: float) -> Vec:
        """``−(G + λI)⁻¹ slope`` (d,) with slope = Jᵀ s_b: the damped GN step (Eq. 2)."""
        return self._descend(*self.split(slope), damping)

    def _descend(self, along: Vec, outside: Vec | None, damping: float) -> Vec:
        inside = -(along / (self.curvature + damping)) @ self.Vt
        return inside if outside is None else inside - outside / (self.rest + damping)

    def product(self, v: Vec, damping: float) -> Vec:
        """``(G + λI) v`` (d,)."""
        along = self.Vt @ v
        return (along * (self.curvature - self.rest)) @ self.Vt + (self.rest + damping) * v

    def gn_step(self, J: Rows, s_b: Vec, damping: float) -> Vec:
        """Eq. 2 as printed: ``−(JᵀJ + λI)⁻¹ Jᵀ s_b``."""
        return self.descend(s_b @ J, damping)

    def step_within(self, slope: Vec, radius: float) -> tuple[Vec, float]:
        """The step (d,) of :meth:`damping_for`, and that damping."""
        along, outside = self.split(slope)
        damping = self._damping_for(along, outside, radius)
        return self._descend(along, outside, damping), damping

    def damping_for(self, slope: Vec, radius: float) -> float:
        """Smallest damping whose step fits the radius, up to half a percent: the trust-region form of λ."""
        return self._damping_for(*self.split(slope), radius)

    def _damping_for(self, along: Vec, outside: Vec | None, radius: float) -> float:
        """Newton's iteration on 1/length (Moré–Sorensen): concave in λ, so that from below it never passes the root.

        Each iterate is taken half a percent larger, and the first that fits is the answer.
        """
        rest = 0.0 if outside is None else float(outside @ outside)
        top = max(float(self.curvature.max(initial=0.0)), self.rest)
        enough = sqrt(float(along @ along) + rest) / radius  # a damping that fits, whatever the curvature
        if top <= 0.0:
            return enough
        damping = _LEAST * top
        for _ in range(_ITERATIONS):
            shifted, beyond = self.curvature + damping, self.rest + damping
            inside = along / shifted
            square = float(inside @ inside) + rest / beyond**2
            length = sqrt(square)
            if length <= radius:
                return damping
            fall = float(inside @ (inside / shifted)) + rest / beyond**3  # −½ d(length²)/dλ
            if not fall > 0.0:
                break
            damping = _OVER * (damping + (length / radius - 1.0) * square / fall)
        return enough

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
