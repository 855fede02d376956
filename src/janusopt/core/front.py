"""The bounded non-dominated archive: where multi-objective infill takes its anchors and its scale from."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Rows, Vec
from janusopt.core.dominance import dominated, gain, nondominated, sparsity


class Front:
    """Non-dominated feasible rows, X (k, d) and F (k, m). Grows to 1.5 times ``capacity``, then is thinned to it."""

    def __init__(self, capacity: int = 150) -> None:
        self.capacity = capacity
        self.X: Rows = np.empty((0, 0))
        self.F: Rows = np.empty((0, 0))
        self.ideal: Vec = np.empty(0)
        self.span: Vec = np.empty(0)

    def __len__(self) -> int:
        return len(self.F)

    def scaled(self, F: Rows) -> Rows:
        """``S = (F − ideal)/(nadir − ideal)``; an objective that is constant on the front keeps its own unit."""
        return (F - self.ideal) / self.span

    def admit(self, X: Rows, F: Rows) -> Vec:
        """Take in the rows that belong here; (n,) the maximin gain of each over the front as it was, in units of S."""
        if len(self) == 0:
            best = nondominated(F)
            self._hold(X[best].copy(), F[best].copy())
            return best.astype(float)
        earned = gain(self.scaled(F), self.scaled(self.F))
        enter = np.flatnonzero(earned > 0.0)
        if len(enter):
            enter = enter[nondominated(F[enter])]
            keep = ~dominated(self.F, F[enter])
            self._hold(np.concatenate([self.X[keep], X[enter]]), np.concatenate([self.F[keep], F[enter]]))
        return np.asarray(np.clip(earned, 0.0, 1.0))

    def _hold(self, X: Rows, F: Rows) -> None:
        self.X, self.F = X, F
        self._rescale()
        if len(F) > 1.5 * self.capacity:
            keep = self._thinned()
            self.X, self.F = X[keep], F[keep]
            self._rescale()

    def _rescale(self) -> None:
        self.ideal = self.F.min(axis=0)
        span = self.F.max(axis=0) - self.ideal
        unit = np.maximum(np.abs(self.ideal), 1e-300)
        self.span = np.where((span > 1e-14 * unit) & np.isfinite(span), span, np.clip(unit, 1e-12, 1e300))

    def _thinned(self) -> Index:
        """Rows to keep: half of the excess leaves at a time, the most crowded first; each objective's best stays."""
        keep = np.arange(len(self.F))
        while len(keep) > self.capacity:
            crowding = sparsity(self.scaled(self.F[keep]))
            crowding[np.argmin(self.F[keep], axis=0)] = np.inf
            excess = len(keep) - self.capacity
            leaving = np.argsort(crowding, kind="stable")[: max(excess // 2, min(excess, 10))]
            keep = np.delete(keep, leaving)
        return keep
