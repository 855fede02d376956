"""``minimize``: the front door for one objective, and the pieces that its siblings share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, OptimizeResult

from janusopt.arrivals import arrivals
from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.errors import EvaluationError, InputError, JournalError
from janusopt.evaluate import Evaluate, Kind, OnError
from janusopt.hosts.base import Host
from janusopt.hosts.registry import make_host, make_near
from janusopt.infill import Infill, Proposals
from janusopt.infills import make_infill
from janusopt.janus import Janus
from janusopt.journal import Journal
from janusopt.loop import (
    CALLBACK_STOPPED,
    JOURNAL_FAILED,
    OBJECTIVE_FAILED,
    TARGET_REACHED,
    Loop,
    Progress,
    Restarts,
    check_restarts,
)
from janusopt.replay import check_settings, continued, opened, seed_of, seeded
from janusopt.space import Space, read_space
from janusopt.steady import SteadyLoop, check_late
from janusopt.tally import Tally
from janusopt.workers import crew

Callback = Callable[[OptimizeResult], object]


def minimize(
    fun: Callable[..., Any],
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
    """Minimize ``fun`` over a box within ``budget`` evaluations.

    fun(x) returns f, or (f, components) where f is the mean of non-negative terms: components make JANUS much
    stronger. With ``vectorized=True`` fun takes a whole generation (n, d). x0 (d,) may be left out inside finite
    bounds; ``sigma0`` defaults to 0.2 of each box side, without a box to ``0.2·max(|x0|, 1)``. host: "cma",
    "sep-cma", "vkd-cma", "cmaes", "de" or a :class:`~janusopt.hosts.base.Host`; infill: "janus", "janus-gn", "cmix",
    "random", "paper", None, a :class:`JanusConfig` or an :class:`~janusopt.infill.Infill`. ``restarts="ipop"`` starts
    a host that stopped again with twice the population, and lets JANUS leave a descent that it hurried; "race" does the
    first, and begins with four starts of twelve generations each, of which the best goes on: for landscapes with many
    basins; "encore", for f ≥ 0, makes other descents once one is over and ends in the lowest, as JANUS does under
    "ipop" where it sees components. ``target`` ends the run at that value. ``callback(intermediate_result)`` is called
    once a generation and stops the run by StopIteration.

    Rows are evaluated one by one here, on ``executor`` (any of concurrent.futures), or in ``workers`` processes of our
    own; the run is the same whichever it is. ``timeout`` seconds are the most that a row may take (without ``workers``
    or ``executor`` one process is started for it). What fails is up to ``on_error``: "raise", "skip", or a callable
    ``on_error(x, error)`` that may give a value. ``asynchronous=True`` keeps ``workers`` rows in flight, here or on
    ``executor``, and does not wait for the slowest of a generation: for times that differ widely, with the hosts
    "cma", "sep-cma" and "de". Such a run depends on the order in which rows finish. See docs/RELIABILITY.md.

    ``journal="run.db"`` records every evaluation in that file. Called again with the same arguments after the run was
    interrupted or killed, it goes on where the journal ends, and the result is that of an unbroken run, bit for bit.

    The result has x, fun, nfev, nit, success, status, message, components (of the best row, where there are any) and
    ``janus``: per source counts and successes, charts chosen, seconds of host, infill and evaluation, failures, and
    the step records.
    """
    with crew(executor, workers, timeout, vectorized=vectorized, in_flight=asynchronous) as pool:
        evaluate = Evaluate(fun, vectorized=vectorized, executor=pool, on_error=on_error, args=args, timeout=timeout)
        run = ScalarRun(evaluate, "scalar", budget, target, callback, workers if asynchronous else None)
        return run.minimize(x0, bounds, sigma0, host, infill, rng, popsize, restarts, host_options or {}, journal)


class ScalarRun:
    """One run on one objective: best row, tally, callback. ``in_flight``: how many rows, in an asynchronous run."""

    def __init__(
        self,
        evaluate: Evaluate,
        kind: Kind,
        budget: int,
        target: float | None,
        callback: Callback | None,
        in_flight: int | None = None,
    ) -> None:
        self._evaluate, self._kind, self._target, self._callback = evaluate, kind, target, callback
        self._in_flight = in_flight
        self._budget = check_budget(budget)
        self._tally = Tally()
        self._x: Vec | None = None
        self._f = np.inf
        self._components: Vec | None = None
        self._loop: Loop | SteadyLoop | None = None

    def minimize(
        self,
        x0: ArrayLike | None,
        bounds: Bounds | Sequence[Any] | None,
        sigma0: ArrayLike | None,
        host: str | Host,
        infill: str | Infill | JanusConfig | None,
        rng: int | np.random.Generator | np.random.SeedSequence | None,
        popsize: int | None,
        restarts: Restarts,
        options: Mapping[str, Any],
        journal: str | os.PathLike[str] | None,
    ) -> OptimizeResult:
        """Open the journal, set up streams, space, host and infill, and run the loop."""
        check_restarts(restarts, races=self._in_flight is None)
        with opened(journal) as book:
            seeds = seeded(sequence(rng), rng is not None, book)
            settings = {
                "kind": self._kind, "budget": self._budget, "host": host, "popsize": popsize, "host_options": options,
                "infill": infill, "restarts": restarts, "seed": seed_of(seeds),
            }  # fmt: skip
            return self._run(book, settings, seeds, x0, bounds, sigma0, host, infill, popsize, restarts, options)

    def _run(
        self,
        book: Journal | None,
        settings: dict[str, Any],
        seeds: np.random.SeedSequence,
        x0: ArrayLike | None,
        bounds: Bounds | Sequence[Any] | None,
        sigma0: ArrayLike | None,
        host: str | Host,
        infill: str | Infill | JanusConfig | None,
        popsize: int | None,
        restarts: Restarts,
        options: Mapping[str, Any],
    ) -> OptimizeResult:
        start, host_seed, infill_seed = seeds.spawn(3)
        space: Space = read_space(x0, bounds, sigma0, np.random.default_rng(start))
        driven = make_host(host, space, host_seed, popsize, options)
        if driven.rows > self._budget:
            raise InputError(
                f"the budget must cover one generation: this host asks for {driven.rows} rows, got {self._budget}; "
                "raise budget or lower popsize"
            )
        filler = make_infill(infill, d=space.d, scalar=self._kind == "scalar", rng=np.random.default_rng(infill_seed))
        near = None
        if self._kind == "residuals" and x0 is not None and sigma0 is None and _preludes(filler):
            near = make_near(host, space, infill_seed.spawn(1)[0], popsize, options)
        packages = ("cmaes",) if host == "cmaes" else ()
        self._loop = self._looped(driven, near, filler, restarts, book, {**settings, "space": space}, packages)
        try:
            self._loop.run()
        except (EvaluationError, JournalError) as error:
            error.result = self.result()
            raise
        return self.result()

    def _looped(
        self,
        host: Host,
        near: Host | None,
        infill: Infill,
        restarts: Restarts,
        book: Journal | None,
        settings: dict[str, Any],
        packages: tuple[str, ...],
    ) -> Loop | SteadyLoop:
        """The synchronous loop or the asynchronous one, by way of the journal where there is one."""
        if self._in_flight is None:
            evaluate = continued(self._evaluate, book, infill, settings, packages)
            return Loop(host, infill, evaluate, self._budget, self._watch, restarts, near)
        check_late(host)
        if book is not None:
            longer = check_settings(book, {**settings, "in_flight": self._in_flight}, packages)
            if longer is not None:
                book.extend(longer)
        incoming = arrivals(self._evaluate, book)
        return SteadyLoop(host, infill, incoming, self._budget, self._watch, restarts, self._in_flight)

    def _watch(self, X: Rows, evals: Evaluations, proposals: Proposals) -> tuple[int, str] | None:
        self._tally.count(evals, proposals.sources, self._f)
        good = np.flatnonzero(~evals.failed)
        if len(good):
            i = int(good[np.argmin(evals.f[good])])
            if evals.f[i] < self._f:
                self._x, self._f = X[i].copy(), float(evals.f[i])
                self._components = None if evals.components is None else evals.components[i].copy()
        if self._callback is not None:
            try:
                self._callback(self.result())
            except StopIteration:
                return CALLBACK_STOPPED, "the callback stopped the run"
        if self._target is not None and self._f <= self._target:
            return TARGET_REACHED, f"the target {self._target} is reached"
        return None

    def result(self) -> OptimizeResult:
        """What is known now; also the intermediate result of a callback."""
        loop = self._loop
        progress = loop.progress if loop is not None else Progress()
        found = self._x is not None
        result = OptimizeResult(
            x=None if self._x is None else self._x.copy(),
            fun=self._f if found else np.nan,
            nfev=progress.nfev,
            nit=progress.nit,
            success=found and progress.status not in (OBJECTIVE_FAILED, JOURNAL_FAILED),
            status=progress.status,
            message=("" if found else "no evaluation succeeded; ")
            + with_failures(progress.message, self._evaluate.failures),
            janus=self._tally.summary(loop.infill if loop is not None else None, progress, self._evaluate.failures),
        )
        if self._kind == "residuals":
            result.cost, result.residuals = result.fun, self._components
        elif self._components is not None:
            result.components = self._components
        return result


def _preludes(infill: Infill) -> bool:
    """Whether it is a JANUS that has a narrow descent about x0 first."""
    return isinstance(infill, Janus) and infill.config.prelude


def check_budget(budget: int) -> int:
    """A positive whole number, or a clear error."""
    if isinstance(budget, bool) or not isinstance(budget, (int, np.integer)) or budget < 1:
        raise InputError(f"budget must be a positive whole number of evaluations, got {budget!r}")
    return int(budget)


def with_failures(message: str, failures: int) -> str:
    """A result's message, and how many evaluations failed."""
    return f"{message}; {failures} evaluations failed" if failures else message


def sequence(rng: int | np.random.Generator | np.random.SeedSequence | None) -> np.random.SeedSequence:
    """Where a run's independent streams come from, so that turning infill on does not move the host's."""
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**63))
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if rng is not None and (isinstance(rng, bool) or not isinstance(rng, (int, np.integer)) or rng < 0):
        raise InputError(f"rng must be a non-negative int, a numpy Generator, a SeedSequence or None, got {rng!r}")
    return np.random.SeedSequence(None if rng is None else int(rng))
