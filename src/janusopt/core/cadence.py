"""How many generations a fit serves, and how many lie between two reshapes.

A fit of f on a CMA host need not be made anew in every generation. Where a window knows less than a tenth of the
d(d + 1)/2 curvatures, a step errs by what is not known and not by the few rows that are new. What is proposed while a
fit stands differs by size: where Eq. 3 looks back the fit's own rows are proposed again, which costs nothing; with more
variables than that, where it would only shorten the host's steps, there is a row of the run's gradients at the mean of
now.
"""

from __future__ import annotations

from janusopt.config import JanusConfig

_LITTLE, _LONG = (
    0.1,
    4,
)  # share of all curvatures known, below which a fit stands, and one that looks back rests, so long
_LARGE, _SHORT = 200, 2  # variables from which it stands so long on a host whose covariance has no long window
_CALM = 2  # times as long between two reshapes by the long window, whose fit changes half as fast


def knows_little(n: int, d: int) -> bool:
    """Whether n rows know less than a tenth of the d(d + 1)/2 curvatures."""
    return 2 * n < _LITTLE * d * (d + 1)


def span(config: JanusConfig, d: int, *, owns_covariance: bool, looks_back: bool) -> int:
    """Generations for which a fit of f stands; ``looks_back``: Eq. 3 has fits of its own."""
    if config.refit_every != "auto":
        return config.refit_every
    if looks_back:
        return _LONG if knows_little(config.window, d) else 1
    return _SHORT if owns_covariance and d >= _LARGE else 1


def rest(config: JanusConfig, d: int, pace: int, *, looks_back: bool) -> int:
    """Generations between two reshapes by Eq. 3: at large d, by ``pace``, a decomposition costs more than one."""
    usual = max(config.mix_every, d // pace)
    if not looks_back:
        return usual
    return usual * (_LONG if knows_little(config.window, d) else _CALM)
