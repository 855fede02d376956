"""The local quadratic fit in dual form: d² parameters explained by n numbers.

    f̂(z) = β₀ + β₁ ‖z‖²/d + Σ_i α_i k(z, z_i),    k(z, z') = p + q p²,   p = zᵀz'/d

The kernel is that of all monomials of degree one and two, so this is ridge regression on a full quadratic; the free
isotropic term lets the data explain only how the landscape deviates from the host's own covariance model (in whitened
coordinates that is the identity). With P = ZZᵀ/d everything below is n×n algebra: O(n²d + n³) time, O(nd) memory.

    gradient  g(z) = Zᵀ(α ∘ (1 + 2q p(z)))/d + 2β₁ z/d
    Hessian   H    = h₀ I + Zᵀ diag(c) Z,       h₀ = 2β₁/d,  c = 2q α/d²

Leave-one-out residuals are closed-form: with M = K⁻¹ − K⁻¹U(UᵀK⁻¹U)⁻¹UᵀK⁻¹ they are ``α_i / M_ii``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import Any, Literal

import numpy as np
from scipy.linalg import blas, lapack

from janusopt.core.arrays import Rows, Vec, norm

_NEAR = 30.0  # ‖z‖²/d up to which float32 carries a fit
_FIRM = 1e-4  # least ridge, over the weights, whose size float32's rounding of K does not reach
_SQUARED = 0.25  # least q of a kernel whose square is completed
_BLOCK = 40  # rows of a triangle that is inverted in one go
_LARGE = 3_000_000  # numbers in Z from which a copy of it is too much memory


@dataclass(frozen=True, eq=False)
class DualFit:
    """A fitted quadratic. Z (n, d), P = ZZᵀ/d, alpha (n,), beta (2,); ``unit`` and ``floor`` undo the scaling of f.

    Of P there is the lower triangle, in LAPACK's order, and only where n < d. Z and P are in float32 where the fit was;
    what is computed from them comes out in float64.

    ``loo`` is the weighted leave-one-out R² (1 is perfect, below 0 worse than the mean), NaN when not asked for.
    """

    Z: Rows
    P: Rows
    alpha: Vec
    beta: Vec
    q: float
    floor: float
    unit: float
    loo: float

    @property
    def d(self) -> int:
        return int(self.Z.shape[1])

    @property
    def h0(self) -> float:
        """The isotropic part of the Hessian."""
        return float(2.0 * self.beta[1] / self.d)

    @property
    def curvature(self) -> Vec:
        """(n,): c in ``H = h₀I + Zᵀ diag(c) Z``."""
        return np.asarray(2.0 * self.q / self.d**2 * self.alpha)

    def gradient(self, z: Vec | None = None) -> Vec:
        """∇f̂ at z (d,), at the origin when None, in units of ``unit`` per whitened length."""
        if z is None or not z.any():
            return self._gradient
        return self._gradient + self.combined(self.curvature * self.products(z)) + self.h0 * z

    @cached_property
    def _gradient(self) -> Vec:
        """∇f̂ at the origin: every generation asks for it several times."""
        return self.combined(self.alpha) / self.d

    def products(self, v: Vec) -> Vec:
        """``Z v`` (n,)."""
        return np.asarray(self.Z @ v.astype(self.Z.dtype, copy=False), dtype=np.float64)

    def combined(self, a: Vec) -> Vec:
        """``Zᵀ a`` (d,)."""
        return np.asarray(a.astype(self.Z.dtype, copy=False) @ self.Z, dtype=np.float64)

    def parts(self, Zq: Rows) -> tuple[Vec, Vec, Vec]:
        """At the rows of Zq (k, d): what the slope says, what the curvature says beyond h₀, and ‖z‖²/d, (k,) each."""
        p = (self.Z @ Zq.T.astype(self.Z.dtype, order="C")).astype(np.float64, copy=False)
        p /= self.d
        slope = self.alpha @ p
        p *= p
        return slope, self.q * (self.alpha @ p), np.einsum("kd,kd->k", Zq, Zq) / self.d

    def predict(self, Zq: Rows) -> Vec:
        """f̂ at the rows of Zq (k, d), in units of ``unit`` above ``floor``."""
        return self.total(*self.parts(Zq))

    def total(self, slope: Vec, curved: Vec, squares: Vec) -> Vec:
        """f̂ from its :meth:`parts`."""
        return np.asarray(slope + curved + self.beta[0] + self.beta[1] * squares)


class Room:
    """Memory for one array whose size changes from call to call: fresh pages cost as much as what is done in them."""

    def __init__(self) -> None:
        self._flat: Vec = np.empty(0)
        self._array: Rows = np.empty((0, 0))

    def array(self, rows: int, columns: int, kind: np.dtype[Any], order: Literal["C", "F"] = "C") -> Rows:
        """(rows, columns), with whatever stood there; it is another array's from the next call on."""
        if self._array.shape == (rows, columns) and self._array.dtype == kind:
            return self._array
        size = rows * columns
        if self._flat.dtype != kind or len(self._flat) < size:
            self._flat = np.empty(size, kind)
        self._array = self._flat[:size].reshape((rows, columns), order=order)
        return self._array


class Workspace:
    """The arrays of a fit, kept between fits: fresh pages of that size cost as much as the algebra.

    ``single`` halves the cost by float32: its rounding of K stays below a ridge of usual size (:data:`_FIRM`) while no
    row is far from the origin (:data:`_NEAR`); with less ridge, or a window that reaches farther, a fit is in float64.
    """

    def __init__(self, *, single: bool = False) -> None:
        self._single = single
        self._rooms = {name: Room() for name in ("P", "K", "Z", "inverse")}
        self.K: Rows = np.empty((0, 0))

    def gram(self, Z: Rows, farthest: float, ridge: float) -> tuple[Rows, Rows]:
        """Z in the precision of the fit, and ``P = ZZᵀ/d`` (n, n), overwritten by the next call.

        Only the lower triangle is computed; the other one is zero. ``farthest`` is the largest ‖z‖²/d, ``ridge`` the
        least one. With n ≥ d nobody needs P any more once there is K, which then takes its place.
        """
        n, d = Z.shape
        single = self._single and farthest < _NEAR and ridge >= _FIRM and Z.size < _LARGE
        kind = np.dtype(np.float32 if single else np.float64)
        P = self._rooms["P"].array(n, n, kind, order="F")
        self.K = P if n >= d else self._rooms["K"].array(n, n, kind, order="F")
        if Z.dtype != kind:
            narrow = self._rooms["Z"].array(n, d, kind)
            narrow[...] = Z
            Z = narrow
        P.fill(0.0)
        product = blas.ssyrk if single else blas.dsyrk
        product(1.0 / d, Z.T, trans=1, lower=1, c=P, overwrite_c=1)
        return Z, P

    def firm(self, ridges: Vec) -> None:
        """``K + diag(ridges)`` (n,) in place; a view that was kept would be a copy in a workspace that was pickled."""
        diagonal = self.K.T.ravel()[:: len(self.K) + 1]
        diagonal += ridges

    def inverse(self) -> Rows:
        """Where L⁻¹ (n, n) goes; zero above the diagonal."""
        n = len(self.K)
        inverse = self._rooms["inverse"].array(n, n, self.K.dtype, order="F")
        inverse.fill(0.0)
        return inverse


def fit_dual(
    Z: Rows,
    f: Vec,
    weights: Vec,
    *,
    ridge: float,
    q: float = 1.0,
    score: bool = True,
    work: Workspace | None = None,
    squares: Vec | None = None,
) -> DualFit | None:
    """Weighted ridge fit of f (n,) on Z (n, d); None where the window cannot carry one (flat, or not finite).

    f is scaled by its median height above the best row, so that ridge and kernel see numbers of order one whatever
    the objective's unit. ``weights`` (n,) > 0 divide the ridge row by row. ``q = 0`` gives the linear fit (with the
    isotropic term). A fit made with a workspace is valid until that workspace is used again. ``squares`` (n,) are
    ‖z‖²/d, where the caller knows them already.
    """
    fits = fit_duals(Z, f[:, None], weights, ridge=ridge, q=q, score=score, work=work, squares=squares)
    return None if fits is None else fits[0]


def fit_duals(
    Z: Rows,
    F: Rows,
    weights: Vec,
    *,
    ridge: float,
    q: float = 1.0,
    score: bool = True,
    work: Workspace | None = None,
    squares: Vec | None = None,
) -> tuple[DualFit, ...] | None:
    """The same for each column of F (n, m): they share Z, and so one factorization; None where any cannot be fitted."""
    work = work or Workspace()
    scaled = [heights(f) for f in F.T]
    targets = [y for y, _, _ in scaled if y is not None]
    if len(targets) < len(scaled):
        return None
    n, d = Z.shape
    if squares is None:
        squares = np.einsum("nd,nd->n", Z, Z) / d
    ridges = ridge / weights
    Z, P = work.gram(Z, float(squares.max()), float(ridges.min()))
    K = _kernel(P, q, work.K)
    work.firm(ridges)
    factor = lapack.spotrf if K.dtype == np.float32 else lapack.dpotrf
    L, info = factor(K, lower=1, clean=0, overwrite_a=1)
    if info != 0:
        return None
    V = np.empty((2, n))  # L⁻¹U as rows, so that UᵀK⁻¹U = VVᵀ
    V[0], V[1] = _solved(L, np.ones(n)), _solved(L, squares)
    border = _inverse_2x2(*(V @ V.T).ravel()[[0, 1, 3]].tolist())
    leverage = _leverage(L, work.inverse(), V, border) if score else None
    fits = []
    for y, (_, floor, unit) in zip(targets, scaled, strict=True):
        half = _solved(L, y)
        beta = border @ (V @ half)
        alpha = _solved(L, half - beta @ V, transposed=True)
        if not norm(alpha) < inf:
            return None
        loo = float("nan") if leverage is None else _leave_one_out(leverage, alpha, y, weights)
        fits.append(DualFit(Z, P, alpha, beta, q, floor, unit, loo))
    return tuple(fits)


def heights(f: Vec) -> tuple[Vec | None, float, float]:
    """f as heights above the best row in units of their median, with that floor and unit; None when flat."""
    ordered = np.sort(f)
    floor, middle, top = float(ordered[0]), float(ordered[len(f) // 2]), float(ordered[-1])
    biggest = max(-floor, top)
    if not isfinite(biggest) or biggest == 0.0:
        return None, floor, 0.0
    lowest = floor / biggest
    median = middle / biggest - lowest  # scaled first: 1e300 - (-1e300) must not overflow
    unit = median * biggest
    if not median > 1e-14 or not 1e-290 < unit < 1e290:
        return None, floor, 0.0
    height = f / biggest
    height -= lowest
    height /= median
    return height, floor, unit


def _kernel(P: Rows, q: float, K: Rows) -> Rows:
    """``P + q P∘P`` into K, which may be P; and a constant more, which β₀ makes up for: ``q(P + ½/q)²``, one pass less.

    Not for a small q, whose constant would drown the rest.
    """
    if q < _SQUARED:
        return np.add(P, q * np.square(P), out=K)
    np.add(P, 0.5 / q, out=K)
    np.square(K, out=K)
    if q != 1.0:
        K *= q
    return K


def _inverse_2x2(a: float, b: float, c: float) -> Rows:
    """``(UᵀK⁻¹U)⁻¹`` = ``(a b; b c)⁻¹`` for the free columns 1 and ‖z‖²/d; collinear, the second is left out."""
    det = a * c - b * b
    if not det > 1e-10 * a * c:
        return np.array([[1.0 / a, 0.0], [0.0, 0.0]])
    inverse: Rows = np.array([[c, -b], [-b, a]]) / det
    return inverse


def _solved(L: Rows, b: Vec, *, transposed: bool = False) -> Vec:
    """``L⁻¹b`` or ``L⁻ᵀb`` (n,), one side at a time: LAPACK's own solver is made for many of them."""
    solve = blas.strsv if L.dtype == np.float32 else blas.dtrsv
    return np.asarray(solve(L, b, lower=1, trans=int(transposed)), dtype=np.float64)


def _leverage(L: Rows, inverse: Rows, V: Rows, border: Rows) -> Vec:
    """``M_ii`` from the Cholesky factor and V = (L⁻¹U)ᵀ: ``(K⁻¹)_ii`` are squared column norms of L⁻¹."""
    invert(L, inverse)
    KU = V.astype(L.dtype) @ inverse
    return np.asarray(np.einsum("ij,ij->j", inverse, inverse) - np.einsum("in,in->n", border @ KU, KU))


def invert(L: Rows, inverse: Rows) -> None:
    """L⁻¹ of a lower triangle into ``inverse`` (n, n), zero above the diagonal, by halves:

        (A  0)⁻¹   (   A⁻¹       0 )
        (B  C)   = (−C⁻¹BA⁻¹   C⁻¹)

    Products take a fourth of the time of LAPACK's inversion, which solves; only the small blocks are left to it.
    """
    n = len(L)
    if n <= _BLOCK:
        solve = blas.strsm if L.dtype == np.float32 else blas.dtrsm
        inverse[...] = solve(1.0, L, np.eye(n, dtype=L.dtype), lower=1)
        return
    first, second = slice(None, n // 2), slice(n // 2, None)
    invert(L[first, first], inverse[first, first])
    invert(L[second, second], inverse[second, second])
    inverse[second, first] = -inverse[second, second] @ (L[second, first] @ inverse[first, first])


def _leave_one_out(leverage: Vec, alpha: Vec, y: Vec, weights: Vec) -> float:
    """Weighted leave-one-out R²."""
    error = alpha / np.maximum(leverage, 1e-300)
    centre = weights @ y / weights.sum()
    with np.errstate(over="ignore", invalid="ignore"):  # values beyond 1e154: no score, so no chart
        return float(1.0 - weights @ error**2 / max(float(weights @ (y - centre) ** 2), 1e-300))
