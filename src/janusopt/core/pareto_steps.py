"""Candidates near a non-dominated anchor: one function per source of multi-objective infill.

They may lie outside the box. ``differential`` and the controls ``snap`` and ``scatter`` need no model. The others share
a :class:`LocalModel`, the objectives fitted in dual form about the anchor on its nearest rows; z is zero there and the
rows lie at a root mean square distance of √d.

    newton   −(|H| + δI)⁻¹ (g + Hv) from v,  g = Jᵀw*,  H = Σ w*_j H_j,  w* the common descent weights
    gn       −(JᵀJ + λI)⁻¹ Jᵀ(s_a − aspiration): Eq. 2 towards a point near the anchor, not to the ideal point, which
             would draw a disconnected front into one of its parts
    cmix     √(1−w) ξ₁ + √(w d/tr T) T^½ ξ₂: Eq. 3 as samples
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.common_descent import descent_weights
from janusopt.core.dual import DualFit, Workspace, fit_dual
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.spectrum import krylov, saddle_free


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
    weights = np.ones(len(Z))
    fits = []
    for j in range(S.shape[1]):
        fit = fit_dual(Z, S[:, j], weights, ridge=ridge, q=1.0 if quadratic else 0.0, score=quadratic, work=work)
        if fit is None:
            return None
        fits.append(fit)
    J = np.stack([fit.gradient() for fit in fits])
    return LocalModel(frame, anchor, reach, tuple(fits), J, min(fit.loo for fit in fits))


def differential(anchors: Rows, front: Rows, pool: Rows, rng: np.random.Generator, *, crossover: float) -> Rows:
    """``x = a + F (x_r − x_s)`` on a random subset of the coordinates (binomial crossover, at least one).

    Half of the differences are between rows of the front (along it), half between recent rows; F ~ U(0.2, 0.8).
    """
    k, d = anchors.shape
    along = rng.random(k) < 0.5
    pairs = np.empty((2, k, d))
    for rows, chosen in ((front, along), (pool, np.logical_not(along))):
        n = int(np.count_nonzero(chosen))
        r = rng.integers(len(rows), size=n)
        s = (r + rng.integers(1, max(len(rows), 2), size=n)) % len(rows)
        pairs[0, chosen], pairs[1, chosen] = rows[r], rows[s]
    factor = rng.uniform(0.2, 0.8, size=(k, 1))
    take = rng.random((k, d)) < crossover
    take[np.arange(k), rng.integers(d, size=k)] = True
    return np.asarray(anchors + np.where(take, factor * (pairs[0] - pairs[1]), 0.0))


def snap(anchors: Rows, lower: Vec, upper: Vec, rng: np.random.Generator) -> Rows:
    """The anchors (k, d) with one to three coordinates put on a bound: a control that knows only the box."""
    k, d = anchors.shape
    order = rng.random((k, d)).argsort(axis=1).argsort(axis=1)
    bound = np.where(rng.random((k, d)) < 0.5, lower, upper)
    take = (order < rng.integers(1, 4, size=(k, 1))) & np.isfinite(bound)
    return np.where(take, bound, anchors)


def scatter(frame: Frame, k: int, rng: np.random.Generator) -> Rows:
    """k draws from the host's own scale about its centre: a control that knows only the frame."""
    return np.asarray(frame.mean + frame.sigma * frame.color(rng.standard_normal((k, frame.d))))


def newton(model: LocalModel, front: Rows, k: int, rng: np.random.Generator) -> Rows:
    """k points: the common-descent Newton step, then ones that start from a bounded move v towards a front point."""
    fit = model.weighted(descent_weights(model.J))
    g = fit.gradient()
    if not norm(g) > 0.0:
        return np.empty((0, fit.d))
    geometry = saddle_free(fit) if fit.d <= 40 else krylov(fit, 20)
    top = max(float(geometry.curvature.max(initial=0.0)), geometry.rest)
    radius = np.sqrt(fit.d)
    V = np.zeros((k, fit.d))
    if k > 1:
        V[1:] = _within(model.to_z(front[rng.integers(len(front), size=k - 1)]), 0.5 * radius)
    steps = [geometry.descend(g + _curved(fit, v), 0.05 * top + 1e-300) for v in V]
    return model.to_x(V + _within(np.stack(steps), radius))


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


def _curved(fit: DualFit, v: Vec) -> Vec:
    """``H v``."""
    return np.asarray(fit.h0 * v + (fit.curvature * (fit.Z @ v)) @ fit.Z)


def _within(Z: Rows, radius: float) -> Rows:
    """Rows of Z (k, d) no longer than the radius."""
    length = np.sqrt(np.einsum("kd,kd->k", Z, Z))
    return np.asarray(Z * np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None])
