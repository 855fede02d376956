"""Candidates from a model near a non-dominated anchor: one function per source. They may lie outside the box.

They share a :class:`LocalModel`, the objectives fitted in dual form about the anchor on its nearest rows; z is zero
there and the rows lie at a root mean square distance of √d.

    newton   −(|H| + δI)⁻¹ g,  g = Jᵀw,  H = Σ w_j H_j,  w the common descent weights, or between them and random ones
    gn       −(JᵀJ + λI)⁻¹ Jᵀ(s_a − aspiration): Eq. 2 towards a point near the anchor, not to the ideal point, which
             would draw a disconnected front into one of its parts
    cmix     √(1−w) ξ₁ + √(w d/tr T) T^½ ξ₂: Eq. 3 as samples
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.core.common_descent import descent_weights
from janusopt.core.dual import DualFit, Workspace, fit_duals
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.spectrum import krylov

_DENSE = 40  # variables up to which whole Hessians are cheaper than Krylov spaces
_DAMPING = 0.05  # of a Newton step, in units of the largest curvature


@dataclass(frozen=True, slots=True, eq=False)
class LocalModel:
    """Quadratics of all objectives about an anchor (d,): one fit per objective, J (m, d) at the anchor.

    ``reach`` turns z into the frame's whitened units. ``loo`` is the worst objective's leave-one-out R².
    """

    frame: Frame
    anchor: Vec
    reach: float
    fits: tuple[DualFit, ...]
    J: Rows
    loo: float

    def to_x(self, Z: Rows) -> Rows:
        """z (k, d) about the anchor as points x."""
        return np.asarray(self.anchor + self.frame.sigma * self.reach * self.frame.color(Z))

    def to_z(self, X: Rows) -> Rows:
        """The inverse of :meth:`to_x`."""
        return np.asarray(self.frame.whiten(X - self.anchor) / (self.frame.sigma * self.reach))

    def weighted(self, w: Vec) -> DualFit:
        """``Σ_j w_j ŷ_j`` as one fit: the objectives share Z, so their dual weights add."""
        alpha = np.asarray(sum(wj * fit.alpha for wj, fit in zip(w, self.fits, strict=True)))
        beta = np.asarray(sum(wj * fit.beta for wj, fit in zip(w, self.fits, strict=True)))
        return replace(self.fits[0], alpha=alpha, beta=beta)


def local_model(
    frame: Frame, anchor: Vec, X: Rows, S: Rows, *, ridge: float, quadratic: bool, work: Workspace
) -> LocalModel | None:
    """Fit every objective S (n, m) on the rows X (n, d) about the anchor; None where the rows cannot carry it."""
    Z = frame.whiten(X - anchor)
    Z /= frame.sigma
    reach = float(np.sqrt(np.einsum("nd,nd->", Z, Z) / Z.size))
    if not reach > 0.0 or not np.isfinite(reach):
        return None
    Z /= reach
    fits = fit_duals(Z, S, np.ones(len(Z)), ridge=ridge, q=1.0 if quadratic else 0.0, score=quadratic, work=work)
    if fits is None:
        return None
    J = np.stack([fit.gradient() for fit in fits])
    return LocalModel(frame, anchor, reach, fits, J, min(fit.loo for fit in fits))


def newton(model: LocalModel, k: int, rng: np.random.Generator) -> Rows:
    """k points: the step that improves all objectives at once, then steps for weights between its own and random ones.

    The latter lead to other points of the model's Pareto set, along the front as far as the radius lets them.
    """
    common = descent_weights(model.J)
    others = 0.5 * (common + rng.dirichlet(np.ones(len(common)), size=k - 1))
    W = np.vstack([common, others])
    d = len(model.anchor)
    steps = _dense_steps(model, W) if d <= _DENSE else np.stack([_krylov_step(model.weighted(w)) for w in W])
    return model.to_x(_within(steps, np.sqrt(d)))


def gn(model: LocalModel, s_b: Rows, damping: float, kappa: float) -> Rows:
    """Eq. 2 for each row of ``s_b`` (k, m): the anchor's residual s_a − aspiration in the fits' units."""
    geometry = Geometry.of_jacobian(model.J)
    steps = np.stack([geometry.gn_step(model.J, s, damping) for s in s_b])
    return model.to_x(_within(steps, kappa * np.sqrt(len(model.anchor))))


def cmix(model: LocalModel, k: int, weight: float, damping: float, rng: np.random.Generator) -> Rows:
    """k samples about the anchor: the population's spread mixed with T = (JᵀJ + λI)⁻¹, equal traces."""
    d = len(model.anchor)
    geometry = Geometry.of_jacobian(model.J)
    xi = rng.standard_normal((2, k, d))
    share = np.sqrt(weight * d / geometry.inverse_trace(damping))
    return model.to_x(np.sqrt(1.0 - weight) * xi[0] + share * geometry.sample(xi[1], damping))


def _dense_steps(model: LocalModel, W: Rows) -> Rows:
    """``−(|H| + δI)⁻¹g`` for the weights W (k, m), δ a twentieth of the largest curvature: all k at once."""
    Z, eye = model.fits[0].Z, np.eye(len(model.anchor))
    hessians = np.stack([fit.h0 * eye + (Z.T * fit.curvature) @ Z for fit in model.fits])
    values, E = np.linalg.eigh(np.tensordot(W, hessians, axes=1))
    curvature = np.abs(values)
    along = np.einsum("kd,kde->ke", W @ model.J, E)
    damped = curvature + _DAMPING * curvature.max(axis=1, keepdims=True) + 1e-300
    return np.asarray(-np.einsum("kde,ke->kd", E, along / damped))


def _krylov_step(fit: DualFit) -> Vec:
    """The same for one fit, |H| on the Krylov space of its gradient."""
    geometry = krylov(fit, 20)
    top = max(float(geometry.curvature.max(initial=0.0)), geometry.rest)
    return geometry.descend(fit.gradient(), _DAMPING * top + 1e-300)


def _within(Z: Rows, radius: float) -> Rows:
    """Rows of Z (k, d) no longer than the radius."""
    length = np.sqrt(np.einsum("kd,kd->k", Z, Z))
    return np.asarray(Z * np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None])
