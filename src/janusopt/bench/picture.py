"""Pictures that a suite makes of what methods found: plain data, drawn by the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from janusopt.core.arrays import Rows, Vec


@dataclass(frozen=True, slots=True, eq=False)
class Relief:
    """Paths over a landscape: z (b, a) over x (a,) and y (b,); cylinders (k, 5) as x, y, radius, bottom and top.

    ``paths`` are points (n, 3) by name.
    """

    x: Vec
    y: Vec
    z: Rows
    cylinders: Rows
    paths: Mapping[str, Rows]


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Values (n,) by name, each sorted and drawn over its place in the order; ``x`` and ``y`` say what they are."""

    x: str
    y: str
    values: Mapping[str, Vec]


Picture = Relief | Profile
