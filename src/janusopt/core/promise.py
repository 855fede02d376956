"""Whether fits keep their promises: what tells a hurried descent into one basin of many from a smooth one.

Before a generation enters the window, the last fit says by how much its own candidate will lie below the host's rows.
On a smooth landscape it does; where the host still spans many basins a fit sees their envelope, and the candidate,
which lands in one of them, gains a fraction. Inside the basin that was chosen promises are kept again, so the ratio
counts by how much the host's width has shrunk meanwhile: a descent in which it fell by a factor of ten on broken
promises has chosen its basin faster than the landscape allowed.
"""

from __future__ import annotations

from math import log

from janusopt.core.evidence import Smoothed

_RATE = 0.2  # of the smoothed ratio: five scored generations
_KEPT = 0.6  # ratio below which a promise is broken; measured 1.0 ± 0.1 on smooth functions, 0.1 to 0.5 on rugged ones
_ROUGH = log(10.0)  # shrinking on broken promises that makes a descent a hurried one
_SETTLED = log(1000.0)  # shrinking in all after which nothing but the bottom of the basin is left to find


class Promises:
    """Of one descent. Widths and gains are in the units of the objective and of x; only their ratios count."""

    def __init__(self) -> None:
        self._ratio = Smoothed(_RATE, 1.0)
        self._widest = self._last = 0.0
        self._rough = 0.0

    def add(self, gained: float, promised: float) -> None:
        """What a candidate gained on the host's rows of its generation, and what the fit had promised."""
        if promised > 0.0:
            self._ratio.add(min(max(gained / promised, -1.0), 2.0))

    def shrink(self, width: float) -> None:
        """The largest standard deviation of the host, once a generation."""
        if not width > 0.0:
            return
        if width < self._last and self._ratio.value < _KEPT:
            self._rough += log(self._last / width)
        self._last, self._widest = width, max(self._widest, width)

    @property
    def hurried(self) -> bool:
        """Whether the descent is over, and was faster than its landscape allowed."""
        return self._rough > _ROUGH and log(self._widest / self._last) > _SETTLED
