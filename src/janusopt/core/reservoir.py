"""A bounded sample of the rows of a run: the first ones, and of all others each as likely as any other."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows


class Reservoir:
    """``capacity`` rows: the first ``kept`` that came, and a uniform sample of the rest (Vitter's algorithm R)."""

    def __init__(self, capacity: int, kept: int = 0) -> None:
        self.capacity, self.kept = capacity, kept
        self._rows: Rows = np.empty((0, 0))
        self._seen = 0

    @property
    def rows(self) -> Rows:
        """(min(seen, capacity), d)."""
        return self._rows[: self._seen]

    def add(self, X: Rows, rng: np.random.Generator) -> None:
        """Row t of the rest takes a random place among the first t + 1 of it, if that is one of those held."""
        if self._seen == 0:
            self._rows = np.empty((self.capacity, X.shape[1]))
        serial = np.arange(self._seen, self._seen + len(X))
        drawn = self.kept + rng.integers(np.maximum(serial + 1 - self.kept, 1))
        place = np.where(serial < self.capacity, serial, drawn)
        held = place < self.capacity
        self._rows[place[held]] = X[held]
        self._seen += len(X)
