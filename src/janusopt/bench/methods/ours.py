"""janusopt itself: a host by name, with or without infill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import Bounds

from janusopt.bench.meter import Stop
from janusopt.bench.outcome import Outcome
from janusopt.bench.problem import Problem
from janusopt.config import JanusConfig
from janusopt.core.arrays import Vec
from janusopt.doors.least_squares import least_squares
from janusopt.doors.minimize import minimize
from janusopt.errors import EvaluationError, InputError
from janusopt.hosts import pycma  # noqa: F401 - loaded here, so that no run's clock counts it
from janusopt.infills import make_infill
from janusopt.janus import Janus
from janusopt.loop import Restarts


@dataclass(frozen=True, slots=True)
class Ours:
    """``host``, ``infill`` and ``restarts`` as a front door names them; ``config`` changes settings of the infill.

    ``spread``: the first standard deviation over the box's sides, where it is not the front door's own.
    """

    host: str
    infill: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    restarts: Restarts = "ipop"
    spread: float | None = None

    def changed(self, config: Mapping[str, Any]) -> Ours:
        """The same with more settings, checked."""
        method = replace(self, config={**self.config, **config})
        method.settings(d=10, scalar=True)
        return method

    def settings(self, d: int, *, scalar: bool) -> str | JanusConfig | None:
        """What a front door gets as ``infill``."""
        named = make_infill(self.infill, d=d, scalar=scalar, rng=np.random.default_rng(0))
        if not self.config:
            return self.infill
        if not isinstance(named, Janus):
            raise InputError(f"infill {self.infill!r} has no settings, got {dict(self.config)}")
        return named.config.replace(**self.config)

    def __call__(self, problem: Problem, seed: int, budget: int, x0: Vec) -> Outcome:
        solve = least_squares if problem.kind == "residuals" else minimize
        try:
            result = solve(
                problem.fun,
                x0,
                bounds=Bounds(problem.lower, problem.upper),
                budget=budget,
                host=self.host,
                infill=self.settings(problem.d, scalar=problem.kind == "scalar"),
                rng=seed,
                restarts=self.restarts,
                sigma0=None if self.spread is None else self.spread * (problem.upper - problem.lower),
                vectorized=True,
            )
        except EvaluationError as error:
            if not isinstance(error.__cause__, Stop):
                raise
            result = error.result
        told = result.janus
        return Outcome(told["seconds"]["host"], told["seconds"]["infill"], tuple(told["records"]))
