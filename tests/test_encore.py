"""Other descents in a run whose first one is over."""

import shutil

import numpy as np
import pytest

import janusopt
import reference
from janusopt.config import JanusConfig
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.encore import Encore
from janusopt.errors import EvaluationError, InputError, JournalError
from janusopt.infill import NoInfill
from janusopt.loop import BUDGET_SPENT, HOST_STOPPED, Loop

D, ROWS = 2, 4  # a descent whose values do not change is over after ten generations: forty evaluations


class Scripted:
    """A host whose generations lie between ``low`` and ``high`` times that; each falls to ``fall`` of the one before.

    ``restarted`` gives the next of ``scripts`` with as many rows as it is asked for, while there are any.
    """

    def __init__(self, log, scripts, rows=ROWS, name=0):
        self.log, self.scripts, self.rows, self.name = log, scripts, rows, name
        self.slots, self.told = 2, 0
        script = {"high": 1.01, "fall": 1.0, "stops": 999} | scripts[name]
        self.low, self.high, self.fall, self.stops = (script[key] for key in ("low", "high", "fall", "stops"))

    def frame(self):
        return Frame(np.zeros(D), 1.0, np.ones(D), np.full(D, -1e9), np.full(D, 1e9))

    def ask(self, infill):
        self.log.append(self.name)
        return np.linspace(self.low, self.low * self.high, self.rows)[:, None] * np.ones(D) * self.fall**self.told

    def tell(self, X, evals):
        self.told += 1

    def stop(self):
        return {"flat": 1} if self.told >= self.stops else {}

    def restarted(self, factor):
        following = max(self.log) + 1
        more = following < len(self.scripts)
        return Scripted(self.log, self.scripts, self.rows * int(factor), following) if more else None


class Counts(NoInfill):
    """What it has seen since it started anew; it may have encores."""

    def __init__(self, encores=True):
        super().__init__()
        self.seen, self.encores, self.settled = [], encores, False

    def rest(self):
        raise AssertionError

    def observe(self, X, evals, sources=None):
        self.seen.append(float(X[0, 0]))

    def restart(self):
        self.seen = []


def evaluate(X):
    return Evaluations(X[:, 0].copy(), np.zeros(len(X), dtype=bool), components=X)


def run(*scripts, budget=1000, restarts="ipop", infill=None):
    """The run's progress, which host had how many generations in turn, and the infill."""
    log, infill = [], infill or Counts()
    scripts = [script if isinstance(script, dict) else {"low": script} for script in scripts]
    progress = Loop(Scripted(log, scripts), infill, evaluate, budget, lambda *_: None, restarts).run()
    changes = np.flatnonzero(np.diff(log)) + 1
    return progress, [(part[0], len(part)) for part in np.split(np.array(log), changes)], infill


def test_others_follow_a_descent_that_is_over_and_the_lowest_of_all_ends_the_run():
    progress, turns, infill = run(5.0, 3.0, 4.0, 1.0)
    assert turns == [(0, 10), (1, 10), (2, 10), (1, 90)], "half of 960 evaluations has room for two, of 80 and 160"
    assert (progress.restarts, progress.nfev, progress.status) == (2, 1000, BUDGET_SPENT)
    assert infill.seen == [3.0] * 100, "with what it knew of that descent"


def test_the_last_one_goes_on_where_it_is_the_lowest():
    progress, turns, infill = run(5.0, 3.0, budget=201)
    assert turns == [(0, 10), (1, 21)]
    assert (progress.restarts, progress.nfev, infill.seen) == (1, 201, [3.0] * 21)


@pytest.mark.parametrize(("budget", "restarts"), [(199, 0), (200, 1)])
def test_there_is_an_encore_only_where_half_of_what_is_left_has_room_for_it(budget, restarts):
    progress, _, _ = run(5.0, 3.0, 4.0, budget=budget)
    assert (progress.restarts, progress.nfev) == (restarts, budget)


@pytest.mark.parametrize("script", [{"low": 5.0, "fall": 0.98}, {"low": 5.0, "high": 2.0}])
def test_a_descent_that_still_falls_or_is_not_flat_has_the_whole_budget(script):
    assert run(script, 3.0)[1] == [(0, 250)]


def test_an_encore_that_is_not_the_lowest_after_as_many_generations_is_left():
    assert run(5.0, {"low": 6.0, "high": 2.0}, 7.0, 9.0)[1] == [(0, 10), (1, 10), (2, 10), (0, 180)]
    assert run(5.0, {"low": 6.0, "fall": 0.97}, 7.0)[1] == [(0, 10), (1, 120)], "lower by then, and below to the end"


def test_a_host_that_stops_in_the_first_descent_restarts_as_ever():
    assert run({"low": 5.0, "stops": 3}, 3.0, 4.0)[1] == [(0, 3), (1, 124)]


def test_an_encore_whose_host_stops_is_not_gone_back_to():
    assert run(5.0, {"low": 3.0, "stops": 4}, 6.0, budget=300)[1] == [(0, 10), (1, 4), (0, 57)]
    assert run(5.0, {"low": 3.0, "stops": 4}, 6.0)[1] == [(0, 10), (1, 4), (2, 10), (0, 192)]


def test_restarts_after_the_encores_go_on_from_the_last_population():
    _, turns, _ = run({"low": 5.0, "stops": 15}, 6.0, 7.0, 8.0, budget=800)
    assert turns == [(0, 10), (1, 10), (2, 10), (0, 5), (3, 16)], "of 4, 8, 16, 4 and 32 rows"


def test_a_host_that_cannot_restart_goes_on():
    progress, turns, infill = run({"low": 5.0, "stops": 20})
    assert (turns, progress.status, infill.seen) == ([(0, 20)], HOST_STOPPED, [5.0] * 20)


def test_a_bare_host_has_them_where_they_are_asked_for():
    assert len(run(5.0, 3.0, infill=NoInfill())[1]) == 1
    assert len(run(5.0, 3.0, infill=Counts(encores=False))[1]) == 1
    assert run(5.0, 3.0, infill=NoInfill(), restarts="encore")[1] == [(0, 10), (1, 120)]


class Asked:
    """A host that says whether it was asked for a fresh one."""

    rows, asked = 5, False

    def restarted(self, factor):
        self.asked = True


@pytest.mark.parametrize("seed", range(20))
def test_a_descent_is_over_when_the_reference_says_so(seed):
    rng = np.random.default_rng(seed)
    pace, height = rng.uniform(0.02, 1.0), rng.uniform(0.01, 0.2)
    run = [1.0 + n**-pace * np.exp(height * rng.standard_normal(5)) for n in range(1, 60)]
    host, n = Asked(), 0
    encore = Encore(host, 100_000)
    while n < len(run) and not host.asked:
        encore.see(np.zeros((5, D)), Evaluations(run[n], np.zeros(5, dtype=bool)))
        n += 1
        encore.turn(host, NoInfill(), 5 * n, stopped=False)
    over = [reference.descent_is_over(run[:k], D) for k in range(1, n + 1)]
    assert over == [False] * (n - 1) + [host.asked]


BOX = [(-5.0, 5.0)] * 4


def waves(X):
    """Rastrigin's function as f and its parts: a minimum near every point of whole numbers, the least at 1.3."""
    Y = X - 1.3
    parts = Y * Y + 10.0 * (1.0 - np.cos(2.0 * np.pi * Y))
    return parts.mean(axis=1), parts


def search(fun=waves, door=janusopt.minimize, **changes):
    """The result, and all rows."""
    rows = []

    def seen(X):
        rows.append(X.copy())
        return fun(X)

    result = door(seen, **({"bounds": BOX, "budget": 2000, "rng": 1, "vectorized": True} | changes))
    return result, np.concatenate([np.empty((0, len(BOX))), *rows])


def test_the_first_descent_is_the_one_that_would_have_been():
    result, rows = search()
    _, without = search(infill=JanusConfig(encore=False))
    differ = np.flatnonzero((rows != without).any(axis=1))
    assert differ[0] > 100
    assert (result.janus["restarts"], result.nfev) == (2, 2000)


class Night:
    """``waves`` for so many generations, then an error."""

    def __init__(self, generations):
        self.left = generations

    def __call__(self, X):
        if self.left == 0:
            raise RuntimeError("the night is over")
        self.left -= 1
        return waves(X)


def told(result):
    return result.x.tolist(), result.fun, result.nfev, result.nit, result.janus["restarts"], result.janus["sources"]


@pytest.mark.parametrize("after", [30, 60, 90])
def test_a_run_resumes_from_its_journal_in_any_descent(after, tmp_path):
    with pytest.raises(EvaluationError):
        search(Night(after), journal=tmp_path / "run.db")
    resumed, rows = search(journal=tmp_path / "run.db")
    assert told(resumed) == told(search()[0])
    assert len(rows) <= 2000 - 8 * after, "nothing is evaluated twice"


LARGER = (3000, 4000, 8000, 20_000)  # from which of them on the plan differs depends on the run


def answer(path, budget):
    """What a recorded run says to another budget: nothing where it goes on."""
    try:
        search(journal=path, budget=budget)
    except JournalError as error:
        return str(error)
    return ""


def test_a_larger_budget_goes_on_until_the_plan_differs_and_is_refused_from_there_on(tmp_path):
    search(journal=tmp_path / "short.db", budget=150)
    longer, _ = search(journal=tmp_path / "short.db")
    np.testing.assert_array_equal(longer.x, search()[0].x)
    answers = {
        budget: answer(shutil.copy(tmp_path / "short.db", tmp_path / f"{budget}.db"), budget) for budget in LARGER
    }
    refused = [tmp_path / f"{budget}.db" for budget in LARGER if answers[budget]]
    assert refused
    assert all("plans by its budget" in answers[int(path.stem)] for path in refused)
    assert [len(search(journal=path)[1]) for path in refused] == [0] * len(refused), "unchanged: all of it is recorded"


@pytest.mark.parametrize(
    "changes",
    [
        {"fun": lambda X: waves(X)[0]},
        {"fun": lambda X: waves(X)[1] ** 0.5, "door": janusopt.least_squares},
        {"restarts": None},
        {"restarts": "race"},
        {"budget": 150},
    ],
    ids=["no parts", "residuals", "no restarts", "a race", "no room"],
)
def test_there_are_encores_only_where_parts_of_f_are_seen_and_there_is_room(changes):
    without = search(infill=JanusConfig(encore=False), **changes)[1]
    np.testing.assert_array_equal(search(**changes)[1], without)


@pytest.mark.parametrize("infill", [None, "random"])
def test_other_infill_has_none_of_its_own(infill):
    np.testing.assert_array_equal(search(infill=infill)[1], search(lambda X: waves(X)[0], infill=infill)[1])


@pytest.mark.parametrize("host", ["cma", "sep-cma", "vkd-cma", "cmaes", "de"])
def test_every_host_can_have_them(host):
    def shallow(X):
        return 1.0 + 0.001 * waves(X)[0]

    result, _ = search(shallow, host=host, popsize=12, infill=None, restarts="encore")
    assert (result.nfev, result.janus["restarts"] > 0) == (2000, True)


def test_where_encores_make_no_sense_they_are_refused():
    with pytest.raises(InputError, match="'encore' needs one objective and whole generations"):
        janusopt.minimize(waves, bounds=BOX, budget=100, restarts="encore", asynchronous=True, workers=2)
    with pytest.raises(InputError, match="needs one objective"):
        janusopt.minimize_multi(lambda x: [x[0], 1.0 - x[0]], bounds=BOX, budget=200, restarts="encore")
