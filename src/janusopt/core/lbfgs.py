"""L-BFGS on the sequence of fitted gradients, with the host's covariance as initial metric.

A window's quadratic sees only the last n rows; the fitted gradients of a whole run remember more. One pair (s, t) of
mean displacement and gradient difference, both in x, is kept per about d evaluations (closer pairs are mostly noise),
the last ``memory`` of them. The step is ``−H g`` by the two-loop recursion, H₀ = γ C with γ from the newest pair:
O(memory · d).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from janusopt.core.arrays import Vec, norm


class GradientMemory:
    """Pairs of a run. ``spacing`` evaluations (in units of d) between pairs."""

    def __init__(self, memory: int, spacing: float) -> None:
        self.spacing = spacing
        self._pairs: deque[tuple[Vec, Vec, float]] = deque(maxlen=memory)
        self._last: tuple[Vec, Vec, int] | None = None

    def __len__(self) -> int:
        return len(self._pairs)

    def due(self, d: int, evaluations: int) -> bool:
        """Whether :meth:`record` would take a gradient after so many evaluations."""
        return self._last is None or evaluations - self._last[2] >= self.spacing * d

    def record(self, x: Vec, gradient: Vec, evaluations: int) -> None:
        """The mean x (d,) and the fitted gradient there (d,), after so many evaluations."""
        if self._last is None:
            self._last = (x.copy(), gradient, evaluations)
            return
        if not self.due(len(x), evaluations):
            return
        x_old, g_old, _ = self._last
        s, t = x - x_old, gradient - g_old
        curvature = float(s @ t)
        if curvature > 1e-3 * norm(s) * norm(t):
            self._pairs.append((s, t, curvature))
        self._last = (x.copy(), gradient, evaluations)

    def step(self, gradient: Vec, covariance: Callable[[Vec], Vec]) -> Vec | None:
        """``−H g`` (d,), or None without pairs or when it would not descend. ``covariance`` applies C."""
        if not self._pairs:
            return None
        q = gradient.copy()
        along: list[float] = []
        for s, t, curvature in reversed(self._pairs):
            a = float(s @ q) / curvature
            along.append(a)
            q -= a * t
        s, t, curvature = self._pairs[-1]
        Ct = covariance(t)
        length = float(t @ Ct)
        if not length > 0.0:  # gradients so small that their squares are zero
            return None
        q = covariance(q) * (curvature / length)
        for (s, t, curvature), a in zip(self._pairs, reversed(along), strict=True):
            q += s * (a - float(t @ q) / curvature)
        if not np.all(np.isfinite(q)) or not float(gradient @ q) > 0.0:
            return None
        return -q
