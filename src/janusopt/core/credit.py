"""Who earns the slots: discounted mean gain per source, measured against the host's own rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janusopt.core.arrays import Vec

_MOST = 10.0


class Credit:
    """Discounted mean gain of the host's rows and of each source's.

    Means forget with a half-life counted in rows, so that a host that gives one row at a time and one that gives a
    hundred learn at the same pace. A source that was never seen is believed to earn what the host earns.
    """

    def __init__(self, sources: Sequence[str], half_life: float = 60.0, prior: float = 10.0) -> None:
        self.sources = tuple(sources)
        self._keep = 0.5 ** (1.0 / half_life)
        self._prior = prior
        self._sums = dict.fromkeys(("host", *sources), 0.0)
        self._counts = dict.fromkeys(("host", *sources), 0.0)

    def pay(self, names: Sequence[str], gains: Vec) -> None:
        """One generation, or its beginning: ``gains`` (n,), the sources of the first rows; the rest are the host's."""
        owners = np.array([*names, *["host"] * len(gains)][: len(gains)])
        for name in self._sums:
            earned = gains[owners == name]
            slow = 5.0 if name == "host" else 1.0
            keep = self._keep ** (len(earned) / slow)
            self._sums[name] = keep * self._sums[name] + float(earned.sum())
            self._counts[name] = keep * self._counts[name] + len(earned)

    def ratio(self, source: str) -> float:
        """What a row of the source earns in units of a row of the host, at most 10 (1 when neither has earned yet)."""
        host = self._sums["host"] / max(self._counts["host"], 1.0)
        own = (self._sums[source] + self._prior * host) / (self._counts[source] + self._prior)
        if own <= 0.0 and host <= 0.0:
            return 1.0
        return _MOST if own >= _MOST * host else own / host

    def shares(self, least: float = 0.1) -> Vec:
        """(number of sources,) summing to 1, in proportion to the ratios; none below ``least`` over their number."""
        ratios = np.array([self.ratio(name) for name in self.sources])
        floor = least / len(ratios)
        total = float(ratios.sum())
        fair = ratios / total if total > 0.0 else np.full(len(ratios), 1.0 / len(ratios))
        return floor + (1.0 - least) * fair
