"""The region about the best row (:mod:`janusopt.core.region`), for one objective on hosts that keep a population.

The window is what lies near of a longer memory. How many rows there are is a matter of what they gain
(:mod:`janusopt.core.gains`).
"""

from __future__ import annotations

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.gains import Gains
from janusopt.core.region import Region, Step
from janusopt.core.trace import Trace

SOURCES = ("local", "around")  # the step and the samples

_MEMORY, _NUMBERS = 5, 1_000_000  # windows to look for near rows in, as long as they hold no more numbers than that
_WIDE = 20_000  # variables beyond which there is no memory for it
_SHARE = 0.3  # of the slots, at most
_SLACK = 0.1  # least chance of rows, which can revive them


class Vicinity:
    """Rows about the best one, and what came of them."""

    def __init__(self, config: JanusConfig, d: int) -> None:
        most = max(min(_MEMORY * config.window, _NUMBERS // d), config.window)
        self._trace = Trace(most)
        self._region = Region(config)
        self._gains = Gains()
        self._best: tuple[Vec, float] | None = None
        self._asked: Step | None = None

    @classmethod
    def of(cls, config: JanusConfig, frame: Frame) -> Vicinity | None:
        """None where the host has a distribution of its own, or a setting asks for less than both uses of a fit."""
        asked = config.gn and config.trust_region and config.cmix in ("auto", "sample") and config.blocks is None
        fits = config.chart in ("auto", "newton") and frame.d <= _WIDE
        return cls(config, frame.d) if frame.population and asked and fits else None

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...]) -> None:
        """Rows (n, d) with values; the first are ours, from ``sources``."""
        f = np.where(evals.failed | np.isnan(evals.f), np.inf, evals.f)
        ours = np.zeros(len(f), dtype=bool)
        ours[: len(sources)] = [source in SOURCES for source in sources[: len(f)]]
        if self._best is not None:
            self._gains.add(f, ours, self._best[1])
            if self._asked is not None and "local" in sources[: len(f)]:
                self._region.judge(self._best[1] - float(f[sources.index("local")]), self._asked)
        self._asked = None
        b = int(np.argmin(f))
        if np.isfinite(f[b]) and (self._best is None or f[b] < self._best[1]):
            self._best = X[b].copy(), float(f[b])
            self._region.move(self._best[0], theirs=not ours[b])
        self._trace.record(X, evals)

    def candidates(self, frame: Frame, slots: int, rng: np.random.Generator) -> list[tuple[str, Vec]]:
        """Rows (d,) with their sources, at most a share of the slots, fewer or none where they gain little."""
        chance = max(_SLACK, self._gains.share)
        if self._best is None or rng.random() >= chance:
            return []
        count = min(max(round(_SHARE * chance * slots), 2), slots)
        window = self._trace.window()
        offer = self._region.offer(frame, self._best[0], window.X, window.f, count, rng)
        self._asked = offer.step
        found = [("around", z) for z in offer.Z]
        if offer.step is not None:
            found.insert(0, ("local", offer.step.z))
        return [(source, offer.frame.from_z(z)) for source, z in found]
