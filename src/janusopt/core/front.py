"""The bounded non-dominated archive: where multi-objective infill takes its anchors and its scale from."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Mask, Rows, Vec
from janusopt.core.contribution import contributions
from janusopt.core.dominance import chain_sparsity, covered, lifted_distances, nearest, nondominated, sparsity

_REFERENCE = 1.2  # of hypervolume, in units of S: a little beyond the nadir


class Front:
    """Non-dominated feasible rows, X (k, d) and F (k, m), S of them :meth:`scaled`.

    Grows to 1.5 times ``capacity``, then is thinned to it.
    """

    def __init__(self, capacity: int = 100) -> None:
        self.capacity = capacity
        self.X: Rows = np.empty((0, 0))
        self.F: Rows = np.empty((0, 0))
        self.S: Rows = np.empty((0, 0))
        self.ideal: Vec = np.empty(0)
        self.span: Vec = np.empty(0)

    def __len__(self) -> int:
        return len(self.F)

    def scaled(self, F: Rows) -> Rows:
        """``S = (F − ideal)/(nadir − ideal)``; an objective that is constant on the front keeps its own unit."""
        return (F - self.ideal) / self.span

    def receive(self, X: Rows, F: Rows) -> Vec:
        """Admit rows X (n, d), F (n, m); (n,): the volume in units of S that each alone adds; 1 while there is none.

        A row that only widens the front beyond the reference point adds nothing.
        """
        if len(self) == 0:
            self.admit(X, F)
            return np.ones(len(F))
        S = self.scaled(F)
        enter = np.flatnonzero(~covered(S, self.S))
        worth = np.zeros(len(F))
        bounded = np.maximum(S[enter], -1.0)  # however small the front was: a bounded worth
        worth[enter] = contributions(bounded, self.S, _REFERENCE)
        self._enter(X, F, enter)
        return worth

    def admit(self, X: Rows, F: Rows) -> Mask:
        """Take in the rows that belong here; (n,) those that no row of the front as it was is at least as good as."""
        if len(self) == 0:
            best = nondominated(F)
            self._hold(X[best], F[best])
            return best
        better = ~covered(self.scaled(F), self.S)
        self._enter(X, F, np.flatnonzero(better))
        return better

    def anchors(self, k: int, rng: np.random.Generator) -> Index:
        """(k,): rows by binary tournament on sparsity, even over the front's extent; all are drawn before any twice."""
        drawn = [rng.permutation(len(self)) for _ in range(2)]
        first, second = (order[:k] if k <= len(order) else np.resize(order, k) for order in drawn)
        both = np.concatenate([first, second])
        room = chain_sparsity(self.S)[both] if self.S.shape[1] == 2 else sparsity(self.S, both)
        return np.asarray(np.where(room[:k] >= room[k:], first, second))

    def _enter(self, X: Rows, F: Rows, rows: Index) -> None:
        """Take in those of ``rows``, which no row of the front covers, that no other of them dominates."""
        if len(rows) == 0:
            return
        rows = rows[nondominated(F[rows])]
        X, F = X[rows], F[rows]
        keep = ~covered(self.F, F)
        self._hold(np.concatenate([self.X[keep], X]), np.concatenate([self.F[keep], F]))

    def _hold(self, X: Rows, F: Rows) -> None:
        self.X, self.F = X, F
        self._rescale()
        if len(F) > 1.5 * self.capacity:
            keep = self._thinned()
            self.X, self.F = X[keep], F[keep]
            self._rescale()

    def _rescale(self) -> None:
        self.ideal = self.F.min(axis=0)
        self.span = self.F.max(axis=0) - self.ideal
        unit = np.maximum(np.abs(self.ideal), 1e-300)
        wide = (self.span > 1e-14 * unit) & np.isfinite(self.span)
        if not wide.all():
            self.span = np.where(wide, self.span, np.clip(unit, 1e-12, 1e300))
        self.S = self.scaled(self.F)

    def _thinned(self) -> Index:
        """Rows to keep: two thirds of the excess leave at a time, the most crowded first; the best of each stays."""
        keep, end = np.arange(len(self.F)), np.zeros(len(self.F), dtype=bool)
        end[np.argmin(self.F, axis=0)] = True
        apart = None if self.S.shape[1] == 2 else lifted_distances(self.S, keep)
        while (excess := len(keep) - self.capacity) > 0:
            crowding = chain_sparsity(self.S[keep]) if apart is None else nearest(*apart)[keep]
            crowding[end[keep]] = np.inf
            leaving = np.argsort(crowding, kind="stable")[: max(2 * excess // 3, min(excess, 20))]
            if apart is not None:
                apart[0][:, keep[leaving]] = np.inf
            keep = np.delete(keep, leaving)
        return keep
