"""``least_squares``: for people who have residuals."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, OptimizeResult

from janusopt.config import JanusConfig
from janusopt.doors.minimize import Callback, ScalarRun
from janusopt.evaluate import Evaluate, OnError
from janusopt.hosts.base import Host
from janusopt.infill import Infill
from janusopt.loop import Restarts
from janusopt.workers import crew


def least_squares(
    residuals: Callable[..., Any],
    x0: ArrayLike | None = None,
    *,
    bounds: Bounds | Sequence[Any] | None = None,
    budget: int,
    host: str | Host = "cma",
    infill: str | Infill | JanusConfig | None = "janus",
    rng: int | np.random.Generator | np.random.SeedSequence | None = None,
    sigma0: ArrayLike | None = None,
    popsize: int | None = None,
    target: float | None = None,
    restarts: Restarts = "ipop",
    vectorized: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    timeout: float | None = None,
    asynchronous: bool = False,
    on_error: OnError = "raise",
    callback: Callback | None = None,
    args: tuple[Any, ...] = (),
    host_options: Mapping[str, Any] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> OptimizeResult:
    """Minimize ``½‖r(x)‖²`` without derivatives; r(x) is a vector of residuals of fixed length.

    SciPy's conventions where they make sense: a tuple of two is ``(lower, upper)``, also with two variables (a list is
    pairs), the result has ``cost`` = ½‖r‖² (also as fun) and ``fun`` of SciPy's result, the residual vector at x, as
    ``residuals``. With x0 in a box, and no sigma0, JANUS descends narrowly about x0 first and searches the box once
    that has ended above zero (``restarts="ipop"`` only). All else as in :func:`janusopt.minimize`.
    """
    if isinstance(bounds, tuple) and len(bounds) == 2:
        bounds = Bounds(*bounds)
    with crew(executor, workers, timeout, vectorized=vectorized, in_flight=asynchronous) as pool:
        evaluate = Evaluate(
            residuals,
            kind="residuals",
            vectorized=vectorized,
            executor=pool,
            on_error=on_error,
            args=args,
            timeout=timeout,
        )
        run = ScalarRun(evaluate, "residuals", budget, target, callback, workers if asynchronous else None)
        return run.minimize(x0, bounds, sigma0, host, infill, rng, popsize, restarts, host_options or {}, journal)
