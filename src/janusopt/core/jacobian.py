"""Ridge regression of residual coordinates on z, in the window's PCA basis.

    Z = Z_r U_rᵀ,   B̂ = (Z_rᵀ W Z_r + ρI)⁻¹ Z_rᵀ W S,   J = B̂ᵀ U_rᵀ        s(z) ≈ b + J z

With fewer rows than variables the same estimate is cheaper in dual form, ``J = Sᵀ(ZZᵀ + ρW⁻¹)⁻¹ Z``, and its PCA
basis is the rows' own span; both forms agree where both apply. Leave-one-out residuals are closed-form in either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from janusopt.core.arrays import Rows, Vec


@dataclass(frozen=True, slots=True, eq=False)
class JacobianFit:
    """``s(z) ≈ b + J z``: J (m, d), b (m,), loo the weighted leave-one-out R² over all residuals."""

    J: Rows
    b: Vec
    loo: float


@dataclass(frozen=True, slots=True, eq=False)
class Centred:
    """Rows about their weighted means, times √weight: Z (n, d), S (n, m); ``share`` (n,) of the weight each row has."""

    Z: Rows
    S: Rows
    z_bar: Vec
    s_bar: Vec
    share: Vec


def centred(Z: Rows, S: Rows, weights: Vec) -> Centred | None:
    """Z (n, d) and S (n, m) for a weighted regression with an intercept; None where S is constant or not finite."""
    w = weights / weights.sum()
    z_bar, s_bar = w @ Z, w @ S
    Zc, Sc = Z - z_bar, S - s_bar
    spread = float(w @ (Sc**2).sum(axis=1))
    if not np.isfinite(spread) or spread <= 1e-28 * float((s_bar**2).sum()):
        return None
    root = np.sqrt(weights)[:, None]
    return Centred(Zc * root, Sc * root, z_bar, s_bar, w)


def fit_jacobian(Z: Rows, S: Rows, weights: Vec, *, ridge: float, rank: int | None = None) -> JacobianFit | None:
    """Weighted ridge of S (n, m) on Z (n, d); ``rank`` caps the PCA basis. None where S is constant or not finite."""
    data = centred(Z, S, weights)
    if data is None:
        return None
    primal = len(Z) >= Z.shape[1] or rank is not None
    try:
        J, leverage = _primal(data.Z, data.S, ridge, rank) if primal else _dual(data.Z, data.S, ridge)
    except LinAlgError:
        return None
    if not np.all(np.isfinite(J)):
        return None
    residual = data.S - data.Z @ J.T
    kept = np.maximum(1.0 - leverage - data.share, 1e-6)[:, None]  # share: the leverage of the mean that was taken off
    loo = 1.0 - float(((residual / kept) ** 2).sum()) / float((data.S**2).sum())
    return JacobianFit(J, data.s_bar - J @ data.z_bar, loo)


def _primal(Zw: Rows, Sw: Rows, ridge: float, rank: int | None) -> tuple[Rows, Vec]:
    """Through the PCA basis U_r: J (m, d) and each row's leverage (n,)."""
    U, sv, Vt = np.linalg.svd(Zw, full_matrices=False)
    keep = sv > (sv[0] if len(sv) else 0.0) * 1e-12
    if rank is not None:
        keep[rank:] = False
    U, sv, Vt = U[:, keep], sv[keep], Vt[keep]
    shrink = sv**2 / (sv**2 + ridge)
    return ((U.T @ Sw).T * (shrink / sv)) @ Vt, (U**2) @ shrink


def _dual(Zw: Rows, Sw: Rows, ridge: float) -> tuple[Rows, Vec]:
    """n×n algebra: with A = (ZZᵀ + ρI)⁻¹, J = SᵀAZ and the hat matrix is I − ρA."""
    K = Zw @ Zw.T
    np.einsum("ii->i", K)[:] += ridge
    factor = cho_factor(K, lower=True, overwrite_a=True)
    A = cho_solve(factor, np.eye(len(K)))
    return (A @ Sw).T @ Zw, 1.0 - ridge * np.einsum("ii->i", A)
