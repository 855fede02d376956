"""Blockwise mode: JᵀJ constrained to given coordinate groups (the paper's blockwise assembly, Prop. 4).

Cross-block terms are dropped, so the damped solve decomposes into one solve per group. Directions of different groups
have disjoint support: the blocks together are again one :class:`Geometry`, and everything downstream is unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janusopt.core.arrays import Index, Rows, Vec
from janusopt.core.geometry import Geometry
from janusopt.errors import InputError


def blockwise(geometry: Geometry, groups: Sequence[Index]) -> Geometry:
    """The block diagonal part of ``G`` under a partition of the coordinates, each block by its own eigensystem."""
    values: list[Vec] = []
    directions: list[Rows] = []
    for group in groups:
        value, vectors = _block(geometry, group)
        padded = np.zeros((len(value), geometry.d))
        padded[:, group] = vectors
        values.append(value)
        directions.append(padded)
    return Geometry(np.concatenate(values), np.concatenate(directions), geometry.rest)


def _block(geometry: Geometry, group: Index) -> tuple[Vec, Rows]:
    """Curvatures (k,) and directions (k, |g|) of one block, k = min(rank, |g|): no matrix larger than that."""
    A = geometry.Vt[:, group]
    extra = geometry.curvature - geometry.rest
    if len(group) <= len(extra):
        value, E = np.linalg.eigh((A.T * extra) @ A)
        return np.maximum(value + geometry.rest, 0.0), E.T
    Q, R = np.linalg.qr(A.T)
    value, E = np.linalg.eigh((R * extra) @ R.T)
    return np.maximum(value + geometry.rest, 0.0), (Q @ E).T


def read_groups(groups: Sequence[Sequence[int]], d: int) -> list[Index]:
    """A partition of range(d) as index arrays; coordinates named by no group become groups of their own."""
    parts = [np.asarray(group, dtype=np.intp) for group in groups]
    named = np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)
    if len(named) and (named.min() < 0 or named.max() >= d):
        raise InputError(f"blocks must name coordinates 0 to {d - 1}, got {int(named.min())} to {int(named.max())}")
    if len(np.unique(named)) != len(named):
        raise InputError("blocks must not share a coordinate: a coordinate is named twice")
    rest = np.setdiff1d(np.arange(d), named)
    return [part for part in parts if len(part)] + [np.array([i]) for i in rest]
