"""How many generations a fit serves, and how many lie between two reshapes.

A generation adds a few rows to a window of 300, and the more variables there are the less they change of what it says.
So on a CMA host a fit of f stands for some generations. What is proposed meanwhile differs by size: while Eq. 3 looks
back the fit's own rows are proposed again, which costs nothing; with more variables than that, where it would only
shorten the host's steps, there is a row of the run's gradients at the mean of now.
"""

from __future__ import annotations

from janusopt.config import JanusConfig

_PACE, _LONGEST = 25, 4  # variables for each generation that a fit stands while Eq. 3 looks back, and the most
_LARGE, _SHORT = 200, 2  # variables from which it stands so long on other hosts with a covariance
_CALM = 2  # times as long between two reshapes by the long window, whose fit changes half as fast


def span(config: JanusConfig, d: int, *, owns_covariance: bool, looks_back: bool) -> int:
    """Generations for which a fit of f stands; ``looks_back``: Eq. 3 has fits of its own."""
    if config.refit_every != "auto":
        return config.refit_every
    if looks_back:
        return min(max(d // _PACE, 1), _LONGEST)
    return _SHORT if owns_covariance and d >= _LARGE else 1


def rest(config: JanusConfig, d: int, pace: int, *, looks_back: bool) -> int:
    """Generations between two reshapes by Eq. 3: at large d, by ``pace``, a decomposition costs more than one."""
    usual = max(config.mix_every, d // pace)
    return usual * max(_CALM, min(d // _PACE, _LONGEST)) if looks_back else usual
