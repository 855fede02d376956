"""Whether fits keep their promises: what tells a hurried descent into one basin of many from a smooth one.

Before a generation enters the window, the last fit says by how much its own candidate will lie below the host's rows.
On a smooth landscape it does (a ratio of 1, within 0.1); where the host still spans many basins a fit sees their
envelope, and the candidate, which lands in one of them, gains a fraction (a tenth on Rastrigin's function). Inside the
basin that was chosen promises are kept again, so what counts is by how much the host's width shrank on broken ones,

    rough = Σ max(1 − ratio/kept, 0) · log(width before/width after),

as long as the width is within a factor of 20 of the widest: roughness on a finer scale than that is met inside a
funnel, where the host would have ended as well (Griewank's function).
"""

from __future__ import annotations

from math import log

from janusopt.core.arrays import Vec
from janusopt.core.evidence import Smoothed

_RATE = 0.2  # of the smoothed ratio: five scored generations
_KEPT = 0.6  # ratio from which on a promise counts as kept
_WIDE = 20.0  # widest over width up to which basins are still chosen
_ROUGH = 1.1  # measured at the end of a descent: 1.2 to 2.2 on f4, f20, Rastrigin; up to 1.0 on Ackley, Griewank
_OVER = 300.0  # widest over width from which only the bottom of the basin is left to find


class Promises:
    """Of one descent. Widths and gains are in the units of x and of the objective; only their ratios count."""

    def __init__(self) -> None:
        self._ratio, self._shown = Smoothed(_RATE, 1.0), Smoothed(_RATE, 0.0)  # before anything is known: kept; broken
        self._widest = self._last = 0.0
        self._rough = 0.0

    def compare(self, f: Vec, predicted: Vec, unit: float, row: int, ours: int) -> None:
        """f (n,) of a generation and the fit's word on it; ``row`` is its candidate, from ``ours`` on the host's."""
        gained, promised = (_ahead(values.tolist(), row, ours) for values in (f, predicted))
        self.add(gained, promised * unit)

    def add(self, gained: float, promised: float) -> None:
        """What a candidate gained on the host's rows of its generation, and what the fit had promised."""
        if promised > 0.0:
            ratio = min(max(gained / promised, -1.0), 2.0)
            self._ratio.add(ratio)
            self._shown.add(ratio)

    def shrink(self, width: float) -> None:
        """The largest standard deviation of the host, once a generation."""
        if not width > 0.0:
            return
        if self._widest / _WIDE < width < self._last:
            self._rough += max(1.0 - self._ratio.value / _KEPT, 0.0) * log(self._last / width)
        self._last, self._widest = width, max(self._widest, width)

    @property
    def shown(self) -> float:
        """The smoothed ratio of late, 0 before any was seen: 1 where fits hold, more where they promise too little."""
        return self._shown.value

    @property
    def hurried(self) -> bool:
        """Whether the descent is over, and was faster than its landscape allowed."""
        return self._rough > _ROUGH and self._widest > _OVER * self._last


def _ahead(values: list[float], row: int, ours: int) -> float:
    """By how much a row lies below the mean from ``ours`` on; not finite beyond 1e300: no ratio, so no promise."""
    theirs = values[ours:]
    return sum(theirs) / len(theirs) - values[row]
