"""Infill by name: what ``infill="…"`` means at a front door."""

from __future__ import annotations

import numpy as np

from janusopt.config import JanusConfig
from janusopt.errors import InputError
from janusopt.infill import Infill, NoInfill, RandomInfill
from janusopt.janus import Janus

NAMES = ("janus", "janus-gn", "cmix", "paper", "paper-gn", "random", "none")


def make_infill(spec: str | Infill | JanusConfig | None, *, d: int, scalar: bool, rng: np.random.Generator) -> Infill:
    """The infill that ``spec`` names; an object that already is one is taken as it is.

    janus: the default, GN and CMIX. janus-gn: GN candidates only. cmix: CMIX only. paper, paper-gn: the paper's
    settings. random: as many rows without geometry. none or None: the bare host. A :class:`JanusConfig` is JANUS with
    those settings.
    """
    if spec is None or spec == "none":
        return NoInfill()
    if isinstance(spec, JanusConfig):
        return Janus(spec, rng=rng)
    if isinstance(spec, str):
        return _named(spec, d, scalar, rng)
    if isinstance(spec, Infill):
        return spec
    raise InputError(
        f"infill must be one of {', '.join(NAMES)}, a JanusConfig or an object with propose and observe, got "
        f"{type(spec).__name__}"
    )


def _named(name: str, d: int, scalar: bool, rng: np.random.Generator) -> Infill:
    if name == "random":
        return RandomInfill(rng=rng)
    configs = {
        "janus": JanusConfig(),
        "janus-gn": JanusConfig(cmix="off"),
        "cmix": JanusConfig(gn=False, lbfgs=False),
        "paper": JanusConfig.paper(d, scalar=scalar),
        "paper-gn": JanusConfig.paper(d, scalar=scalar).replace(cmix="off"),
    }
    if name not in configs:
        raise InputError(f"infill must be one of {', '.join(NAMES)}, got {name!r}")
    return Janus(configs[name], rng=rng)
