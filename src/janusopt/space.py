"""Bounds, start and initial spread, checked once: what a front door was given as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds

from janusopt.core.arrays import Mask, Vec, frozen
from janusopt.errors import InputError

_SHARE = 0.2  # of the box: the initial standard deviation


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """lower, upper (d,), ±inf where free; x0 (d,) inside; sigma0 (d,) > 0."""

    lower: Vec
    upper: Vec
    x0: Vec
    sigma0: Vec

    @property
    def d(self) -> int:
        return len(self.lower)

    @property
    def boxed(self) -> Mask:
        """(d,): variables with two finite bounds."""
        return np.isfinite(self.lower) & np.isfinite(self.upper)

    def narrowed(self, share: float) -> Space:
        """The same start with ``share`` of the spread, in the variables that have a box."""
        return replace(self, sigma0=frozen(np.where(self.boxed, share, 1.0) * self.sigma0))


def read_space(
    x0: ArrayLike | None,
    bounds: Bounds | Sequence[Any] | None,
    sigma0: ArrayLike | None,
    rng: np.random.Generator,
) -> Space:
    """Check and complete x0, bounds and sigma0.

    bounds: ``scipy.optimize.Bounds``, a sequence of d (low, high) pairs, or a pair of vectors (lower, upper) given as
    two arrays of length d ≠ 2; None in a pair leaves that side free. Without x0 the start is uniform in the box.
    Without sigma0 the spread is 0.2 of each box side; without a box it is ``0.2·max(|x0|, 1)`` per coordinate.
    """
    start = None if x0 is None else _vector(x0, "x0")
    lower, upper = _bounds(bounds, None if start is None else len(start))
    d = len(lower)
    boxed = np.isfinite(lower) & np.isfinite(upper)
    if start is None:
        if not boxed.all():
            came = "no bounds" if bounds is None else f"{int((~boxed).sum())} of {d} variables without"
            raise InputError(f"without x0 every variable needs finite bounds, got {came}; pass x0 or bounds")
        start = rng.uniform(lower, upper)
    elif len(start) != d:
        raise InputError(f"x0 and bounds must agree in length: x0 has {len(start)}, bounds have {d}")
    outside = (start < lower) | (start > upper)
    if outside.any():
        i = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"x0 must lie inside the bounds: x0[{i}] = {start[i]} is outside [{lower[i]}, {upper[i]}] "
            f"({int(outside.sum())} of {d} variables are outside)"
        )
    width = np.where(boxed, np.where(boxed, upper, 0.0) - np.where(boxed, lower, 0.0), np.nan)
    spread = np.where(boxed, _SHARE * width, _SHARE * np.maximum(np.abs(start), 1.0))
    if sigma0 is not None:
        given = _numbers(sigma0)
        if (
            given is None
            or given.ndim > 1
            or (given.ndim == 1 and len(given) != d)
            or not np.all(np.isfinite(given))
            or (given <= 0).any()
        ):
            raise InputError(f"sigma0 must be a positive number or {d} of them, got {sigma0!r}")
        spread = np.broadcast_to(given, (d,)).copy()
    return Space(frozen(lower), frozen(upper), frozen(start), frozen(spread))


def _numbers(value: ArrayLike) -> Vec | None:
    """As floats; None where it is no array of real numbers."""
    try:
        array = np.asarray(value)
        return array.astype(float) if array.dtype.kind in "fiu" else None
    except ValueError:
        return None


def _vector(value: ArrayLike, name: str) -> Vec:
    array = _numbers(value)
    if array is None or array.ndim != 1 or array.size == 0:
        came = repr(value) if array is None else f"shape {array.shape}"
        raise InputError(f"{name} must be a non-empty vector of real numbers, got {came}")
    if not np.all(np.isfinite(array)):
        raise InputError(f"{name} must be finite, got {int((~np.isfinite(array)).sum())} non-finite entries")
    return array


def _bounds(bounds: Bounds | Sequence[Any] | None, d: int | None) -> tuple[Vec, Vec]:
    if bounds is None:
        if d is None:
            raise InputError("give x0 or bounds: the number of variables is unknown")
        return np.full(d, -np.inf), np.full(d, np.inf)
    if isinstance(bounds, Bounds):
        lower, upper = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
        if d is not None and len(lower) == 1:
            lower, upper = np.full(d, lower[0]), np.full(d, upper[0])
    else:
        lower, upper = _pairs(bounds, d)
    lower, upper = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    bad = ~(lower < upper)  # also catches NaN
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise InputError(f"every lower bound must be below its upper bound: bounds[{i}] = ({lower[i]}, {upper[i]})")
    return lower, upper


def _pairs(bounds: Sequence[Any], d: int | None) -> tuple[Vec, Vec]:
    """d (low, high) pairs, or two vectors of length d."""
    try:
        array = np.array(
            [[np.nan if v is None else v for v in np.ravel(np.asarray(pair, dtype=object))] for pair in bounds],
            dtype=float,
        )
    except (TypeError, ValueError) as error:
        raise InputError(
            f"bounds must be d pairs (low, high) or two vectors (lower, upper); could not read them: {error}"
        ) from None
    if array.ndim != 2 or 2 not in array.shape:
        raise InputError(f"bounds must be d pairs (low, high) or two vectors (lower, upper), got shape {array.shape}")
    missing = np.array([[v is None for v in np.ravel(np.asarray(pair, dtype=object))] for pair in bounds])
    stacked = array.shape[1] != 2 or (d is not None and array.shape[0] == 2 and d == array.shape[1] and d != 2)
    if stacked:
        array, missing = array.T, missing.T
    lower = np.where(missing[:, 0], -np.inf, array[:, 0])
    upper = np.where(missing[:, 1], np.inf, array[:, 1])
    return lower, upper
