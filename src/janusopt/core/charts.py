"""Charts: a window as residual coordinates s(z) with a Jacobian.

    components  observed terms: √r, or shifted, standardized, or the residuals themselves
    linear      s = aᵀz of a linear fit, measured from an aspiration level                          (1 residual)
    quadratic   s_i = √|λ_i| u_iᵀz of f̂ = zᵀAz + bᵀz + c, as printed                              (walks to the centre)
    newton      the same fit with the square completed: s_i = √|λ_i| u_iᵀ(z − z*), signed by λ_i

Every chart gives a slope ``Jᵀs`` anywhere and one :class:`Geometry` of JᵀJ. On ``newton`` the slope is ½∇f̂ and JᵀJ
is ½|H|, so that GN is the damped, saddle-free Newton step ``−(|A| + λI)⁻¹ ∇f̂/2``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import lapack

from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.dual import DualFit
from janusopt.core.geometry import Geometry
from janusopt.core.jacobian import JacobianFit
from janusopt.core.spectrum import krylov, saddle_free, weighted_gram

_LEAST = 0.01  # of the mean level of all components: what counts as zero
_KRYLOV_STEPS = 24
_KRYLOV_FROM = 64  # rows and variables: below, the complete spectrum is as cheap


class Chart(Protocol):
    """Residual coordinates of a window. ``m`` residuals, ``score`` the leave-one-out R² behind them."""

    @property
    def name(self) -> str: ...
    @property
    def m(self) -> int: ...
    @property
    def score(self) -> float: ...
    @property
    def geometry(self) -> Geometry: ...
    @property
    def rank(self) -> int:
        """Directions that its geometry has, or would have if it was not asked for."""

    def slope(self, z: Vec) -> Vec:
        """``Jᵀ s`` at z (d,)."""

    def step_within(self, slope: Vec, radius: float) -> tuple[Vec, float]:
        """The GN step (d,) from a slope with the least damping λ that keeps it within the radius, and that λ."""

    def predict(self, Z: Rows) -> Vec:
        """A number per row of Z (k, d) that ranks rows as the fitted objective does."""


@dataclass(frozen=True, slots=True, eq=False)
class ResidualChart:
    """``s(z) = b + J z`` with J (m, d), b (m,): components, linear, quadratic as printed."""

    name: str
    J: Rows
    b: Vec
    score: float
    geometry: Geometry

    @property
    def m(self) -> int:
        return len(self.b)

    @property
    def rank(self) -> int:
        return self.geometry.rank

    def slope(self, z: Vec) -> Vec:
        return (self.b + self.J @ z) @ self.J

    def step_within(self, slope: Vec, radius: float) -> tuple[Vec, float]:
        return self.geometry.step_within(slope, radius)

    def predict(self, Z: Rows) -> Vec:
        s = self.b + Z @ self.J.T
        return np.asarray(np.einsum("km,km->k", s, s))


@dataclass(frozen=True, eq=False)
class NewtonChart:
    """The dual quadratic, seen as residuals about its own stationary point.

    Its spectrum costs as much as half of the fit, so it is computed when it is first asked for, while the fit is valid:
    ``complete`` all of it, else a few Krylov directions where those do for a step. ``given`` is used in its place.
    """

    fit: DualFit
    score: float
    complete: bool = True
    given: Geometry | None = None
    name: str = "newton"

    @property
    def m(self) -> int:
        return int(min(self.fit.Z.shape))

    @property
    def rank(self) -> int:
        return self.geometry.rank if "geometry" in self.__dict__ else self.m

    @cached_property
    def geometry(self) -> Geometry:
        """|H|/2 of the fit."""
        if self.given is not None:
            return self.given
        G = saddle_free(self.fit) if self.complete or self.m < _KRYLOV_FROM else krylov(self.fit, _KRYLOV_STEPS)
        return Geometry(0.5 * G.curvature, G.Vt, 0.5 * G.rest, 0.5 * G.doubt)

    def slope(self, z: Vec) -> Vec:
        return 0.5 * self.fit.gradient(z)

    def step_within(self, slope: Vec, radius: float) -> tuple[Vec, float]:
        step = self._plain_step(slope)
        if step is not None and norm(step) <= radius:
            return step, 0.0
        return self.geometry.step_within(slope, radius)

    def _plain_step(self, slope: Vec) -> Vec | None:
        """``−(H/2)⁻¹ slope`` where H = |H|, by Cholesky: most steps near an optimum need no more than that."""
        n, d = self.fit.Z.shape
        if self.complete or n < d or d >= _KRYLOV_FROM or self.given is not None:
            return None
        H = weighted_gram(self.fit.Z, self.fit.curvature).astype(np.float64, copy=False)
        H.flat[:: d + 1] += self.fit.h0
        L, info = lapack.dpotrf(H, lower=1, clean=0)
        if info != 0:
            return None
        step, _ = lapack.dpotrs(L, -2.0 * slope, lower=1)
        return np.asarray(step)

    def predict(self, Z: Rows) -> Vec:
        return self.fit.predict(Z)


def newton_chart(fit: DualFit, score: float, complete: bool) -> NewtonChart | None:
    """None without a slope."""
    return NewtonChart(fit, score, complete) if norm(fit.gradient()) > 0.0 else None


def quadratic_chart(fit: DualFit, score: float, rank: int) -> ResidualChart:
    """As printed: ``s_i = √|λ_i| u_iᵀ z`` for the ``rank`` largest |λ_i| of A = H/2; the linear term is forgotten."""
    geometry = saddle_free(fit)
    top = np.argsort(-geometry.curvature)[:rank]
    roots = np.sqrt(0.5 * geometry.curvature[top])
    J = roots[:, None] * geometry.Vt[top]
    return ResidualChart("quadratic", J, np.zeros(len(top)), score, Geometry(roots**2, geometry.Vt[top]))


def linear_chart(a: Vec, score: float, reach: float) -> ResidualChart:
    """``s = aᵀz/‖a‖ + reach``: zero at whitened distance ``reach`` downhill of the origin (0 is the paper's form)."""
    unit = (a / max(norm(a), 1e-300))[None, :]
    return ResidualChart("linear", unit, np.array([reach]), score, Geometry(np.ones(1), unit))


def components_chart(fit: JacobianFit) -> ResidualChart:
    """Observed residual coordinates with their fitted Jacobian."""
    return ResidualChart("components", fit.J, fit.b, fit.loo, Geometry.of_jacobian(fit.J))


def residual_coordinates(R: Rows, scale: str) -> Rows:
    """Observed components R (n, m) as residuals (Eq. 1).

    sqrt: ``√r`` for r ≥ 0, so that f = ‖s‖²/m. level: ``r/√r̄`` with r̄ the mean of |r| in the window, so that the same
    holds about there, and s is as linear as r is. shifted: r above its least value in the window. standardized: that in
    units of its standard deviation. raw: r itself. auto: sqrt where every component is non-negative, shifted
    otherwise.
    """
    if scale == "raw":
        return R
    if scale == "auto":
        scale = "sqrt" if R.min() >= 0.0 else "shifted"
    if scale == "sqrt":
        return np.sqrt(np.maximum(R, 0.0))
    if scale == "level":
        level = np.abs(R).mean(axis=0)
        return np.asarray(R / np.sqrt(np.maximum(level, _LEAST * float(level.mean()) + 1e-300)))
    lifted: Rows = R - R.min(axis=0)
    if scale == "shifted":
        return lifted
    spread = R.std(axis=0)
    return np.asarray(lifted / np.where(spread > 0.0, spread, 1.0))


def moderate(S: Rows) -> Rows:
    """S (n, m), in units of its largest entry where its squares would overflow; no step depends on it."""
    largest = float(np.abs(S).max(initial=0.0))
    return S if largest == 0.0 or 1e-60 < largest < 1e60 else S / largest
