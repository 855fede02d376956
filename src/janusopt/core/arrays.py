"""Names for array shapes, and the one way to make an array read-only."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dnrm2

Vec = NDArray[np.float64]  #: (d,) or (n,)
Rows = NDArray[np.float64]  #: (n, d): one row per sample
Mask = NDArray[np.bool_]
Index = NDArray[np.intp]
Selection = Index | slice  #: rows by their numbers, or all of them as a slice, which copies nothing


def frozen(values: ArrayLike) -> NDArray[np.float64]:
    """A read-only float view of ``values`` (a copy only if a conversion is needed)."""
    view: NDArray[np.float64] = np.asarray(values, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def norm(vector: NDArray[Any]) -> float:
    """Euclidean length as a plain float; infinite beyond 1e154, where nothing may be squared."""
    length = float(dnrm2(vector))
    return inf if length > 1e154 else length
