"""JANUS infill for population optimizers: the public names, each loaded from its home on first use.

pycma imports matplotlib and scipy.stats when it is imported; loading on first use keeps ``import janusopt`` quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from janusopt.config import JanusConfig
    from janusopt.doors.least_squares import least_squares
    from janusopt.doors.minimize import minimize
    from janusopt.doors.minimize_multi import minimize_multi
    from janusopt.errors import (
        DeadWorker,
        EvaluationError,
        EvaluationTimeout,
        HostError,
        InputError,
        JanusError,
        JournalError,
        JournalWarning,
        MissingExtraError,
    )
    from janusopt.infill import NoInfill, RandomInfill
    from janusopt.janus import Janus
    from janusopt.pareto import ParetoJanus
    from janusopt.strategy import CMAEvolutionStrategy
    from janusopt.volume import hypervolume

__version__ = "0.1.0"

_HOMES = {
    "CMAEvolutionStrategy": "janusopt.strategy",
    "DeadWorker": "janusopt.errors",
    "EvaluationError": "janusopt.errors",
    "EvaluationTimeout": "janusopt.errors",
    "HostError": "janusopt.errors",
    "InputError": "janusopt.errors",
    "Janus": "janusopt.janus",
    "JanusConfig": "janusopt.config",
    "JanusError": "janusopt.errors",
    "JournalError": "janusopt.errors",
    "JournalWarning": "janusopt.errors",
    "MissingExtraError": "janusopt.errors",
    "NoInfill": "janusopt.infill",
    "ParetoJanus": "janusopt.pareto",
    "RandomInfill": "janusopt.infill",
    "hypervolume": "janusopt.volume",
    "least_squares": "janusopt.doors.least_squares",
    "minimize": "janusopt.doors.minimize",
    "minimize_multi": "janusopt.doors.minimize_multi",
}

__all__ = [
    "CMAEvolutionStrategy",
    "DeadWorker",
    "EvaluationError",
    "EvaluationTimeout",
    "HostError",
    "InputError",
    "Janus",
    "JanusConfig",
    "JanusError",
    "JournalError",
    "JournalWarning",
    "MissingExtraError",
    "NoInfill",
    "ParetoJanus",
    "RandomInfill",
    "hypervolume",
    "least_squares",
    "minimize",
    "minimize_multi",
]


def __getattr__(name: str) -> Any:
    if name in ("optuna", "pymoo"):  # submodules with an optional package behind them
        return import_module(f"janusopt.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'janusopt' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
