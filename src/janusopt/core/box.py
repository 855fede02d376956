"""A model step inside a box: active bounds held, the rest re-solved. And two ways back in for points outside.

Clipping a Newton step to a box is not the Newton step of the box: on an ill-conditioned model the clipped coordinates
were counted on to balance the others. Here coordinates that leave the box are set on their bound and the model is
minimized again over the free ones,

    A_FF p_F = −(g + A p_B)_F,

by conjugate gradients (A is known only through products), for a few rounds until no free coordinate leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from janusopt.core.arrays import Mask, Rows, Vec

Edge = Literal["clip", "reflect"]


def boxed_step(
    x: Vec, step: Vec, gradient: Vec, product: Callable[[Vec], Vec], lower: Vec, upper: Vec, rounds: int = 4
) -> Vec:
    """The step (d,) from x inside the box, given the free model's step; ``product`` applies its positive Hessian A.

    A coordinate already on its bound stays there if the gradient pushes it outwards.
    """
    trial = x + step
    outside = (trial < lower) | (trial > upper)
    if not outside.any():
        return step
    pushed = ((x <= lower) & (gradient > 0)) | ((x >= upper) & (gradient < 0))
    fixed = outside | pushed
    p = np.where(pushed, 0.0, np.clip(trial, lower, upper) - x)
    for _ in range(rounds):
        if fixed.all():
            break
        p = _solve_free(p, gradient, product, fixed)
        trial = x + p
        leaving = ~fixed & ((trial < lower) | (trial > upper))
        p = np.clip(trial, lower, upper) - x
        if not leaving.any():
            break
        fixed = fixed | leaving
    return p


def _solve_free(p: Vec, gradient: Vec, product: Callable[[Vec], Vec], fixed: Mask, iterations: int = 25) -> Vec:
    """Conjugate gradients on the free coordinates, from p."""
    residual = np.where(fixed, 0.0, -(gradient + product(p)))
    direction = residual.copy()
    rr = float(residual @ residual)
    target = 1e-8 * rr
    for _ in range(iterations):
        if rr <= target or rr == 0.0:
            break
        Ad = np.where(fixed, 0.0, product(direction))
        curvature = float(direction @ Ad)
        if not curvature > 0.0:
            break
        alpha = rr / curvature
        p = p + alpha * direction
        residual = residual - alpha * Ad
        rr, old = float(residual @ residual), rr
        direction = residual + (rr / old) * direction
    return p


def returned(X: Rows, lower: Vec, upper: Vec, edge: Edge) -> Rows:
    """X (k, d) inside the box: put on the bounds they crossed, or mirrored at them, however often that takes."""
    if edge == "reflect":
        side = np.where(np.isfinite(upper - lower), upper - lower, 0.0)
        once = X + 2.0 * (np.maximum(lower - X, 0.0) - np.maximum(X - upper, 0.0))
        beyond = (side > 0.0) & ((once < lower) | (once > upper))
        turn = np.mod(X - lower, 2.0 * side, out=np.zeros_like(X), where=beyond)
        X = np.where(beyond, upper - np.abs(turn - side), once)
    return np.minimum(np.maximum(X, lower), upper)
