"""Hypervolume and IGD+, from moocore: the one file that imports it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from janusopt.errors import InputError, MissingExtraError

_SAMPLES = 100_000  # of an estimate: its relative error is about 1e-3


def hypervolume(F: ArrayLike, reference: ArrayLike) -> float:
    """Volume dominated by the rows of F (n, m) up to the reference point (m,), minimization; larger is better.

    Rows that do not reach the reference point count nothing; no rows have no volume.
    """
    inside, point = _inside(F, reference)
    return float(_moocore().hypervolume(inside, ref=point)) if len(inside) else 0.0


def hypervolume_estimate(F: ArrayLike, reference: ArrayLike) -> float:
    """:func:`hypervolume` by a fixed sample of directions, for many objectives: exact it takes minutes from ten on.

    All sets are measured along the same directions, so that what separates two is known better than each of them.
    """
    inside, point = _inside(F, reference)
    if not len(inside):
        return 0.0
    return float(_moocore().hv_approx(inside, ref=point, nsamples=_SAMPLES, seed=1, method="DZ2019-MC"))


def igd_plus(F: ArrayLike, front: ArrayLike) -> float:
    """Mean distance from the rows of the true ``front`` (p, m) to what F (n, m) dominates; less is better."""
    return float(_moocore().igd_plus(np.asarray(F, dtype=float), ref=np.asarray(front, dtype=float)))


def _inside(F: ArrayLike, reference: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rows, point = np.asarray(F, dtype=float), np.asarray(reference, dtype=float)
    if rows.size == 0:
        return np.empty((0, point.size)), point
    if rows.ndim != 2 or point.shape != (rows.shape[1],):
        raise InputError(f"F must be (n, m) and the reference point (m,), got shapes {rows.shape} and {point.shape}")
    return rows[(rows < point).all(axis=1)], point


def _moocore() -> Any:
    try:
        import moocore
    except ImportError as error:
        raise MissingExtraError("moocore", "moo", "computing a hypervolume") from error
    return moocore
