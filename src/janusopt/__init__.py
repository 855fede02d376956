"""JANUS infill for population optimizers."""

from janusopt.config import JanusConfig
from janusopt.errors import EvaluationError, HostError, InputError, JanusError, MissingExtraError
from janusopt.infill import NoInfill, RandomInfill
from janusopt.janus import Janus
from janusopt.least_squares import least_squares
from janusopt.minimize import minimize

__all__ = [
    "EvaluationError",
    "HostError",
    "InputError",
    "Janus",
    "JanusConfig",
    "JanusError",
    "MissingExtraError",
    "NoInfill",
    "RandomInfill",
    "least_squares",
    "minimize",
]
