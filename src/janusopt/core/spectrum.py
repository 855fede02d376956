"""|H| of a dual fit: eigenvalues and directions of ``h₀I + Zᵀ diag(c) Z`` without a d×d matrix.

Three routes to the same thing, by size (r is the number of directions kept):

* n ≥ d: the d×d matrix Zᵀ diag(c) Z is smaller than the window; its eigensystem is complete (r = d).
* n < d, complete: with ZZᵀ = LLᵀ the n×n matrix Lᵀ diag(c) L has the same non-zero eigenvalues, and ZᵀL⁻ᵀ carries its
  eigenvectors over (r ≤ n). Needed for the covariance, every few generations.
* n < d, Krylov: r Lanczos steps from the gradient. A step needs H only where the gradient acts, and r ≪ n suffices.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from janusopt.core.arrays import Rows, Vec
from janusopt.core.dual import DualFit
from janusopt.core.geometry import Geometry


def saddle_free(fit: DualFit) -> Geometry:
    """|H| complete: negative curvature counts by its size, so that every step descends."""
    n, d = fit.Z.shape
    if n >= d:
        values, E = np.linalg.eigh((fit.Z.T * fit.curvature) @ fit.Z)
        return Geometry(np.abs(values + fit.h0), E.T, abs(fit.h0))
    gram = fit.P * d
    jitter = 1e-12 * float(np.trace(gram)) / n
    np.einsum("ii->i", gram)[:] += jitter
    L, info = lapack.dpotrf(gram.T, lower=1, clean=1, overwrite_a=1)
    if info != 0:  # rows repeat: fall back to an orthonormal basis of their span
        V, R = np.linalg.qr(fit.Z.T)
        values, E = np.linalg.eigh((R * fit.curvature) @ R.T)
        return Geometry(np.abs(values + fit.h0), (V @ E).T, abs(fit.h0))
    values, E = np.linalg.eigh((L.T * fit.curvature) @ L)
    back, _ = lapack.dtrtrs(L, E, lower=1, trans=1)  # L⁻ᵀ E
    return Geometry(np.abs(values + fit.h0), back.T @ fit.Z, abs(fit.h0))


def krylov(fit: DualFit, start: Vec, steps: int) -> Geometry:
    """|H| on the Krylov space of ``start`` (d,), by Lanczos with full reorthogonalization."""
    d = fit.d
    c, h0 = fit.curvature, fit.h0
    length = float(np.sqrt(start @ start))
    Q: Rows = np.zeros((min(steps, d), d))
    a: Vec = np.zeros(len(Q))
    b: Vec = np.zeros(len(Q))
    Q[0] = start / length
    size = len(Q)
    for k in range(len(Q)):
        v = (c * (fit.Z @ Q[k])) @ fit.Z
        a[k] = v @ Q[k]
        v -= (Q[: k + 1] @ v) @ Q[: k + 1]
        v -= (Q[: k + 1] @ v) @ Q[: k + 1]
        b[k] = np.sqrt(v @ v)
        if k + 1 == len(Q) or b[k] <= 1e-10 * (abs(a[0]) + abs(h0) + 1e-300):
            size = k + 1
            break
        Q[k + 1] = v / b[k]
    T = np.diag(a[:size]) + np.diag(b[: size - 1], 1) + np.diag(b[: size - 1], -1)
    values, E = np.linalg.eigh(T)
    return Geometry(np.abs(values + h0), E.T @ Q[:size], abs(h0))
