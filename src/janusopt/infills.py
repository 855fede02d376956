"""Infill by name: what ``infill="…"`` means at a front door."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from janusopt.config import JanusConfig
from janusopt.errors import InputError
from janusopt.infill import Infill, NoInfill, RandomInfill
from janusopt.janus import Janus
from janusopt.pareto import ParetoConfig, ParetoJanus

NAMES = ("janus", "janus-gn", "cmix", "paper", "paper-gn", "random", "none")
PARETO_NAMES = ("janus", "paper-2", "paper-5", "differential", "region", "newton", "snap", "random", "none")


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


def make_pareto_infill(
    spec: str | Infill | ParetoConfig | None, *, fraction: float | None = None, rng: np.random.Generator
) -> Infill:
    """The infill for several objectives that ``spec`` names; an object that already is one is taken as it is.

    janus: the default. paper-2, paper-5: the paper's GN and CMIX in 2% or 5% of the slots. differential, region,
    newton: one source alone. snap, random: controls without geometry. none or None: the bare host. ``fraction``
    replaces the setting of that name.
    """
    if spec is None or spec == "none":
        return NoInfill()
    if not isinstance(spec, str | ParetoConfig) and isinstance(spec, Infill):
        if fraction is not None:
            raise InputError("fraction is for infill by name: set it on the infill object itself")
        return spec
    config = _pareto_config(spec) if isinstance(spec, str) else spec
    if not isinstance(config, ParetoConfig):
        raise InputError(
            f"infill must be one of {', '.join(PARETO_NAMES)}, a ParetoConfig or an object with propose and observe, "
            f"got {spec!r}"
        )
    return ParetoJanus(config if fraction is None else replace(config, fraction=fraction), rng=rng)


def _pareto_config(name: str) -> ParetoConfig | None:
    if name.startswith("paper-"):
        return {"paper-2": ParetoConfig.paper(0.02), "paper-5": ParetoConfig.paper(0.05)}.get(name)
    if name == "janus":
        return ParetoConfig()
    if name == "newton":
        return ParetoConfig(sources=("newton",), refit_every=1, models=5)
    return ParetoConfig(sources=(name,)) if name in PARETO_NAMES else None
