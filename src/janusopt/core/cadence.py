"""How often a window is fitted, and how often its fits are scored.

Where a window knows few of the d(d + 1)/2 curvatures and the host stays where it is while it learns its covariance, the
fit of the next generation differs little from the last one. There a fit stands for four generations, as a model does in
a trust region, as long as fits keep their promises; steps start from the host's mean of now all the same. Where they
break them every generation has a fit of its own, and where the host travels too: on a descent, or along a valley's
floor, its step size falls by a quarter or grows by a third while the window fills. From 200 variables on a fit always
stands for two. Components and hosts without a full covariance are fitted every generation.
"""

from __future__ import annotations

from math import log

from janusopt.config import JanusConfig
from janusopt.core.evidence import Smoothed
from janusopt.core.frame import Frame

_FEW = 0.1  # share of all curvatures that a window knows, below which a fit stands
_LARGE = 200  # variables from which a fit's second generation has an L-BFGS step of its own, and a diagonal will do
_KEPT = (0.85, 1.1)  # share of what fits promise that comes, where a fit stands: all of it and not much more
_TRAVELS = 0.3  # change of log σ while a window fills, from which on nothing stands
_RATE = 0.04  # of the smoothed fall: 25 generations
_SCORED = 2  # generations between two out-of-sample scores
_LONG = 4  # generations of a fit that stands, and then between two scores


class Cadence:
    """Of one descent. ``lasting``: generations that a fit serves now."""

    def __init__(self, config: JanusConfig) -> None:
        self._config = config
        self._sigma = 0.0
        self._fall = Smoothed(_RATE)
        self.lasting = 1

    def look(self, frame: Frame, components: bool, shown: float, rows: int) -> None:
        """Before a generation is proposed; ``shown``: how much of what fits promise has come of late.

        ``rows``: of a generation.
        """
        if self._sigma > 0.0 and frame.sigma > 0.0:
            self._fall.add(log(self._sigma / frame.sigma))
        self._sigma = frame.sigma
        stands = self._config.refit_every == "auto" and frame.owns_covariance and not components and self.few(frame.d)
        self.lasting = 1
        if stands and frame.d >= _LARGE:
            self.lasting = 2
        elif stands and frame.rotated and _KEPT[0] <= shown <= _KEPT[1]:
            travels = abs(self._fall.value) * self._config.window >= _TRAVELS * max(rows, 1)
            self.lasting = 1 if travels else _LONG

    def few(self, d: int) -> bool:
        """Whether a window knows few of the curvatures of d variables."""
        return 2 * self._config.window < _FEW * d * (d + 1)

    def due(self, generation: int) -> bool:
        """Whether the last fit has served its time."""
        return generation % (self.lasting if self._config.refit_every == "auto" else self._config.refit_every) == 0

    def scores(self, generation: int) -> bool:
        """Whether the fits are scored on this generation's rows."""
        return generation % max(self.lasting, _SCORED) == 0

    def steps(self, frame: Frame, fresh: bool) -> bool:
        """Whether there is a GN row: at large d a second one would be the first one again."""
        return fresh or self.lasting == 1 or frame.d < _LARGE

    def remembers(self, frame: Frame) -> bool:
        """Whether there is an L-BFGS row: between few rows and many it brought nothing."""
        return self.lasting == 1 or frame.d >= _LARGE
