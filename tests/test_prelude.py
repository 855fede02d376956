import numpy as np
import pytest

import janusopt
from janusopt.config import JanusConfig
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import EvaluationError
from janusopt.infill import NoInfill
from janusopt.loop import BUDGET_SPENT, Loop

D, ROWS = 2, 4


class Scripted:
    """A host whose rows have the values of its script: from ``low`` to twice that, a little above it once ``flat``."""

    def __init__(self, log, name, low, flat=99, stops_after=99):
        self.log, self.name, self.low, self.flat = log, name, low, flat
        self.rows, self.slots, self.told, self.stops_after = ROWS, 2, 0, stops_after

    def frame(self):
        return Frame(np.zeros(D), 1.0, np.ones(D), np.full(D, -1e9), np.full(D, 1e9))

    def ask(self, infill):
        self.log.append(self.name)
        return np.linspace(self.low, self.low * (1.005 if self.told + 1 >= self.flat else 2.0), ROWS)[
            :, None
        ] * np.ones(D)

    def tell(self, X, evals):
        self.told += 1

    def stop(self):
        return {"flat": 1} if self.told >= self.stops_after else {}

    def restarted(self, factor):
        return Scripted(self.log, f"{self.name} again", 9.0)


class Counts(NoInfill):
    """Counts the generations that it has seen since it started anew."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def observe(self, X, evals, sources=None):
        self.seen.append(float(X[0, 0]))

    def restart(self):
        self.seen = []


def evaluate(X):
    return Evaluations(X[:, 0].copy(), np.zeros(len(X), dtype=bool))


def run(near, wide, budget=80, restarts="ipop"):
    log, infill = [], Counts()
    hosts = [Scripted(log, name, *script) for name, script in (("near", near), ("wide", wide))]
    loop = Loop(hosts[1], infill, evaluate, budget, lambda *_: None, restarts, hosts[0])
    return loop.run(), log, infill


def test_a_near_descent_that_never_is_flat_has_the_whole_budget():
    progress, log, _ = run(near=(1e-9,), wide=(1.0,))
    assert log == ["near"] * 20
    assert (progress.restarts, progress.nfev, progress.status) == (0, 80, BUDGET_SPENT)


def test_the_wide_descent_follows_a_flat_generation_and_goes_on_where_it_came_lower():
    progress, log, infill = run(near=(5.0, 1), wide=(1.0,))
    assert log == ["near"] + ["wide"] * 19
    assert (progress.restarts, infill.seen) == (1, [1.0] * 19)


def test_the_near_descent_is_ended_where_it_came_lower_with_what_infill_knew_of_it():
    progress, log, infill = run(near=(1.0, 4), wide=(5.0,))
    assert log == ["near"] * 4 + ["wide"] * 15 + ["near"], "a quarter of its evaluations was kept for that"
    assert (progress.restarts, infill.seen) == (1, [1.0] * 5)


def test_a_wide_descent_that_is_flat_as_well_ends_the_prelude():
    assert run(near=(1.0, 1), wide=(5.0, 1))[1] == ["near", "wide"] + ["near"] * 18
    assert run(near=(5.0, 1), wide=(1.0, 1))[1] == ["near"] + ["wide"] * 19


def test_a_near_host_that_stops_is_not_asked_again():
    _, log, _ = run(near=(1.0, 99, 2), wide=(5.0,))
    assert log == ["near"] * 2 + ["wide"] * 18
    _, log, _ = run(near=(1.0, 99, 2), wide=(5.0, 99, 3))
    assert log == ["near"] * 2 + ["wide"] * 3 + ["wide again"] * 15


def test_restarts_after_the_prelude_are_the_wide_hosts():
    progress, log, _ = run(near=(1.0, 1, 3), wide=(5.0, 1))
    assert log == ["near", "wide", "near", "near"] + ["wide again"] * 16
    assert progress.restarts == 2


@pytest.mark.parametrize("restarts", [None, "race"])
def test_there_is_no_prelude_without_ipop(restarts):
    assert "near" not in run(near=(1.0,), wide=(5.0,), restarts=restarts)[1]


def freudenstein_roth(X):
    """Least in (5, 4) with f = 0; about the start there is another minimum, f = 24.5."""
    x, y = X.T
    return np.array([-13.0 + x + ((5.0 - y) * y - 2.0) * y, -29.0 + x + ((y + 1.0) * y - 14.0) * y]).T


START, BOX = (0.5, -2.0), [(-9.5, 10.5), (-22.0, 18.0)]


def fit(fun=freudenstein_roth, **changes):
    """The result, and all rows."""
    rows = []

    def seen(X):
        rows.append(X.copy())
        return fun(X)

    settings = {"x0": START, "bounds": BOX, "budget": 300, "rng": 1, "vectorized": True} | changes
    return janusopt.least_squares(seen, **settings), np.concatenate(rows)


def test_a_start_in_another_basin_costs_a_descent_and_not_the_run():
    result, rows = fit()
    spread = np.ptp(rows[:6], axis=0)
    assert np.all(spread < 0.1 * np.ptp(BOX, axis=1)), "narrow about the start"
    assert (result.janus["restarts"], result.nfev, len(rows)) == (1, 300, 300)
    assert result.cost < 1e-9


@pytest.mark.parametrize("after", [5, 20, 40])
def test_a_run_resumes_from_its_journal_in_either_descent(after, tmp_path):
    whole, _ = fit()
    calls = iter(range(1000))

    def failing(X):
        if next(calls) == after:
            raise RuntimeError("the night is over")
        return freudenstein_roth(X)

    with pytest.raises(EvaluationError):
        fit(failing, journal=tmp_path / "run.db")
    resumed, rows = fit(journal=tmp_path / "run.db")
    np.testing.assert_array_equal(resumed.x, whole.x)
    assert (resumed.cost, resumed.nit, resumed.nfev) == (whole.cost, whole.nit, whole.nfev)
    assert len(rows) <= 300 - 6 * after, "nothing is evaluated twice"


def test_a_host_without_infill_has_no_prelude():
    def fun(X):
        rows.append(X.copy())
        return 0.5 * (freudenstein_roth(X) ** 2).sum(axis=1)

    rows = []
    janusopt.minimize(fun, START, bounds=BOX, budget=300, rng=1, vectorized=True, infill=None)
    np.testing.assert_array_equal(fit(infill=None)[1], np.concatenate(rows))


@pytest.mark.parametrize(
    "changes",
    [
        {"x0": None},
        {"sigma0": 0.5},
        {"bounds": None},
        {"host": "de"},
        {"restarts": None},
        {"restarts": "race"},
    ],
)
def test_there_is_a_prelude_only_where_a_start_is_given_and_its_width_is_left_to_us(changes):
    without = fit(infill=JanusConfig(prelude=False), **changes)[1]
    np.testing.assert_array_equal(fit(**changes)[1], without)


def test_the_wide_descent_is_the_one_that_would_have_been():
    _, rows = fit()
    _, without = fit(infill=JanusConfig(prelude=False))
    first = without[:6]
    found = [i for i in range(len(rows) - 5) if np.array_equal(rows[i : i + 6], first)]
    assert len(found) == 1
    assert found[0] > 0


@pytest.mark.parametrize("host", ["cma", "sep-cma", "vkd-cma"])
def test_every_host_that_starts_about_x0_has_one(host):
    one, other = fit(host=host)[1], fit(host=host, infill=JanusConfig(prelude=False))[1]
    assert not np.array_equal(one[:6], other[:6])
