"""A bounded sample of all rows of a run, each as likely to be in it as any other."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows


class Reservoir:
    """Uniform sample without replacement (Vitter's algorithm R) of the rows (n, d) it is given."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._rows: Rows = np.empty((0, 0))
        self._seen = 0

    @property
    def rows(self) -> Rows:
        """(min(seen, capacity), d)."""
        return self._rows[: self._seen]

    def add(self, X: Rows, rng: np.random.Generator) -> None:
        """Row number t takes a random place among the first t + 1, if that is one of those held."""
        if self._seen == 0:
            self._rows = np.empty((self.capacity, X.shape[1]))
        serial = np.arange(self._seen, self._seen + len(X))
        place = np.where(serial < self.capacity, serial, rng.integers(serial + 1))
        held = place < self.capacity
        self._rows[place[held]] = X[held]
        self._seen += len(X)
