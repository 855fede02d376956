"""Gauss–Newton from the best row, in a trust region of its own.

Where residuals are observed the best row's are known exactly, and a linear model of them is wrong by the square of the
distance from it. So rows count by their distance from the best one and the region's radius,

    J = argmin Σ_i w_i ‖s_i − s_b − J(z_i − z_b)‖² + ridge ‖J‖²,        w_i = 1/(‖z_i − z_b‖² + radius²)²,

with the ridge of least leave-one-out error, and the radius follows what a step promised and what it brought. Components
r ≥ 0 with f = mean(r) are weighted so that ‖s‖² has the slope of f at the best row: s = r/√r_b, linear in r. All of it
happens in x, so that what the host does to its coordinates between two steps does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.evaluations import Evaluations
from janusopt.core.evidence import Smoothed
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.proposals import in_box
from janusopt.core.trace import Window

_RIDGES = (1e-10, 1e-6, 1e-3, 1e-1)  # in units of the largest squared singular value
_SMALL = 0.01  # of the mean component: what counts as zero when they are weighted
_GOOD, _POOR = 0.5, 0.1  # of the promised decrease: the region grows from the one on, shrinks below the other
_RATE = 0.1  # of what the last step says of the next
_NARROWEST, _WIDEST = 1e-3, 2.0  # radius in units of √d whitened
_TRIES = (1.0, 0.5, 0.25, 0.125)  # of the radius, until the host takes the row


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best row so far: x (d,), its value and components (m,)."""

    x: Vec
    f: float
    r: Vec


class TrustRegion:
    """One candidate a generation, and what came of it.

    A region goes by f. With ``merit`` it goes by the sum of the components: where f has steps that they smooth out,
    that leads through rows that are no better yet.
    """

    def __init__(self, *, merit: bool = False) -> None:
        self._merit = merit
        self._kept = Smoothed(_RATE, 1.0)
        self._best: Best | None = None
        self._radius = 0.0  # in units of σ = 1
        self._asked: tuple[float, float] | None = None  # promised decrease of f, length of the step

    def observe(self, X: Rows, evals: Evaluations, answer: int | None) -> None:
        """Rows (n, d) with components; ``answer`` is the row that the last candidate became."""
        if evals.components is None:
            return
        values = evals.components.sum(axis=1) if self._merit else evals.f
        f = np.where(evals.failed, np.inf, values)
        if self._asked is not None and answer is not None and answer < len(f) and self._best is not None:
            self._judge(self._best.f - float(f[answer]), *self._asked)
        self._asked = None
        b = int(np.argmin(f))
        if np.isfinite(f[b]) and (self._best is None or f[b] < self._best.f):
            self._best = Best(X[b].copy(), float(f[b]), evals.components[b].copy())

    @property
    def best(self) -> Vec:
        """Where the next step starts, (d,); empty before the first row."""
        return np.empty(0) if self._best is None else self._best.x

    @property
    def kept(self) -> float:
        """How often a step brought some of what it promised, discounted."""
        return self._kept.value

    def _judge(self, brought: float, promised: float, length: float) -> None:
        self._kept.add(float(brought > _POOR * promised))
        if brought > _GOOD * promised:
            self._radius = max(self._radius, 2.0 * length)
        elif not brought > _POOR * promised:
            self._radius = 0.5 * min(self._radius, 1.5 * length)

    def candidate(self, frame: Frame, window: Window, *, residuals: bool, kappa: float) -> Vec | None:
        """The row (d,) to try next, within κ times the host's reach (:attr:`Frame.reach`); None where there is none."""
        best = self._best
        if best is None or window.S is None or len(window) <= frame.d:
            return None
        here = replace(frame, mean=best.x, warp=None)
        unit = frame.sigma * float(np.sqrt(frame.d))
        self._radius = float(np.clip(self._radius or _WIDEST * unit, _NARROWEST * unit, _WIDEST * unit))
        radius = self._radius / frame.sigma
        R, r_b = _scaled(window.S, best.r, residuals)
        J = local_jacobian(here.to_z(window.X), R - r_b, radius)
        if J is None:
            return None
        weight = np.ones(len(r_b)) if residuals else 1.0 / np.sqrt(np.maximum(r_b, _SMALL * r_b.mean() + 1e-300))
        Jw, s_b = J * weight[:, None], r_b * weight
        geometry, slope = Geometry.of_jacobian(Jw), s_b @ Jw
        if not norm(slope) > 0.0:
            return None
        for shorter in _TRIES:
            step, damping = geometry.step_within(slope, shorter * radius)
            step = in_box(here, np.zeros(frame.d), step, slope, geometry, damping)
            x = here.from_z(step)
            promised = abs(best.f) * _fall(r_b, r_b + J @ step, residuals)
            if not promised > 0.0 or not np.all(np.isfinite(x)) or np.array_equal(x, best.x):
                return None
            near = frame.clip(x, kappa * frame.reach)
            if near is x:
                self._asked = promised, norm(step) * frame.sigma
                break
        return near


def local_jacobian(Z: Rows, S: Rows, radius: float) -> Rows | None:
    """J (m, d) of ``s ≈ J z`` about the origin, on rows Z (n, d) and S (n, m) that count by 1/(‖z‖² + radius²)²."""
    squares = np.einsum("nd,nd->n", Z, Z)
    apart = squares > 1e-24 * float(squares.max(initial=0.0))
    if apart.sum() < 2 or not np.all(np.isfinite(squares)):
        return None
    root = 1.0 / (squares[apart] + radius**2)
    root /= root.max()
    A, B = Z[apart] * root[:, None], S[apart] * root[:, None]
    if not np.all(np.isfinite(B)):
        return None
    U, sv, Vt = np.linalg.svd(A, full_matrices=False)
    along, power = U.T @ B, U**2
    shrinks = [sv**2 / (sv**2 + ridge * sv[0] ** 2) for ridge in _RIDGES]
    errors = []
    for shrink in shrinks:
        kept = np.maximum(1.0 - power @ shrink, 1e-9)[:, None]
        errors.append(float((((B - U @ (shrink[:, None] * along)) / kept) ** 2).sum()))
    shrink = shrinks[int(np.argmin(errors))]
    J = ((shrink / np.maximum(sv, 1e-300))[:, None] * along).T @ Vt
    return J if np.all(np.isfinite(J)) else None


def _scaled(R: Rows, r_b: Vec, residuals: bool) -> tuple[Rows, Vec]:
    """Components (n, m) and the best row's (m,) with numbers of order one, and those that go below zero from there."""
    unit = max(float(np.abs(R).max(initial=0.0)), float(np.abs(r_b).max(initial=0.0))) or 1.0
    R, r_b = R / unit, r_b / unit
    if residuals:
        return R, r_b
    down = np.minimum(np.minimum(R.min(axis=0), r_b), 0.0)
    return R - down, r_b - down


def _fall(r_b: Vec, r_new: Vec, residuals: bool) -> float:
    """The share of f that goes when the components do so."""
    before, after = (float((r**2).sum() if residuals else np.abs(r).sum()) for r in (r_b, r_new))
    return 1.0 - after / before if before > 0.0 else 0.0
