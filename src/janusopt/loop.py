"""The one loop: ask with infill, evaluate, observe, tell; budget, restarts and clocks.

    X     = host.ask(infill.propose(host.frame(), host.slots))
    evals = evaluate(X)
    infill.observe(X, evals)
    host.tell(X, evals)

The budget is exact: when less than a generation is left, only its first rows are evaluated and the host is not told.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.detour import Detour
from janusopt.encore import Encore
from janusopt.errors import EvaluationError, InputError, JournalError
from janusopt.hosts.base import Host, Reshapable
from janusopt.infill import Infill, Proposals, Repeating, Settling
from janusopt.prelude import Prelude
from janusopt.race import Race
from janusopt.threads import SingleThread

Restarts = Literal["ipop", "race", "encore"] | None

BUDGET_SPENT, HOST_STOPPED, CALLBACK_STOPPED, TARGET_REACHED, OBJECTIVE_FAILED, JOURNAL_FAILED = range(6)


def check_restarts(restarts: Restarts, *, races: bool = True) -> None:
    """Refuse what is no way to restart, or a race where there is none; the doors ask before a journal is written."""
    if restarts not in ("ipop", "race", "encore", None):
        raise InputError(f"restarts must be 'ipop', 'race', 'encore' or None, got {restarts!r}")
    if restarts in ("race", "encore") and not races:
        raise InputError(
            f"restarts={restarts!r} needs one objective and whole generations, not asynchronous=True; use 'ipop' "
            "or None"
        )


@dataclass
class Progress:
    """What the loop knows of a run; ``seconds`` by who spent them."""

    nfev: int = 0
    nit: int = 0
    restarts: int = 0
    status: int = BUDGET_SPENT
    message: str = ""
    seconds: dict[str, float] = field(default_factory=lambda: {"host": 0.0, "infill": 0.0, "evaluation": 0.0})


class Drive:
    """One host and one infill over one budget: what the loops share.

    ``watch(X, evals, proposals)`` is called after each evaluation and may end the run by returning a (status, message).
    """

    def __init__(
        self,
        host: Host,
        infill: Infill,
        budget: int,
        watch: Callable[[Rows, Evaluations, Proposals], tuple[int, str] | None],
        restarts: Restarts = "ipop",
    ) -> None:
        check_restarts(restarts)
        self.host, self.infill = host, infill
        self._budget, self._watch, self._restarts = budget, watch, restarts
        self._single = SingleThread()
        self._detour: Detour | Encore | Prelude | None = None
        self.progress = Progress(message=f"the budget of {budget} evaluations is spent")

    def _ask(self) -> tuple[Proposals, Rows]:
        """The next generation (n, d), and what of it is infill."""
        with self._single(), Clock(self.progress.seconds, "infill"):
            proposals = self._proposals()
        with self._single(), Clock(self.progress.seconds, "host"):
            if proposals.metric is not None and isinstance(self.host, Reshapable):
                self.host.reshape(proposals.metric, proposals.weight)
            return proposals, self.host.ask(proposals.X)

    def _proposals(self) -> Proposals:
        frame = self.host.frame()
        sound = np.isfinite(frame.sigma) and np.all(np.isfinite(frame.mean))
        return self.infill.propose(frame, self.host.slots if sound else 0)

    def _failed(self, error: EvaluationError | JournalError) -> None:
        failed = OBJECTIVE_FAILED if isinstance(error, EvaluationError) else JOURNAL_FAILED
        self.progress.status, self.progress.message = failed, str(error)

    def _host_stopped(self) -> tuple[int, str] | None:
        """Restart a host that cannot go on (IPOP: twice the population), or end the run."""
        reasons = self.host.stop()
        if self.progress.nfev >= self._budget:
            return None
        if self._turned(stopped=bool(reasons)) or not reasons:
            return None
        fresh = None if self._restarts is None else self.host.restarted(2.0)
        if fresh is None:
            return HOST_STOPPED, "the host stopped: " + ", ".join(sorted(reasons))
        self.host = fresh
        self.infill.restart()
        self.progress.restarts += 1
        return None

    def _turned(self, *, stopped: bool) -> bool:
        """Whether a detour, a prelude or an encore put another host in this one's place; after a stop none does."""
        if self._detour is None:
            return False
        host = self._detour.turn(self.host, self.infill, self.progress.nfev, stopped=stopped)
        if host is not None:
            self.host = host
            self.progress.restarts += int(self._detour.fresh)
        elif stopped:
            self._detour = None
        return host is not None


class Loop(Drive):
    """Whole generations, one after the other; with ``restarts="ipop"`` a ``near`` host may have a prelude."""

    def __init__(
        self,
        host: Host,
        infill: Infill,
        evaluate: Callable[[Rows], Evaluations],
        budget: int,
        watch: Callable[[Rows, Evaluations, Proposals], tuple[int, str] | None],
        restarts: Restarts = "ipop",
        near: Host | None = None,
    ) -> None:
        super().__init__(host, infill, budget, watch, restarts)
        self._evaluate = evaluate
        self._race = Race(host) if restarts == "race" else None
        if restarts == "ipop" and near is not None:
            self.host, self._detour = near, Prelude(near, host, budget)
        elif restarts == "ipop" and isinstance(infill, Settling):
            self._detour = Detour(host, budget)
        elif restarts == "encore":
            self._detour = Encore(host, budget)

    def run(self) -> Progress:
        """Until the budget is spent, the host stops for good, or the watcher says so."""
        progress = self.progress
        while progress.nfev < self._budget:
            ended = self._generation() or self._host_stopped()
            if ended is not None:
                progress.status, progress.message = ended
                break
        return progress

    def _generation(self) -> tuple[int, str] | None:
        progress = self.progress
        proposals, X = self._ask()
        left = self._budget - progress.nfev
        partial = len(X) > left
        if partial:
            X = X[:left]
        try:
            with Clock(progress.seconds, "evaluation"):
                evals = self._evaluate(X)
        except (EvaluationError, JournalError) as error:
            self._failed(error)
            if error.evaluated is not None and len(error.evaluated):
                progress.nfev += len(error.evaluated)
                self._watch(X[: len(error.evaluated)], error.evaluated, proposals)
            raise
        progress.nfev += len(X)
        progress.nit += 1
        self._follow(X, evals)
        with self._single(), Clock(progress.seconds, "infill"):
            self.infill.observe(X, evals)
        if not partial:
            with self._single(), Clock(progress.seconds, "host"):
                self.host.tell(X, evals)
            self._raced(X, evals)
        return self._watch(X, evals, proposals)

    def _follow(self, X: Rows, evals: Evaluations) -> None:
        """What may change hosts sees each generation; whether f has parts ≥ 0 is known with the first."""
        parts = evals.components is not None and not evals.residuals
        if parts and isinstance(self._detour, Detour) and isinstance(self.infill, Repeating) and self.infill.encores:
            self._detour = Encore(self.host, self._budget)
        if self._detour is not None:
            self._detour.see(X, evals)

    def _raced(self, X: Rows, evals: Evaluations) -> None:
        """In a race the next generation may be another host's."""
        if self._race is None or self._race.over:
            return
        with self._single(), Clock(self.progress.seconds, "host"):
            host = self._race.lap(self.host, X, evals, self.infill)
        self.progress.restarts += int(host is not self.host and not self._race.over)
        self.host = host


class Clock:
    """Adds the time of its block to ``seconds[name]``."""

    def __init__(self, seconds: dict[str, float], name: str) -> None:
        self._seconds, self._name = seconds, name

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *exc: object) -> None:
        self._seconds[self._name] += time.perf_counter() - self._start
