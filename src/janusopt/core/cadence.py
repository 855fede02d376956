"""How many generations a fit serves, and how many lie between two reshapes.

A fit of f on a CMA host need not be made anew in every generation. Where a window knows less than a tenth of the
d(d + 1)/2 curvatures, a step errs by what is not known and not by the few rows that are new. While a fit stands, its
step starts from the mean of now where Eq. 3 looks back; with more variables than that, where it would be the same row
once more and only shorten the host's steps, there is a row of the run's gradients instead.
"""

from __future__ import annotations

from janusopt.config import JanusConfig

_LITTLE = 0.1  # share of all curvatures known, below which a fit stands while Eq. 3 looks back
_LARGE = 200  # variables from which it stands on a host whose covariance has no long window
_STANDS = 2  # generations
_CALM = 2  # times as long between two reshapes by the long window, whose fit changes half as fast


def knows_little(n: int, d: int) -> bool:
    """Whether n rows know less than a tenth of the d(d + 1)/2 curvatures."""
    return 2 * n < _LITTLE * d * (d + 1)


def span(config: JanusConfig, d: int, *, owns_covariance: bool, looks_back: bool) -> int:
    """Generations for which a fit of f stands; ``looks_back``: Eq. 3 has fits of its own."""
    if config.refit_every != "auto":
        return config.refit_every
    stands = knows_little(config.window, d) if looks_back else owns_covariance and d >= _LARGE
    return _STANDS if stands else 1


def rest(config: JanusConfig, d: int, pace: int, *, looks_back: bool) -> int:
    """Generations between two reshapes by Eq. 3: at large d, by ``pace``, a decomposition costs more than one."""
    usual = max(config.mix_every, d // pace)
    return _CALM * usual if looks_back else usual
