"""L-BFGS on the sequence of fitted gradients, with the host's covariance as initial metric.

A window's quadratic sees only the last n rows; the fitted gradients of a whole run remember more. One pair (s, t) of
mean displacement and gradient difference, both in x, is kept per about d evaluations (closer pairs are mostly noise),
the last ``memory`` of them. H₀ = γ C with γ from the newest pair, and with R the upper triangle of STᵀ the step −H g is

    H = (I − TᵀR⁻¹S)ᵀ γC (I − TᵀR⁻¹S) + SᵀR⁻ᵀ diag(R) R⁻¹S,

what the two-loop recursion computes pair by pair: O(memory · d).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf

import numpy as np
from scipy.linalg import lapack

from janusopt.core.arrays import Rows, Vec, norm


class GradientMemory:
    """Pairs of a run. ``spacing`` evaluations (in units of d) between pairs."""

    def __init__(self, memory: int, spacing: float) -> None:
        self.spacing = spacing
        self._pairs: deque[tuple[Vec, Vec]] = deque(maxlen=memory)
        self._arrays: tuple[Rows, Rows, Rows] | None = None
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
        if float(s @ t) > 1e-3 * norm(s) * norm(t):
            self._pairs.append((s, t))
            self._arrays = None
        self._last = (x.copy(), gradient, evaluations)

    def step(self, gradient: Vec, pullback: Callable[[Vec], Vec], color: Callable[[Vec], Vec]) -> Vec | None:
        """``−H g`` (d,); None without pairs or when it would not descend. ``pullback`` is Lᵀ, ``color`` L, C = LLᵀ."""
        if not self._pairs:
            return None
        S, T, R = self._stacked()
        whitened = pullback(T[-1])
        length = float(whitened @ whitened)
        if not length > 0.0:  # gradients so small that their squares are zero
            return None
        along, _ = lapack.dtrtrs(R, S @ gradient)
        q = color(pullback(gradient - along @ T)) * (R[-1, -1] / length)
        back, _ = lapack.dtrtrs(R, np.diagonal(R) * along - T @ q, trans=1)
        q = q + back @ S
        if not norm(q) < inf or not float(gradient @ q) > 0.0:
            return None
        step: Vec = -q
        return step

    def _stacked(self) -> tuple[Rows, Rows, Rows]:
        """The pairs as rows S and T (k, d), oldest first, and STᵀ in LAPACK's order, whose upper triangle is R."""
        if self._arrays is None:
            S, T = (np.array(side) for side in zip(*self._pairs, strict=True))
            self._arrays = S, T, (T @ S.T).T
        return self._arrays
