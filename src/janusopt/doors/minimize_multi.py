"""``minimize_multi``: the front door for several objectives."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, OptimizeResult

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.front import Front
from janusopt.doors.minimize import Callback, check_budget, sequence, with_failures
from janusopt.errors import EvaluationError, InputError, JournalError
from janusopt.evaluate import Evaluate, OnError
from janusopt.extras import require
from janusopt.hosts.base import Host
from janusopt.infill import Infill, Proposals
from janusopt.infills import make_pareto_infill
from janusopt.journal import Journal
from janusopt.loop import CALLBACK_STOPPED, JOURNAL_FAILED, OBJECTIVE_FAILED, Loop, Progress, Restarts, check_restarts
from janusopt.pareto import ParetoConfig
from janusopt.replay import continued, opened, seed_of, seeded
from janusopt.space import Space, read_space
from janusopt.tally import Tally
from janusopt.workers import crew

_KEPT = 1000  # rows of the front that a result holds; beyond 1.5 times that the most crowded leave


def minimize_multi(
    fun: Callable[..., Any],
    *,
    bounds: Bounds | Sequence[Any],
    budget: int,
    n_obj: int | None = None,
    host: Any = "sms-emoa",
    infill: str | Infill | ParetoConfig | None = "janus",
    rng: int | np.random.Generator | np.random.SeedSequence | None = None,
    popsize: int | None = None,
    hypervolume_ref: ArrayLike | None = None,
    restarts: Restarts = "ipop",
    vectorized: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    timeout: float | None = None,
    on_error: OnError = "raise",
    callback: Callback | None = None,
    args: tuple[Any, ...] = (),
    host_options: Mapping[str, Any] | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> OptimizeResult:
    """Minimize several objectives over a box within ``budget`` evaluations.

    fun(x) returns m objectives, or (objectives, constraints) with constraints satisfied where ≤ 0; with
    ``vectorized=True`` it takes a whole generation (n, d). Bounds must be finite. host: "sms-emoa", "age-moea2",
    "nsga2", "nsga3", "moead", "rvea", "spea2", a pymoo algorithm (copied) or a :class:`~janusopt.hosts.base.Host`;
    ``popsize`` and ``host_options`` go to the named ones. ``n_obj`` is read off the first generation unless given;
    hosts that lay out reference directions ("nsga3", "moead", "rvea") need it. infill: "janus", "paper-2",
    "paper-5", "differential", "region" or "newton" (one source alone), "snap" or "random" (controls), None, a
    :class:`~janusopt.pareto.ParetoConfig` or an :class:`~janusopt.infill.Infill`.

    The result has X (k, d) and F (k, m), the non-dominated feasible rows of the whole run (about a thousand are kept,
    the most crowded leave first), nfev, nit, success (a feasible row was found), status, message, ``hypervolume`` where
    ``hypervolume_ref`` (m,) was given, and ``janus`` as in :func:`janusopt.minimize`, with rows that entered the front
    counted as improved. ``callback(intermediate_result)`` is called once a generation; StopIteration stops the run.
    ``executor``, ``workers``, ``timeout``, ``on_error`` and ``journal`` as in :func:`janusopt.minimize`.
    """
    with crew(executor, workers, timeout, vectorized=vectorized) as pool:
        evaluate = Evaluate(
            fun,
            kind="objectives",
            vectorized=vectorized,
            executor=pool,
            on_error=on_error,
            args=args,
            timeout=timeout,
        )
        run = MultiRun(evaluate, budget, hypervolume_ref, callback)
        return run.minimize(bounds, n_obj, host, infill, rng, popsize, restarts, host_options or {}, journal)


class MultiRun:
    """One run on several objectives: front, tally, callback."""

    def __init__(self, evaluate: Evaluate, budget: int, reference: ArrayLike | None, callback: Callback | None) -> None:
        if reference is not None:
            require("moocore", extra="moo", purpose="computing a hypervolume")
        self._evaluate, self._reference, self._callback = evaluate, reference, callback
        self._budget = check_budget(budget)
        self._tally = Tally()
        self._front = Front(_KEPT)
        self._shape = (0, 0)
        self._loop: Loop | None = None

    def minimize(
        self,
        bounds: Bounds | Sequence[Any],
        n_obj: int | None,
        host: Any,
        infill: str | Infill | ParetoConfig | None,
        rng: int | np.random.Generator | np.random.SeedSequence | None,
        popsize: int | None,
        restarts: Restarts,
        options: Mapping[str, Any],
        journal: str | os.PathLike[str] | None,
    ) -> OptimizeResult:
        """Open the journal, set up streams, space, host and infill, and run the loop."""
        check_restarts(restarts, races=False)
        with opened(journal) as book:
            seeds = seeded(sequence(rng), rng is not None, book)
            settings = {
                "kind": "objectives", "budget": self._budget, "host": host, "popsize": popsize, "n_obj": n_obj,
                "host_options": options, "infill": infill, "restarts": restarts, "seed": seed_of(seeds),
            }  # fmt: skip
            return self._run(book, settings, seeds, bounds, n_obj, host, infill, popsize, restarts, options)

    def _run(
        self,
        book: Journal | None,
        settings: dict[str, Any],
        seeds: np.random.SeedSequence,
        bounds: Bounds | Sequence[Any],
        n_obj: int | None,
        host: Any,
        infill: str | Infill | ParetoConfig | None,
        popsize: int | None,
        restarts: Restarts,
        options: Mapping[str, Any],
    ) -> OptimizeResult:
        start, host_seed, infill_seed = seeds.spawn(3)
        space = read_space(None, bounds, None, np.random.default_rng(start))
        filler = make_pareto_infill(infill, rng=np.random.default_rng(infill_seed))
        self._shape = (space.d, n_obj or 0)
        recorded = continued(self._evaluate, book, filler, {**settings, "space": space}, ("pymoo",))
        try:
            driven, evaluate = self._start(recorded, host, space, n_obj, host_seed, popsize, options)
            self._loop = Loop(driven, filler, evaluate, self._budget, self._watch, restarts)
            self._loop.run()
        except (EvaluationError, JournalError) as error:
            error.result = self.result()
            raise
        return self.result()

    def _start(
        self,
        evaluate: Callable[[Rows], Evaluations],
        host: Any,
        space: Space,
        n_obj: int | None,
        seed: np.random.SeedSequence,
        popsize: int | None,
        options: Mapping[str, Any],
    ) -> tuple[Host, Callable[[Rows], Evaluations]]:
        """The host and how to evaluate its rows.

        How many objectives and constraints there are is known once a generation was evaluated, and a host's first
        generation does not depend on it: a scout asks for that generation, and the host's own is answered from memory.
        """
        if not isinstance(host, str) and isinstance(host, Host):
            self._check_rows(host)
            return host, evaluate
        from janusopt.hosts.pymoo import PymooHost, make_algorithm, objectives_of

        algorithm = make_algorithm(host, n_obj, popsize, options)
        number = int(seed.generate_state(1, np.uint64)[0])
        guess = n_obj or objectives_of(algorithm) or 2
        scout = PymooHost(algorithm, space.lower, space.upper, objectives=guess, seed=number, budget=self._budget)
        self._check_rows(scout)
        X = scout.ask(np.empty((0, space.d)))
        evals = evaluate(X)
        if evals.objectives is None:
            raise EvaluationError(
                f"all {len(X)} rows of the first generation failed; check fun at a point inside the bounds"
            )
        m = evals.objectives.shape[1]
        if m < 2:
            raise EvaluationError("fun returned one objective, several were expected; for one use janusopt.minimize")
        if n_obj is not None and m != n_obj:
            raise EvaluationError(f"n_obj is {n_obj}, but fun returned {m} objectives")
        c = 0 if evals.constraints is None else evals.constraints.shape[1]
        real = PymooHost(
            algorithm, space.lower, space.upper, objectives=m, constraints=c, seed=number, budget=self._budget
        )
        return real, _Remembering(evaluate, X, evals)

    def _check_rows(self, host: Host) -> None:
        if host.rows > self._budget:
            raise InputError(
                f"the budget must cover one generation: this host asks for {host.rows} rows, budget is {self._budget}; "
                "raise budget or lower popsize"
            )

    def _watch(self, X: Rows, evals: Evaluations, proposals: Proposals) -> tuple[int, str] | None:
        if evals.objectives is not None:
            self._shape = (X.shape[1], evals.objectives.shape[1])
            good = ~evals.failed if evals.violation is None else ~evals.failed & (evals.violation <= 0.0)
            entered = np.zeros(len(X))
            if good.any():
                entered[good] = self._front.admit(X[good], evals.objectives[good])
            self._tally.count(Evaluations(-entered, ~good), proposals.sources, 0.0)
        if self._callback is not None:
            try:
                self._callback(self.result())
            except StopIteration:
                return CALLBACK_STOPPED, "the callback stopped the run"
        return None

    def result(self) -> OptimizeResult:
        """What is known now; also the intermediate result of a callback."""
        loop, front = self._loop, self._front
        progress = loop.progress if loop is not None else Progress()
        found = len(front) > 0
        d, m = self._shape
        result = OptimizeResult(
            X=front.X.copy() if found else np.empty((0, d)),
            F=front.F.copy() if found else np.empty((0, m)),
            nfev=progress.nfev,
            nit=progress.nit,
            success=found and progress.status not in (OBJECTIVE_FAILED, JOURNAL_FAILED),
            status=progress.status,
            message=("" if found else "no feasible row was found; ")
            + with_failures(progress.message, self._evaluate.failures),
            janus=self._tally.summary(loop.infill if loop is not None else None, progress, self._evaluate.failures),
        )
        if self._reference is not None:
            from janusopt.volume import hypervolume

            result.hypervolume = hypervolume(result.F, self._reference)
        return result


class _Remembering:
    """Evaluates, but answers one generation that was evaluated before from memory."""

    def __init__(self, evaluate: Callable[[Rows], Evaluations], X: Rows, evals: Evaluations) -> None:
        self._evaluate = evaluate
        self._known: tuple[Rows, Evaluations] | None = (X, evals)

    def __call__(self, X: Rows) -> Evaluations:
        known, self._known = self._known, None
        if known is not None and np.array_equal(known[0], X):
            return known[1]
        return self._evaluate(X)
