"""The one loop, driven with small parts."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.metric import Metric
from janusopt.errors import EvaluationError, InputError
from janusopt.infill import NoInfill, Proposals
from janusopt.loop import BUDGET_SPENT, CALLBACK_STOPPED, HOST_STOPPED, OBJECTIVE_FAILED, Loop

D = 2


class Script:
    """A host that writes down what is done to it."""

    def __init__(self, log, rows=4, stops_after=99, sigma=1.0):
        self.log, self.rows, self.slots, self.stops_after, self.sigma = log, rows, 2, stops_after, sigma
        self.told = 0

    def frame(self):
        return Frame(np.zeros(D), self.sigma, np.ones(D), np.full(D, -1.0), np.full(D, 1.0))

    def ask(self, infill):
        self.log.append(("ask", len(infill)))
        return np.vstack([infill, np.full((self.rows - len(infill), D), 0.5)])

    def tell(self, X, evals):
        self.log.append(("tell", len(X)))
        self.told += 1

    def stop(self):
        return {"b": 1, "a": 2} if self.told >= self.stops_after else {}

    def restarted(self, factor):
        return Script(self.log, int(self.rows * factor), self.stops_after)


class Reshaping(Script):
    def reshape(self, metric, weight):
        self.log.append(("reshape", weight))


class Filler(NoInfill):
    """An infill that writes down what it sees."""

    def __init__(self, log, metric=None):
        super().__init__()
        self.log, self.metric = log, metric

    def propose(self, frame, slots):
        self.log.append(("propose", slots))
        return Proposals(np.zeros((min(slots, 1), D)), ("zero",) * min(slots, 1), self.metric, 0.3)

    def observe(self, X, evals):
        self.log.append(("observe", len(X)))

    def restart(self):
        self.log.append(("restart", 0))


def evaluate(X):
    return Evaluations(X.sum(axis=1), np.zeros(len(X), dtype=bool))


def nothing(X, evals, proposals):
    return None


def test_a_generation_is_propose_ask_evaluate_observe_tell_watch():
    log = []

    def values(X):
        log.append(("evaluate", len(X)))
        return evaluate(X)

    def watch(X, evals, proposals):
        log.append(("watch", len(X)))

    progress = Loop(Script(log), Filler(log), values, 4, watch).run()
    assert log == [("propose", 2), ("ask", 1), ("evaluate", 4), ("observe", 4), ("tell", 4), ("watch", 4)]
    assert (progress.nfev, progress.nit, progress.status) == (4, 1, BUDGET_SPENT)


def test_the_budget_is_exact_and_a_partial_generation_is_not_told():
    log = []
    progress = Loop(Script(log), Filler(log), evaluate, 10, nothing).run()
    assert progress.nfev == 10
    assert progress.nit == 3
    assert log[-2:] == [("ask", 1), ("observe", 2)]


def test_reshape_comes_before_ask_and_only_where_a_host_offers_it():
    metric = Metric(np.eye(D, 1), np.ones(1), 1.0)
    log = []
    Loop(Reshaping(log), Filler(log, metric), evaluate, 4, nothing).run()
    assert log[:3] == [("propose", 2), ("reshape", 0.3), ("ask", 1)]
    log = []
    Loop(Reshaping(log), Filler(log), evaluate, 4, nothing).run()
    assert ("reshape", 0.3) not in log
    log = []
    Loop(Script(log), Filler(log, metric), evaluate, 4, nothing).run()
    assert ("reshape", 0.3) not in log


def test_a_host_that_stops_restarts_with_twice_the_rows_and_infill_forgets():
    log = []
    loop = Loop(Script(log, stops_after=1), Filler(log), evaluate, 4 + 8 + 16, nothing)
    progress = loop.run()
    assert [rows for what, rows in log if what == "tell"] == [4, 8, 16]
    assert progress.restarts == log.count(("restart", 0)) == 2
    assert loop.host.rows == 16


def test_without_restarts_the_run_ends_and_says_why():
    log = []
    progress = Loop(Script(log, stops_after=2), Filler(log), evaluate, 100, nothing, restarts=None).run()
    assert (progress.status, progress.nfev) == (HOST_STOPPED, 8)
    assert progress.message == "the host stopped: a, b"


def test_a_host_that_cannot_restart_ends_the_run():
    class Final(Script):
        def restarted(self, factor):
            return None

    assert Loop(Final([], stops_after=1), NoInfill(), evaluate, 100, nothing).run().status == HOST_STOPPED


def test_the_watcher_may_end_the_run():
    progress = Loop(Script([]), NoInfill(), evaluate, 100, lambda *_: (CALLBACK_STOPPED, "enough")).run()
    assert (progress.nfev, progress.status, progress.message) == (4, CALLBACK_STOPPED, "enough")


def test_a_frame_that_is_not_finite_gets_no_infill():
    log = []
    Loop(Script(log, sigma=np.inf), Filler(log), evaluate, 4, nothing).run()
    assert log[:2] == [("propose", 0), ("ask", 0)]


def test_rows_that_came_before_a_failure_are_counted_and_watched():
    watched = []

    def values(X):
        error = EvaluationError("broken")
        error.evaluated = evaluate(X[:3])
        raise error

    loop = Loop(Script([]), NoInfill(), values, 100, lambda X, evals, proposals: watched.append(len(X)))
    with pytest.raises(EvaluationError, match="broken"):
        loop.run()
    assert watched == [3]
    assert (loop.progress.nfev, loop.progress.nit, loop.progress.status) == (3, 0, OBJECTIVE_FAILED)


def test_seconds_are_kept_by_who_spent_them():
    progress = Loop(Script([]), NoInfill(), evaluate, 40, nothing).run()
    assert set(progress.seconds) == {"host", "infill", "evaluation"}
    assert min(progress.seconds.values()) > 0.0


def test_an_unknown_way_to_restart_is_refused():
    with pytest.raises(InputError, match="restarts must be 'ipop', 'race', 'encore' or None, got 'always'"):
        Loop(Script([]), NoInfill(), evaluate, 4, nothing, restarts="always")
