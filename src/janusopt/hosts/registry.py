"""Hosts by name: what ``host="…"`` means at a front door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from janusopt.errors import InputError
from janusopt.hosts.base import Host
from janusopt.space import Space

NAMES = ("cma", "sep-cma", "vkd-cma", "cmaes", "de")
_SAMPLERS = {"cma": "full", "sep-cma": "diagonal", "vkd-cma": "vkd"}
_ABOUT_START = (*_SAMPLERS, "cmaes")  # whose first rows are N(x0, sigma0²); de fills the box
_NEAR = 0.05  # of the spread that a box gives: a hundredth of its side


def make_host(
    spec: str | Host, space: Space, seed: np.random.SeedSequence, popsize: int | None, options: Mapping[str, Any]
) -> Host:
    """The host that ``spec`` names, started in ``space``; an object that already is one is taken as it is.

    cma, sep-cma, vkd-cma: pycma with a full, diagonal or VkD sampler. cmaes: CyberAgent's. de: differential evolution.
    ``options`` go to the named host.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Host):
            return spec
        raise InputError(
            f"host must be one of {', '.join(NAMES)} or an object with frame, ask and tell, got {type(spec).__name__}; "
            "wrap an ask/tell optimizer in janusopt.hosts.ask_tell.AskTell"
        )
    if popsize is not None and (not isinstance(popsize, (int, np.integer)) or popsize < 2):
        raise InputError(f"popsize must be a whole number of at least 2, got {popsize!r}")
    if spec in _SAMPLERS:
        from janusopt.hosts.pycma import PycmaHost

        return PycmaHost(
            space.x0, space.sigma0, space.lower, space.upper,
            seed=seed, popsize=popsize, sampler=_SAMPLERS[spec], options=options,
        )  # fmt: skip
    if spec == "cmaes":
        from janusopt.hosts.cmaes import CmaesHost

        return CmaesHost(space.x0, space.sigma0, space.lower, space.upper, seed=seed, popsize=popsize, **options)
    if spec == "de":
        from janusopt.hosts.de import DEHost

        return DEHost(space.x0, space.sigma0, space.lower, space.upper, seed=seed, popsize=popsize, **options)
    raise InputError(f"host must be one of {', '.join(NAMES)}, got {spec!r}")


def make_near(
    spec: str | Host, space: Space, seed: np.random.SeedSequence, popsize: int | None, options: Mapping[str, Any]
) -> Host | None:
    """The host that ``spec`` names, narrowly about x0; None where it does not start there, or without any box."""
    if spec not in _ABOUT_START or not space.boxed.any():
        return None
    return make_host(spec, space.narrowed(_NEAR), seed, popsize, options)
