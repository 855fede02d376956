"""What a suite builds and a method solves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.evaluate import Kind


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """An objective on a box: lower, upper (d,).

    ``fun`` takes rows (n, d). kind "scalar": it returns f (n,), or (f, components (n, m)); "residuals": r (n, m), where
    f = ½‖r‖²; "objectives": F (n, k). ``optimum`` is the best known f: the error is f − optimum. ``judge`` (n, d) →
    (n,) is the noise-free f where ``fun`` is noisy. ``start`` (d,) is a standard start, where there is one.

    With several ``objectives``, ``reference`` (k,) is the point that a run's hypervolume is taken against while it
    goes: 1.1 times the nadir, the ideal point being at the origin or near it. ``front`` gives rows (p, k) of the true
    front, where it is known.
    """

    lower: Vec
    upper: Vec
    fun: Callable[[Rows], Any]
    kind: Kind = "scalar"
    optimum: float = 0.0
    judge: Callable[[Rows], Vec] | None = None
    start: Vec | None = None
    objectives: int = 1
    reference: Vec | None = None
    front: Callable[[], Rows] | None = None

    @property
    def d(self) -> int:
        return len(self.lower)

    def scalars(self, answer: Any) -> Vec:
        """(n,): f of each row, from what ``fun`` gave for them."""
        if self.kind == "residuals":
            r = np.asarray(answer, dtype=float)
            return np.asarray(0.5 * np.einsum("ij,ij->i", r, r))
        return np.asarray(answer[0] if isinstance(answer, tuple) else answer, dtype=float)

    def error(self, x: Vec) -> float:
        """f − optimum at one point (d,), noise-free."""
        point = np.array(x, dtype=float)[None, :]
        f = self.scalars(self.fun(point)) if self.judge is None else self.judge(point)
        return float(f[0]) - self.optimum

    def value(self, x: Vec) -> float:
        """f at one point (d,): for methods that take one at a time."""
        return float(self.scalars(self.fun(np.array(x, dtype=float)[None, :]))[0])
