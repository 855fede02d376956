"""A latent residual: the one direction that makes most of f, found where a dense fit cannot see it.

Where one mixture of variables is far stiffer than all others, f is little more than a single squared residual,

    f ≈ c + r²,     r = aᵀx + b,

whose sign nobody sees and whose floor c changes slowly along a run. That is d + 1 numbers, for which a few rows each
are enough; a quadratic has d(d + 1)/2, and a fit of fewer rows smears the stiff direction over all others. Given the
signs of r, a and b are a linear least-squares problem; given a and b, the signs are known: the two are taken in turn
(:func:`search`). Near the solution ``f − c = r²`` is linearized instead, with c by blocks of time and rows weighted by
what they can tell (:func:`polish`). All in x, where f is defined, and in float32 where only a start is sought.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from janusopt.core.arrays import Rows, Vec, norm

Design = NDArray[np.floating[Any]]  #: (n, d + 1): centred rows and a column of ones

_STEPS, _POWERS, _POLISH = 30, 15, 4  # alternations, power iterations for a start, linearizations of one weighting
_STILL = 0.01  # relative change of a solution that ends a search
_GIVEN = 0.3  # of the typical root of f: what a small residual may be wrong by
_PROMISING = 0.35  # share of √f's variation that a search may leave unexplained; by chance it leaves 0.4 to 0.6
_BLOCK = 80  # rows that share one c
_MODEL = (0.02, 0.5)  # relative error of r² as a model, at least and at most
_RECENT = 60  # rows of now
_HUGE = 1e150  # beyond, nothing may be squared
_RIDGE = 1e-3, 1e-6  # of a search, of a polished fit; relative to the mean of a Gram matrix's diagonal


@dataclass(frozen=True, slots=True, eq=False)
class Residual:
    """``r = aᵀx + b``: a (d,)."""

    a: Vec
    b: float

    def __call__(self, X: Rows) -> Vec:
        """r (n,) of the rows of X (n, d)."""
        return np.asarray(X @ self.a + self.b)


@dataclass(frozen=True, slots=True, eq=False)
class LatentFit:
    """A residual; ``misfit``, what it leaves of f on average, in [0, 1]; ``doubt``, the share of its variation over the
    newest rows that may be no more than its own error."""

    residual: Residual
    misfit: float
    doubt: float


def fit_latent(X: Rows, f: Vec, start: Residual | None = None, *, cold: bool = True) -> LatentFit | None:
    """The best of a search from nothing (``cold``) and of what ``start`` leads to; X (n, d), f (n,) oldest first."""
    if max(-float(f.min()), float(f.max())) > _HUGE or not (height := float(np.median(f) - f.min())) > 0.0:
        return None
    f = np.minimum((f - f.min()) / height, 1e12)
    centre = X.mean(axis=0)
    spread = float(np.sqrt(np.mean(np.square(X - centre))))
    if not spread > 0.0:
        return None
    A = np.append((X - centre) / spread, np.ones((len(X), 1)), axis=1)
    starts = []
    if start is not None:
        starts.append(np.append(start.a * spread, start(centre)) / np.sqrt(height))
    try:
        if cold and (found := search(A.astype(np.float32), f)) is not None:
            starts.append(found)
        fits = [polish(A, f, v) for v in starts]
    except LinAlgError:
        return None
    if not fits:
        return None
    v, misfit, doubt = min(fits, key=lambda fit: fit[1])
    a = v[:-1] * (np.sqrt(height) / spread)
    return LatentFit(Residual(a, float(v[-1] * np.sqrt(height) - a @ centre)), misfit, doubt)


def search(A: Design, f: Vec) -> Vec | None:
    """(a, b) (d + 1,) by turns of signs and least squares, from a slope and a spectral start; None if neither fits."""
    root = np.sqrt(f - floors(f, A.shape[1] - 1))
    typical = float(np.median(root))
    if not typical > 0.0:
        return None
    root /= typical
    weights = 1.0 / np.square(root + _GIVEN)
    solve = _solver(A, weights, _RIDGE[0])[0]
    slope = solve(root)
    best, least = slope, np.inf
    varies = float(weights @ np.square(root - float(weights @ root) / float(weights.sum())))
    for v in (slope, _spectral(A, root, slope)):
        for _ in range(_STEPS):
            v, before = solve(np.copysign(root, A @ v.astype(A.dtype))), v
            if norm(v - before) < _STILL * norm(v):
                break
        wrong = np.square(np.abs(A @ v.astype(A.dtype)) - root)
        if (error := float(weights @ wrong)) < least:
            best, least = v, error
    return best * typical if least < _PROMISING * varies else None


def floors(f: Vec, span: int) -> Vec:
    """What f (n,) would be without the residual: the least of each block of ``span`` rows in time and of the next."""
    blocks = np.array_split(f, max(len(f) // span, 1))
    least = np.array([block.min() for block in blocks])
    least[:-1] = np.minimum(least[:-1], least[1:])
    return np.repeat(least, [len(block) for block in blocks])


def _spectral(A: Design, root: Vec, slope: Vec) -> Vec:
    """The leading eigenvector of Σ (f − f̄) x xᵀ, large f cut off, from the slope and a fixed vector that is no axis."""
    Z, height = A[:, :-1], np.square(root)
    height = np.minimum(height, 4.0 * height.mean())
    height -= height.mean()
    v = slope[:-1] + norm(slope) / np.sqrt(len(slope)) * np.cos(np.arange(len(slope) - 1))
    for _ in range(_POWERS):
        v = Z.T @ (height * (Z @ v.astype(A.dtype)))
        v = v / max(norm(v), 1e-300)
    return np.append(v, 0.0)


def polish(A: Design, f: Vec, v: Vec) -> tuple[Vec, float, float]:
    """(a, b) by ``r t = (f − c + r²)/2`` for the next residual t, from v (d + 1,); with misfit and doubt.

    A row tells t up to (f − c − r²)/2r, whose spread is that of c in its block and a share of r²: large residuals are
    only modelled so well, small ones drown in what else makes f.
    """
    r = A @ v
    level, noise, model = _levels(f, np.square(r))
    weights = 4.0 * np.square(r) / (np.square(noise) + np.square(model * np.square(r)) + 1e-30)
    unit = float(weights.mean())
    solve, factor = _solver(A, weights / unit, _RIDGE[1])
    small = 0.3 * np.sqrt(noise)
    for _ in range(_POLISH):
        size = np.copysign(np.maximum(np.abs(r), small), r)
        target = np.clip(0.5 * ((f - level) / size + size), -4.0 * np.abs(size), 4.0 * np.abs(size))
        v = solve(target)
        r = A @ v
    square = np.square(r)
    level, noise, _ = _levels(f, square)
    misfit = float(np.mean(np.abs(f - level - square) / (np.abs(f - level) + noise + square + 1e-30)))
    recent = A[-_RECENT:] - A[-_RECENT:].mean(axis=0)
    error = np.einsum("nd,dn->n", recent, cho_solve(factor, recent.T)).mean() / unit
    return v, misfit, float(error / max(np.square(recent @ v).mean(), 1e-300))


def _levels(f: Vec, square: Vec) -> tuple[Vec, Vec, float]:
    """c and its spread (n,) by blocks of time, from the rows of the smaller residuals; and the relative error of r²."""
    count = max(len(f) // _BLOCK, 1)
    level, noise = np.empty(count), np.empty(count)
    left = f - square
    blocks = np.array_split(np.arange(len(f)), count)
    for i, block in enumerate(blocks):
        rows = block[np.argsort(square[block])[: max(len(block) // 2, 2)]]
        level[i] = np.median(left[rows])
        noise[i] = 1.48 * np.median(np.abs(left[rows] - level[i]))
    sizes = [len(block) for block in blocks]
    level, noise = np.repeat(level, sizes), np.repeat(noise, sizes)
    large = square > 3.0 * noise
    if not large.any():
        return level, noise, _MODEL[1]
    relative = 1.48 * np.median(np.abs(left - level)[large] / square[large])
    return level, noise, float(np.clip(relative, *_MODEL))


def _solver(A: Design, weights: Vec, ridge: float) -> tuple[Callable[[Vec], Vec], tuple[NDArray[Any], bool]]:
    """Least squares of any target (n,) on A, and the Cholesky factor of its weighted Gram matrix (d + 1, d + 1).

    A square of the variables, but no larger than a fifth of the rows that it is made of.
    """
    W = (A * weights.astype(A.dtype)[:, None]).T
    K = (W @ A).astype(np.float64)
    K.flat[:: len(K) + 1] += ridge * np.trace(K) / len(K)
    factor = cho_factor(K, overwrite_a=True, check_finite=False)
    return lambda target: cho_solve(factor, (W @ target.astype(A.dtype)).astype(np.float64)), factor
