"""|H| of a dual fit: eigenvalues and directions of ``h₀I + Zᵀ diag(c) Z`` without a d×d matrix.

Three routes to the same thing, by size (r is the number of directions kept):

* n ≥ d: the d×d matrix Zᵀ diag(c) Z is smaller than the window; its eigensystem is complete (r = d).
* n < d, complete: with Zᵀ = VR the n×n matrix R diag(c) Rᵀ has the same non-zero eigenvalues, and V carries its
  eigenvectors over (r = n). Needed for the covariance, every few generations. (ZZᵀ = LLᵀ would be cheaper than QR, but
  the host's mean is a mean of its rows: they are linearly dependent in z.)
* Krylov: r Lanczos steps from the gradient. A step needs H only where the gradient acts, and r ≪ min(n, d) suffices.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from scipy.linalg import blas, lapack

from janusopt.core.arrays import Rows, Vec
from janusopt.core.dual import DualFit
from janusopt.core.geometry import Geometry

_BLOCK = 64  # LAPACK's block size
_ENOUGH = 0.01  # relative residual of the Newton equations at which a Krylov space is large enough


def saddle_free(fit: DualFit) -> Geometry:
    """|H| of a fit, complete."""
    return absolute(fit.Z, fit.curvature, fit.h0)


def absolute(Z: Rows, c: Vec, h0: float) -> Geometry:
    """``|h₀I + Zᵀ diag(c) Z|``: negative curvature counts by its size, so that every step descends."""
    return doubted(*signed(Z, c, h0), h0)


def signed(Z: Rows, c: Vec, h0: float) -> tuple[Vec, Rows]:
    """``H = h₀I + Zᵀ diag(c) Z`` by its eigenvalues (r,) and directions as rows (r, d); h₀ everywhere else."""
    n, d = Z.shape
    if n >= d:
        values, E = _eigensystem(weighted_gram(Z, c))
        return values + h0, E.T.astype(np.float64, copy=False)
    V, R = _qr(Z.T)
    values, E = _eigensystem((R * c.astype(R.dtype)) @ R.T)
    return values + h0, (V @ E).T.astype(np.float64, copy=False)


def weighted_gram(Z: Rows, c: Vec) -> Rows:
    """``Zᵀ diag(c) Z`` (d, d) in the precision of Z; for n ≥ d, where it is no larger than the window."""
    gram: Rows = (Z.T * c.astype(Z.dtype)) @ Z
    return gram


def doubted(values: Vec, Vt: Rows, h0: float) -> Geometry:
    """|H| from H; where a basin is expected, the most negative curvature tells how wrong all of them may be."""
    doubt = max(0.0, -float(values.min(initial=0.0)))
    return Geometry(np.abs(values), Vt, abs(h0), doubt)


def _qr(A: Rows) -> tuple[Rows, Rows]:
    """The thin QR of a tall A in its own precision; numpy's would compute in float64."""
    factor, form = (lapack.sgeqrf, lapack.sorgqr) if A.dtype == np.float32 else (lapack.dgeqrf, lapack.dorgqr)
    k = A.shape[1]
    packed, tau, _, _ = factor(A, lwork=_BLOCK * k)
    R = np.triu(packed[:k])
    V, _, _ = form(packed, tau, lwork=_BLOCK * k, overwrite_a=1)
    return V, R


def _eigensystem(A: Rows) -> tuple[Vec, Rows]:
    """Eigenvalues and vectors of a symmetric A, which is overwritten, in its own precision."""
    solve = lapack.ssyevd if A.dtype == np.float32 else lapack.dsyevd
    values, E, info = solve(A.T, lower=1, overwrite_a=1)
    if info != 0:
        raise np.linalg.LinAlgError("the eigenvalues of a fit did not converge")
    return values.astype(np.float64, copy=False), E


def krylov(fit: DualFit, steps: int) -> Geometry:
    """|H| on the Krylov space of the gradient at the origin, at most ``steps`` of it.

    With n < d a vector Zᵀa of the rows' span is carried as its n coefficients a, whose inner product is aᵀ(ZZᵀ)a'.
    """
    Z, h0, kind = fit.Z, fit.h0, fit.Z.dtype
    n, d = Z.shape
    c = fit.curvature
    if n >= d:
        narrow = c.astype(kind)

        def image(v: Vec) -> Vec:
            along: Vec = Z @ v.astype(kind)
            along *= narrow
            return (along @ Z).astype(np.float64)

        Q, values, E = _lanczos(image, None, fit.gradient(), steps, h0)
        return Geometry(np.abs(values + h0), E.T @ Q, abs(h0))
    times = blas.ssymv if kind == np.float32 else blas.dsymv
    A, values, E = _lanczos(
        lambda u: c * u, lambda w: np.asarray(times(d, fit.P, w, lower=1), dtype=np.float64), fit.alpha / d, steps, h0
    )
    return doubted(values + h0, ((E.T @ A).astype(kind) @ Z).astype(np.float64, copy=False), h0)


def _lanczos(
    apply: Callable[[Vec], Vec], measure: Callable[[Vec], Vec] | None, start: Vec, steps: int, shift: float
) -> tuple[Rows, Vec, Rows]:
    """Lanczos with full reorthogonalization: basis (k, ·), Ritz values (k,), Ritz vectors as columns (k, k).

    ``measure`` applies the matrix of the inner product (None: the identity), ``apply`` takes a measured vector to a
    new array, its operator image.
    It ends early once (operator + shift)⁻¹ start is known to 1%: that residual is the conjugate gradients' own,
    ``Π b_i/pivot_i`` over the pivots of the tridiagonal matrix, as long as those are positive.
    """
    steps = min(steps, len(start))
    Q: Rows = np.empty((steps, len(start)))
    MQ = Q if measure is None else np.empty_like(Q)
    a, b = list[float](), list[float]()
    w = start
    u = w if measure is None else measure(w)
    scale = sqrt(max(float(w @ u), 0.0))
    residual, pivot = 1.0, 1.0
    for k in range(steps):
        if not scale > 0.0:
            break
        np.divide(w, scale, out=Q[k])
        if measure is not None:
            np.divide(u, scale, out=MQ[k])
        w = apply(MQ[k])
        along = MQ[: k + 1] @ w
        a.append(float(along[k]))
        w -= along @ Q[: k + 1]
        u = w if measure is None else measure(w)
        pivot = a[k] + shift - (b[k - 1] ** 2 / pivot if k else 0.0)
        scale = sqrt(max(float(w @ u), 0.0))
        b.append(scale)
        if scale <= 1e-10 * (abs(a[0]) + b[0]):
            break
        residual = residual * scale / pivot if pivot > 0.0 else np.inf
        if residual < _ENOUGH:
            break
        pivot = pivot or 1e-300
    values, E, _ = lapack.dstev(a, b[: max(len(a) - 1, 1)])
    return Q[: len(a)], values, E
