"""The bounded non-dominated archive: where multi-objective infill takes its anchors and its scale from."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Mask, Rows, Vec
from janusopt.core.contribution import contributions
from janusopt.core.dominance import dominated, gain, nondominated, sparsity

_REFERENCE = 1.2  # of hypervolume, in units of S: a little beyond the nadir


class Front:
    """Non-dominated feasible rows, X (k, d) and F (k, m). Grows to 1.5 times ``capacity``, then is thinned to it."""

    def __init__(self, capacity: int = 100) -> None:
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

    def worth(self, F: Rows) -> Vec:
        """(n,): the volume in units of S that each row of F (n, m) alone would add to the front; 1 while there is none.

        A row that only widens the front beyond the reference point adds nothing.
        """
        if len(self) == 0:
            return np.ones(len(F))
        S, A = np.maximum(self.scaled(F), -1.0), self.scaled(self.F)  # however small the front was: a bounded worth
        return contributions(S, A, _REFERENCE)

    def admit(self, X: Rows, F: Rows) -> Mask:
        """Take in the rows that belong here; (n,) those that no row of the front as it was is at least as good as."""
        if len(self) == 0:
            best = nondominated(F)
            self._hold(X[best].copy(), F[best].copy())
            return best
        better = gain(self.scaled(F), self.scaled(self.F)) > 0.0
        enter = np.flatnonzero(better)
        if len(enter):
            enter = enter[nondominated(F[enter])]
            keep = ~dominated(self.F, F[enter])
            self._hold(np.concatenate([self.X[keep], X[enter]]), np.concatenate([self.F[keep], F[enter]]))
        return better

    def anchors(self, k: int, rng: np.random.Generator) -> Index:
        """(k,): rows by binary tournament on sparsity, even over the front's extent; all are drawn before any twice."""
        pairs = np.stack([np.resize(rng.permutation(len(self)), k) for _ in range(2)])
        room = sparsity(self.scaled(self.F), pairs.ravel()).reshape(2, k)
        return np.asarray(np.where(room[0] >= room[1], pairs[0], pairs[1]))

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
        """Rows to keep: two thirds of the excess leave at a time, the most crowded first; the best of each stays."""
        keep = np.arange(len(self.F))
        while len(keep) > self.capacity:
            crowding = sparsity(self.scaled(self.F[keep]))
            crowding[np.argmin(self.F[keep], axis=0)] = np.inf
            excess = len(keep) - self.capacity
            leaving = np.argsort(crowding, kind="stable")[: max(2 * excess // 3, min(excess, 20))]
            keep = np.delete(keep, leaving)
        return keep
