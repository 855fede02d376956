"""Recent rows by direction: where infill takes its anchors from, and its credit, with many objectives.

With more than a few objectives almost every row is non-dominated, also one that is far behind in most of them, so a
front says neither who is ahead nor what is new. Here rows are compared only with those that lie in nearly the same
direction from the ideal point,

    s = (f − ideal)/(median − ideal),     length ‖s‖,     direction s/‖s‖,

and one is ahead if it is shorter: it has the same trade-off at less of everything. The median and not the worst row
gives the unit, which a single row that is far behind cannot stretch.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Rows, Vec

_NEIGHBOURS = 10  # rows that lie in nearly the same direction
_GENERATIONS = 3  # of the largest size that are remembered


class Niches:
    """The rows X (n, d) and F (n, m) of the last generations."""

    def __init__(self) -> None:
        self.X: Rows = np.empty((0, 0))
        self.F: Rows = np.empty((0, 0))
        self._room = 0

    def __len__(self) -> int:
        return len(self.F)

    def admit(self, X: Rows, F: Rows) -> None:
        """Take in a generation (n, d), (n, m), and forget the oldest rows."""
        self._room = max(self._room, _GENERATIONS * len(F))
        kept = min(len(self), self._room - len(F))
        start = len(self) - kept
        self.X = np.concatenate([self.X[start:], X]) if kept else X.copy()
        self.F = np.concatenate([self.F[start:], F]) if kept else F.copy()

    def receive(self, X: Rows, F: Rows) -> Vec:
        """Admit a generation (n, d), (n, m); (n,): the :meth:`worth` that its rows had before."""
        worth = self.worth(F)
        self.admit(X, F)
        return worth

    def worth(self, F: Rows) -> Vec:
        """(n,): by which share of its length each row of F (n, m) is ahead of all of its neighbours, else 0."""
        if len(self) == 0:
            return np.ones(len(F))
        lengths, directions = self._polar(self.F)
        own, theirs = self._polar(F)
        ahead = lengths[_nearest(theirs, directions)].min(axis=1)
        return np.asarray(np.maximum(1.0 - own / np.maximum(ahead, 1e-300), 0.0))

    def anchors(self, k: int, rng: np.random.Generator) -> Index:
        """(k,): the shortest among the neighbours of rows drawn at random."""
        lengths, directions = self._polar(self.F)
        near = _nearest(directions[rng.integers(len(self), size=k)], directions)
        return np.asarray(near[np.arange(k), np.argmin(lengths[near], axis=1)])

    def _polar(self, F: Rows) -> tuple[Vec, Rows]:
        """Length (n,) and direction (n, m) of each row of F in units of the remembered ones."""
        ideal = self.F.min(axis=0)
        span = np.median(self.F, axis=0) - ideal
        S = (F - ideal) / np.where(span > 0.0, span, 1.0)
        lengths = np.sqrt(np.einsum("nm,nm->n", S, S))
        return lengths, S / np.maximum(lengths, 1e-300)[:, None]


def _nearest(D: Rows, among: Rows) -> Index:
    """(n, k): for each unit vector of D (n, m) the rows of ``among`` with the least angles to it, in no order."""
    k = min(_NEIGHBOURS, len(among))
    return np.argpartition(-(D @ among.T), k - 1, axis=1)[:, :k]
