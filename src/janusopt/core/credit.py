"""Who earns the slots: discounted mean gain per source, measured against the host's own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from janusopt.core.arrays import Vec

_MOST = 10.0  # ratio beyond which a source cannot be told from a lucky one
_EVEN = 2.0  # weight of all sources together against the host's 1 when they earn what it does
_RECENT = 300.0  # evaluations: half-life of the unit that gains are measured in


class Credit:
    """Discounted mean gain of the host's rows and of each source's, in units of the recent mean.

    Means forget with a half-life counted in evaluations, so that a host that gives one row at a time and one that gives
    a hundred learn at the same pace. ``parts`` say what the sources get where all earn alike, 1 for one that is not
    named. A source that was never seen is believed to earn what the host earns, and one that has not been seen for long
    returns to that belief.
    """

    def __init__(
        self,
        sources: Sequence[str],
        parts: Mapping[str, float] | None = None,
        *,
        half_life: float = 2000.0,
        prior: float = 5.0,
    ) -> None:
        self.sources = tuple(sources)
        part = [(parts or {}).get(name, 1.0) for name in self.sources]
        self._even = [_EVEN * one / sum(part) for one in part]
        self._half_life, self._prior = half_life, prior
        self._unit = 0.0
        self._number = {name: number for number, name in enumerate(("host", *sources))}
        self._sums = dict.fromkeys(("host", *sources), 0.0)
        self._counts = dict.fromkeys(("host", *sources), 0.0)

    def pay(self, names: Sequence[str], gains: Vec) -> None:
        """One generation, or its beginning: ``gains`` (n,), the sources of the first rows; the rest are the host's."""
        n = len(gains)
        mean = float(gains.sum()) / n
        recent = 0.5 ** (n / _RECENT)
        self._unit = recent * self._unit + (1.0 - recent) * mean if self._unit > 0.0 else mean
        if not self._unit > 0.0:
            return
        owners = np.zeros(n, dtype=np.int8)
        owners[: len(names)] = [self._number.get(name, -1) for name in names[:n]]
        keep = 0.5 ** (n / self._half_life)
        for name, number in self._number.items():
            earned = gains[owners == number]
            self._sums[name] = keep * self._sums[name] + float(earned.sum()) / self._unit
            self._counts[name] = keep * self._counts[name] + len(earned)

    @property
    def pace(self) -> float:
        """The recent mean gain of all rows."""
        return self._unit

    def ratio(self, source: str) -> float:
        """What a row of the source earns in units of a row of the host, at most 10."""
        host = (self._sums["host"] + self._prior) / (self._counts["host"] + self._prior)
        own = (self._sums[source] + self._prior * host) / (self._counts[source] + self._prior)
        return min(own / host, _MOST)

    def shares(self) -> Vec:
        """(number of sources,), what is missing to 1 is the host's: weights grow with the square of the ratios."""
        ratios = [self.ratio(name) for name in self.sources]
        weights = [even * (ratio * ratio) for even, ratio in zip(self._even, ratios, strict=True)]
        return np.array(weights) / (1.0 + sum(weights))
