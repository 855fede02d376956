"""Fronts of a run with several objectives: the population's non-dominated rows at a few evaluation counts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.dominance import nondominated
from janusopt.volume import hypervolume, hypervolume_estimate

_EXACT = 5  # objectives up to which a hypervolume takes milliseconds
EARLIER = (4, 2)  #: a quarter and half of the budget: fronts that are stored beside the last one


class Gallery:
    """Keeps ``fronts``: evaluation count → the front (n, m) that was known when so many were spent, and no more."""

    def __init__(self, budget: int, objectives: int) -> None:
        self._due = deque(counts(budget, objectives))
        self.fronts: dict[int, Rows] = {}

    def before(self, evaluations: int, population: Callable[[], Rows]) -> None:
        """The next generation will have brought the run to ``evaluations``: look at the population (n, m) of now."""
        while self._due and self._due[0] < evaluations:
            self._keep(self._due.popleft(), population())

    def last(self, evaluations: int, F: Rows) -> None:
        """The run has ended with the population F (n, m)."""
        while self._due and self._due[0] <= evaluations:
            self._keep(self._due.popleft(), F)
        self._keep(evaluations, F)

    def _keep(self, count: int, F: Rows) -> None:
        if len(F):
            self.fronts[count] = F[nondominated(F)]


def counts(budget: int, objectives: int) -> list[int]:
    """Twelve, half an octave apart and ending at ``budget``; with five objectives and more four, an octave apart.

    Half and a quarter of the budget are always among them.
    """
    steps, octave = (12, 2) if objectives < _EXACT else (4, 1)
    return sorted({max(round(budget * 2.0 ** (-step / octave)), 1) for step in range(steps)})


def unit_volume(S: Rows) -> float:
    """Hypervolume of S (n, m) up to the point (1, …, 1); estimated where there are more than five objectives."""
    measure = hypervolume if S.shape[1] <= _EXACT else hypervolume_estimate
    return measure(S, np.ones(S.shape[1]))
