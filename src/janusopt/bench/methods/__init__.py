"""Methods by name: hosts with and without infill, and the peers. A method knows no suite.

For several objectives: pymoo's algorithms; janus-sms, janus-age2, … with JANUS in them, -2 and -5 for the paper's form
in 2% and 5% of the slots; sms-differential, sms-region, sms-newton (one source alone), sms-snap, sms-random (controls).

A method is ``method(problem, seed, budget, x0) -> Outcome``, where ``problem.fun`` counts evaluations and ends the run
by :class:`~janusopt.bench.meter.Stop`. A peer that converges starts again from a new uniform point until then.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

from janusopt.bench.methods.classical import l_bfgs_b, random_search, scipy_de
from janusopt.bench.methods.como import como_cma
from janusopt.bench.methods.jde import jde
from janusopt.bench.methods.multi import Multi
from janusopt.bench.methods.nlopt import Nlopt
from janusopt.bench.methods.ours import Ours
from janusopt.bench.methods.swarm import pso
from janusopt.bench.methods.trust_region import dfo_ls, scipy_lsq
from janusopt.bench.outcome import Outcome
from janusopt.bench.problem import Problem
from janusopt.core.arrays import Vec
from janusopt.errors import InputError

Method = Callable[[Problem, int, int, Vec], Outcome]

_HOSTS = {"sms": "sms-emoa", "age2": "age-moea2", "nsga2": "nsga2", "nsga3": "nsga3", "moead": "moead", "rvea": "rvea"}
_CONTROLS = ("differential", "region", "newton", "snap", "random")
_MULTI = {
    **{host: Multi(host) for host in _HOSTS.values()},
    **{f"janus-{short}": Multi(host, "janus") for short, host in _HOSTS.items()},
    **{
        f"janus-{short}-{share}": Multi(_HOSTS[short], f"paper-{share}")
        for short in ("sms", "age2")
        for share in (2, 5)
    },
    **{f"{short}-{infill}": Multi(_HOSTS[short], infill) for short in ("sms", "age2") for infill in _CONTROLS},
}
_METHODS: dict[str, Method] = {
    "cma": Ours("cma"),
    "janus": Ours("cma", "janus"),
    "janus-gn": Ours("cma", "janus-gn"),
    "cmix": Ours("cma", "cmix"),
    "random-infill": Ours("cma", "random"),
    "paper": Ours("cma", "paper"),
    "de": Ours("de"),
    "janus-de": Ours("de", "janus"),
    "cmaes": Ours("cmaes"),
    "janus-cmaes": Ours("cmaes", "janus"),
    "sep-cma": Ours("sep-cma"),
    "janus-sep-cma": Ours("sep-cma", "janus"),
    "vkd-cma": Ours("vkd-cma"),
    "janus-vkd-cma": Ours("vkd-cma", "janus"),
    **_MULTI,
    "como-cma": como_cma,
    "random-search": random_search,
    "l-bfgs-b": l_bfgs_b,
    "scipy-de": scipy_de,
    "jde": jde,
    "pso": pso,
    "scipy-lsq": scipy_lsq,
    "dfo-ls": dfo_ls,
    "bobyqa": Nlopt("LN_BOBYQA"),
    "newuoa": Nlopt("LN_NEWUOA", bounded=False),
    "cobyla": Nlopt("LN_COBYLA"),
}
NAMES = tuple(_METHODS)


def find(name: str) -> Method:
    """The method of that name; ``"janus window=600 cmix=sample"`` is janus with those settings of its config."""
    base, *changes = name.split() or [""]
    method = _METHODS.get(base)
    if method is None:
        raise InputError(f"a method is one of {', '.join(NAMES)}, or defined by the plan, got {name!r}")
    if not changes:
        return method
    if not isinstance(method, Ours | Multi):
        raise InputError(f"the method {base} takes no settings, got {name!r}")
    return method.changed(dict(map(_setting, changes)))


def prepare(method: Method) -> None:
    """What no run's clock may count: code that is compiled once a process."""
    if isinstance(method, Multi):
        method.prepare()


def slowness(method: Method) -> float:
    """How much longer a run takes than one of pycma or NSGA-II: measured roughly, for order and time left."""
    return method.slowness if isinstance(method, Multi) else 1.0


def _setting(text: str) -> tuple[str, Any]:
    """``window=600`` as a name and a value: what TOML reads as one, else a text."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"after a method's name settings such as window=600 are expected, got {text!r}")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value
