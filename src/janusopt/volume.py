"""Hypervolume, from moocore: the one file that imports it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from janusopt.errors import InputError, MissingExtraError


def hypervolume(F: ArrayLike, reference: ArrayLike) -> float:
    """Volume dominated by the rows of F (n, m) up to the reference point (m,), minimization; larger is better.

    Rows that do not reach the reference point count nothing; no rows have no volume.
    """
    try:
        import moocore
    except ImportError as error:
        raise MissingExtraError("moocore", "moo", "computing a hypervolume") from error
    rows, point = np.asarray(F, dtype=float), np.asarray(reference, dtype=float)
    if rows.size == 0:
        return 0.0
    if rows.ndim != 2 or point.shape != (rows.shape[1],):
        raise InputError(f"F must be (n, m) and the reference point (m,), got shapes {rows.shape} and {point.shape}")
    inside = rows[(rows < point).all(axis=1)]
    return float(moocore.hypervolume(inside, ref=point)) if len(inside) else 0.0
