"""The host's own descent in the middle of a hurried run."""

import numpy as np
import pytest

from janusopt import minimize
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import EvaluationError
from janusopt.infill import NoInfill
from janusopt.loop import BUDGET_SPENT, Loop

D, ROWS = 2, 4


class Scripted:
    """A host whose rows have the values of its script, one a generation; fresh ones follow the next script."""

    def __init__(self, log, scripts, name="first", rows=ROWS, stops_after=99):
        self.log, self.scripts, self.name, self.rows, self.slots = log, scripts, name, rows, 2
        self.told, self.stops_after = 0, stops_after

    def frame(self):
        return Frame(np.zeros(D), 1.0, np.ones(D), np.full(D, -1e9), np.full(D, 1e9))

    def ask(self, infill):
        self.log.append(self.name)
        return np.full((self.rows, D), self.scripts[self.name])

    def tell(self, X, evals):
        self.told += 1

    def stop(self):
        return {"flat": 1} if self.told >= self.stops_after else {}

    def restarted(self, factor):
        name = "own" if factor == 1.0 else "double"
        return Scripted(self.log, self.scripts, name, int(self.rows * factor), self.scripts.get("stops", 99))


class Settles(NoInfill):
    """Calls the first descent settled after so many generations, and counts how often it starts anew."""

    def __init__(self, after):
        super().__init__()
        self.after, self.seen, self.anew, self.rested = after, 0, 0, 0

    def observe(self, X, evals, sources=None):
        self.seen += 1

    @property
    def settled(self):
        return self.seen >= self.after

    def rest(self):
        self.rested += 1

    def restart(self):
        self.anew += 1


def evaluate(X):
    return Evaluations(X[:, 0].copy(), np.zeros(len(X), dtype=bool))


def run(after, budget, own=1.0, restarts="ipop", first=5.0, infill=None, stops=99):
    log, infill = [], infill or Settles(after)
    scripts = {"first": first, "own": own, "double": 9.0, "stops": stops}

    progress = Loop(Scripted(log, scripts), infill, evaluate, budget, lambda *_: None, restarts).run()
    return progress, log, infill


def test_the_host_has_a_descent_of_its_own_and_goes_on_where_that_came_lower():
    progress, log, infill = run(after=16, budget=224, own=1.0)
    assert log == ["first"] * 16 + ["own"] * 40
    assert (progress.restarts, progress.nfev, progress.status) == (1, 224, BUDGET_SPENT)
    assert infill.anew == 2, "once for the detour, and once for the end, which infill has again"


def test_the_first_descent_is_ended_where_it_came_lower():
    progress, log, infill = run(after=16, budget=224, own=7.0)
    assert log == ["first"] * 16 + ["own"] * 38 + ["first"] * 2
    assert (progress.restarts, infill.anew) == (1, 2)


def test_a_descent_of_its_own_that_stops_ends_the_detour():
    _, log, _ = run(after=3, budget=36, own=7.0, stops=2)
    assert log == ["first"] * 3 + ["own"] * 2 + ["first"] * 4
    _, log, _ = run(after=3, budget=36, own=1.0, stops=2)
    assert log == ["first"] * 3 + ["own"] * 2 + ["double"] * 2


@pytest.mark.parametrize(
    ("after", "budget", "why"),
    [(4, 44, "less than twice of what it took is left"), (2, 44, "twice the population would have time")],
)
def test_there_is_a_detour_only_where_it_has_its_time(after, budget, why):
    progress, log, _ = run(after, budget)
    assert (progress.restarts, set(log)) == (0, {"first"}), why


def test_infill_rests_in_a_detour_and_in_no_other_descent():
    _, _, infill = run(after=16, budget=224)
    assert infill.rested == 1
    log, infill = [], Settles(after=2)
    host = Scripted(log, {"first": 5.0, "double": 9.0}, stops_after=4)
    Loop(host, infill, evaluate, 44, lambda *_: None).run()
    assert log == ["first"] * 4 + ["double"] * 4, "settled, but with time for twice the population"
    assert (infill.anew, infill.rested) == (1, 0)


@pytest.mark.parametrize("restarts", [None, "race"])
def test_there_is_no_detour_without_ipop(restarts):
    _, log, _ = run(after=3, budget=40, restarts=restarts)
    assert set(log) == {"first"}


def test_an_infill_that_never_settles_takes_none():
    _, log, _ = run(after=3, budget=40, infill=NoInfill())
    assert set(log) == {"first"}


def rastrigin(X):
    Y = X - 1.3
    return 10.0 * Y.shape[1] + (Y * Y - 10.0 * np.cos(2.0 * np.pi * Y)).sum(axis=1)


def on_rastrigin(fun, **changes):
    return minimize(fun, bounds=[(-5.0, 5.0)] * 40, budget=12_000, rng=1, vectorized=True, **changes)


def test_a_run_on_rastrigins_function_leaves_its_middle_to_the_host_and_resumes_there_from_its_journal(tmp_path):
    whole = on_rastrigin(rastrigin)
    resting = ["basin" in record.reason for record in whole.janus["records"]]
    assert whole.janus["restarts"] == 1
    assert 0.2 < np.mean(resting) < 0.8
    assert not resting[0]
    assert not resting[-1]

    calls = iter(range(10_000))

    def failing(X):
        if next(calls) == int(np.flatnonzero(resting)[50]):
            raise RuntimeError("the night is over")
        return rastrigin(X)

    with pytest.raises(EvaluationError):
        on_rastrigin(failing, journal=tmp_path / "run.db")
    resumed = on_rastrigin(rastrigin, journal=tmp_path / "run.db")
    np.testing.assert_array_equal(resumed.x, whole.x)
    assert (resumed.fun, resumed.nit, resumed.nfev) == (whole.fun, whole.nit, whole.nfev)
