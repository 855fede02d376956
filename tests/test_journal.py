"""The journal: a broken run goes on as if nothing had happened, and a damaged file never lies."""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import janusopt
from janusopt import journal as journals
from janusopt.config import JanusConfig
from janusopt.entry import Entry
from janusopt.errors import EvaluationError, InputError, JournalError, JournalWarning
from janusopt.journal import Journal, connect, scan
from janusopt.loop import JOURNAL_FAILED
from janusopt.report import Report

D = 4
BOX = [(-5.0, 5.0)] * D
HOSTS = ("cma", "sep-cma", "vkd-cma", "cmaes", "de")


def ellipsoid(x):
    return float((np.logspace(0, 3, D) * (x - 1.0) ** 2).sum())


def two(x):
    return np.array([((x - 1.0) ** 2).sum(), ((x + 1.0) ** 2).sum()])


def two_bounded(x):
    return two(x), np.array([x[0] - 2.0])


def residuals(x):
    return np.logspace(0, 1, D) * (x - 1.0)


class Breaking:
    """Counts its calls; interrupts the run at some of them."""

    def __init__(self, fun=ellipsoid, breaks=()):
        self.fun, self.breaks, self.calls = fun, set(breaks), 0

    def __call__(self, x):
        if self.calls in self.breaks:
            self.breaks.discard(self.calls)
            raise KeyboardInterrupt
        self.calls += 1
        return self.fun(x)


def minimize(fun=ellipsoid, **changes):
    return janusopt.minimize(fun, **({"bounds": BOX, "budget": 200, "rng": 3} | changes))


def multi(fun=two, **changes):
    given = {"bounds": BOX, "budget": 200, "rng": 3, "host": "sms-emoa", "popsize": 20}
    return janusopt.minimize_multi(fun, **(given | changes))


def through_breaks(door, fun, breaks, **changes):
    """Called again after each break; with how often the objective was called."""
    breaking = Breaking(fun, breaks)
    while breaking.breaks:
        with pytest.raises(KeyboardInterrupt):
            door(breaking, **changes)
    return door(breaking, **changes), breaking.calls


def same(one, other):
    for name in ("x", "X", "F", "components", "residuals"):
        if name in one:
            np.testing.assert_array_equal(one[name], other[name])
    for name in ("fun", "nfev", "nit", "status", "message", "success"):
        assert one.get(name) == other.get(name)
    assert one.janus["sources"] == other.janus["sources"]
    assert repr(one.janus["records"]) == repr(other.janus["records"])
    assert one.janus["failures"] == other.janus["failures"]


def entries(path):
    connection = connect(Path(path).resolve(), readonly=True)
    found = list(scan(connection))
    connection.close()
    return found


def key(entry):
    parts = (entry.x, entry.wide, entry.constraints)
    return (entry.generation, entry.row, repr(entry.f), entry.failed, *(part.tobytes() for part in parts))


# ------------------------------------------------------------------------------------------------------------- resume


@pytest.mark.parametrize("host", HOSTS)
def test_an_interrupted_run_equals_the_unbroken_one_and_evaluates_nothing_twice(host):
    breaks = np.random.default_rng(HOSTS.index(host)).choice(199, 4, replace=False)
    result, calls = through_breaks(minimize, ellipsoid, breaks, host=host, journal="run.db")
    same(result, minimize(host=host))
    assert calls == result.nfev


@pytest.mark.parametrize(
    ("fun", "host"), [(two, "sms-emoa"), (two_bounded, "sms-emoa"), (two, "nsga2"), (two, "age-moea2")]
)
def test_an_interrupted_run_on_several_objectives_equals_the_unbroken_one(fun, host):
    result, calls = through_breaks(multi, fun, [7, 20, 55, 131], journal="run.db", host=host)
    same(result, multi(fun, host=host))
    assert calls == 200


def test_an_interrupted_fit_equals_the_unbroken_one():
    def fit(fun=residuals, **changes):
        return janusopt.least_squares(fun, **({"bounds": BOX, "budget": 100, "rng": 3} | changes))

    result, calls = through_breaks(fit, residuals, [3, 30, 77], journal="run.db")
    same(result, fit())
    assert calls == result.nfev


def test_components_and_failed_rows_come_back_as_they_were():
    def fun(x):
        if x[0] > 3.0:
            raise RuntimeError("the simulation crashed")
        r = (x - 1.0) ** 2
        return (np.nan, r) if x[0] > 1.5 else (float(r.mean()), r)

    result, _ = through_breaks(minimize, fun, [5, 40, 90], journal="run.db", on_error="skip")
    same(result, minimize(fun, on_error="skip"))
    assert result.janus["failures"] == sum(entry.failed for entry in entries("run.db")) > 0


@pytest.mark.parametrize("breaks", [[5], [19], [20], [25, 60]])
def test_a_first_generation_of_failed_rows_resumes(breaks):
    def late(fun):
        return lambda x: fun(x) if breaking.calls > 20 else fun(x) * np.inf

    breaking = Breaking(None)
    breaking.fun = late(two)
    whole = multi(breaking, on_error="skip")
    breaking.calls, breaking.breaks = 0, set(breaks)
    while breaking.breaks:
        with pytest.raises(KeyboardInterrupt):
            multi(breaking, on_error="skip", journal="run.db")
    same(multi(breaking, on_error="skip", journal="run.db"), whole)


def test_a_finished_journal_gives_the_result_without_the_objective():
    first = minimize(journal="run.db")
    breaking = Breaking(breaks=[0])
    same(minimize(breaking, journal="run.db"), first)
    assert breaking.calls == 0


def test_a_restarting_run_resumes():
    options = {"budget": 900, "popsize": 6, "host_options": {"tolfun": 1e-3}}
    result, _ = through_breaks(minimize, ellipsoid, [100, 700], journal="run.db", **options)
    assert result.janus["restarts"] > 0
    same(result, minimize(**options))


def test_without_a_seed_the_recorded_one_is_used_again():
    with pytest.raises(KeyboardInterrupt):
        minimize(Breaking(breaks=[100]), rng=None, journal="run.db")
    result = minimize(rng=None, journal="run.db")
    same(minimize(rng=None, journal="run.db"), result)
    entropy = Journal("run.db").settings["seed"]["entropy"]
    same(minimize(rng=np.random.SeedSequence(entropy)), result)


def test_a_vectorized_objective_resumes():
    calls = []

    def fun(X):
        calls.append(len(X))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return np.array([ellipsoid(x) for x in X])

    with pytest.raises(KeyboardInterrupt):
        minimize(fun, vectorized=True, journal="run.db")
    same(minimize(fun, vectorized=True, journal="run.db"), minimize())


def test_on_an_executor_what_finished_is_kept_although_an_earlier_row_did_not():
    def fun(x, broken):
        if broken and not fun.broke:
            fun.broke = True
            time.sleep(0.3)
            raise RuntimeError("lost")
        fun.calls += 1
        return ellipsoid(x)

    fun.calls, fun.broke = 0, False
    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(EvaluationError):
            minimize(fun, args=(True,), executor=executor, journal="run.db")
        before = len(entries("run.db"))
        assert before == fun.calls >= 1
        result = minimize(fun, args=(False,), executor=executor, journal="run.db")
    same(result, minimize())
    assert fun.calls == result.nfev


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 and newer, on forking with threads
def test_worker_processes_neither_disturb_the_journal_nor_inherit_it():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as executor:
        same(minimize(executor=executor, journal="run.db"), minimize())
        same(minimize(Breaking(breaks=[0]), journal="run.db"), minimize())


def test_a_fixed_objective_goes_on_where_the_broken_one_raised():
    def broken(x):
        if broken.calls == 50:
            raise RuntimeError("simulation failed")
        broken.calls += 1
        return ellipsoid(x)

    broken.calls = 0
    with pytest.raises(EvaluationError) as stopped:
        minimize(broken, journal="run.db")
    assert stopped.value.result.nfev == 50
    fixed = Breaking()
    same(minimize(fixed, journal="run.db"), minimize())
    assert fixed.calls == 150


def test_slow_rows_are_committed_one_by_one(monkeypatch):
    monkeypatch.setattr(journals, "_EVERY", 0.0)
    seen = []

    def fun(x):
        seen.append(len(entries("run.db")) if Path("run.db").exists() else 0)
        return ellipsoid(x)

    minimize(fun, budget=20, journal="run.db")
    assert seen == list(range(20))


_NIGHT = """
import sys, time
import numpy as np, janusopt
def fun(x):
    with open("calls", "a") as out:
        out.write(".")
    time.sleep(0.004)
    return float((np.logspace(0, 3, 4) * (x - 1.0) ** 2).sum())
result = janusopt.minimize(fun, bounds=[(-5.0, 5.0)] * 4, budget=200, rng=3, journal="run.db")
print(result.x.tobytes().hex(), result.fun, result.nit)
"""


def test_a_run_killed_again_and_again_equals_the_unbroken_one():
    rng = np.random.default_rng(0)
    kills = 0
    while True:
        process = subprocess.Popen([sys.executable, "-c", _NIGHT], stdout=subprocess.PIPE, text=True)
        try:
            out, _ = process.communicate(timeout=rng.uniform(0.6, 1.1) if kills < 5 else 60)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
    whole = minimize()
    assert out.split() == [whole.x.tobytes().hex(), str(whole.fun), str(whole.nit)]
    assert kills
    assert len(Path("calls").read_text()) - 200 <= 16 * kills  # 50 ms of finished work, and what was in flight


# ------------------------------------------------------------------------------------------------------------ refusal


def test_a_second_process_is_refused_and_the_first_not_disturbed():
    code = "import janusopt; janusopt.minimize(lambda x: 0.0, bounds=[(0, 1)], budget=50, journal='run.db')"
    seen = []

    def fun(x):
        if not seen:
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
            seen.append(done.stderr)
        return ellipsoid(x)

    same(minimize(fun, journal="run.db"), minimize())
    assert "JournalError" in seen[0]
    assert "in use by another process (pid" in seen[0]


def test_a_second_run_in_the_same_process_is_refused():
    with Journal("run.db"), pytest.raises(JournalError, match="in use by this process"):
        minimize(journal="run.db")
    minimize(journal="run.db")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"budget": 100}, "budget was 200, is 100"),
        ({"rng": 4}, "seed.entropy was 3, is 4"),
        ({"bounds": [*BOX[:3], (-5.0, 6.0)]}, r"space.upper\[3\] was 5.0, is 6.0"),
        ({"host": "de"}, 'host was "cma", is "de"'),
        ({"infill": None}, 'infill was "janus", is null'),
        ({"infill": JanusConfig(kappa=2.0)}, 'infill was "janus", is absent; infill.anchor was absent, is "mean"'),
        ({"popsize": 12}, "popsize was null, is 12"),
        ({"host_options": {"CMA_mirrors": 0}}, "host_options.CMA_mirrors"),
    ],
)
def test_a_journal_of_another_run_is_refused_with_what_differs(changes, told):
    minimize(budget=200, journal="run.db")
    before = Path("run.db").read_bytes()
    with pytest.raises(JournalError, match=f"another run: .*{told}"):
        minimize(**changes, journal="run.db")
    assert Path("run.db").read_bytes() == before


def test_a_journal_of_another_version_is_refused(monkeypatch):
    minimize(journal="run.db")
    monkeypatch.setattr("janusopt.replay.versions", lambda names: dict.fromkeys(names, "0"))
    with pytest.raises(JournalError, match=r"versions\.numpy was"):
        minimize(journal="run.db")


def test_a_run_that_asks_for_other_points_is_refused(monkeypatch):
    minimize(journal="run.db")
    monkeypatch.setattr("janusopt.replay.differences", lambda *_: "")
    with pytest.raises(JournalError, match="generation 0, row 0"):
        minimize(rng=4, journal="run.db")


def test_a_file_that_is_no_journal_is_left_alone():
    Path("notes.txt").write_text("not a database, and rather dear to me" * 100)
    with pytest.raises(JournalError, match="cannot be read"):
        minimize(journal="notes.txt")
    assert Path("notes.txt").read_text().startswith("not a database")
    with sqlite3.connect("other.db") as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(JournalError, match="no journal of janusopt"):
        minimize(journal="other.db")


def test_a_journal_with_a_trigger_in_it_is_refused():
    minimize(journal="run.db")
    with sqlite3.connect("run.db") as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON evaluations BEGIN DELETE FROM evaluations; END")
    connection.close()
    with pytest.raises(JournalError, match="no journal"):
        minimize(journal="run.db")


@pytest.mark.parametrize("journal", ["", 5, b"run.db"])
def test_a_journal_that_is_no_file_name_is_told(journal):
    with pytest.raises(InputError, match="journal must be"):
        minimize(journal=journal)


def test_a_folder_that_is_not_there_is_told():
    with pytest.raises(JournalError, match="is the folder there"):
        minimize(journal="nowhere/run.db")


# ------------------------------------------------------------------------------------------------------------- damage


def _resumed(files, whole):
    """Resume on those files (name → bytes) until the objective is called: what came of it. Nothing may be invented."""
    for path in Path().glob("run.db*"):
        path.unlink()
    for name, content in files.items():
        Path(name).write_bytes(content)
    try:
        minimize(Breaking(breaks=[0]), budget=100, journal="run.db")
    except JournalError:
        return "refused"
    except KeyboardInterrupt:
        pass
    found = {entry.id: key(entry) for entry in entries("run.db") if entry is not None}
    assert all(whole[where] == content for where, content in found.items())
    return "intact" if len(found) == len(whole) else "repaired"


def _files(at):
    """The journal of a run of 100 evaluations as a kill after ``at`` of them leaves it, and its rows."""
    files = {}

    def look(progress):
        if progress.nfev >= at and not files:
            files.update({path.name: path.read_bytes() for path in Path().glob("run.db*") if path.suffix != ".lock"})

    minimize(budget=100, journal="run.db", callback=look)
    if at >= 100:
        files = {"run.db": Path("run.db").read_bytes()}
    return files, {entry.id: key(entry) for entry in entries("run.db")}


def _flipped(content, burst, rng):
    flipped = bytearray(content)
    at = int(rng.integers(len(content) - burst))
    for i in range(at, at + burst):
        flipped[i] ^= int(rng.integers(1, 256))
    return bytes(flipped)


@pytest.mark.filterwarnings("ignore::janusopt.errors.JournalWarning")
@pytest.mark.parametrize(("burst", "file"), [(1, "run.db"), (200, "run.db"), (1, "run.db-wal"), (200, "run.db-wal")])
def test_flipped_bytes_are_found_and_never_invent_a_row(burst, file):
    files, whole = _files(100 if file == "run.db" else 60)
    rng = np.random.default_rng(burst)
    seen = {_resumed(files | {file: _flipped(files[file], burst, rng)}, whole) for _ in range(40)}
    assert "repaired" in seen


@pytest.mark.filterwarnings("ignore::janusopt.errors.JournalWarning")
@pytest.mark.parametrize("file", ["run.db", "run.db-wal"])
def test_a_truncated_file_keeps_what_is_left(file):
    files, whole = _files(100 if file == "run.db" else 60)
    content = files[file]
    seen = {_resumed(files | {file: content[: int(s * len(content))]}, whole) for s in (0, 0.1, 0.4, 0.6, 0.8, 0.99)}
    assert "repaired" in seen


def test_a_damaged_row_is_dropped_told_and_evaluated_again():
    whole = minimize(journal="run.db")
    victim = entries("run.db")[70]
    with sqlite3.connect("run.db") as connection:
        connection.execute("UPDATE evaluations SET f = ? WHERE id = ?", (np.float64(-1.0).tobytes(), victim.id))
    connection.close()
    breaking = Breaking()
    with pytest.warns(JournalWarning, match=r"199 evaluations are intact.*1 unreadable.*damaged-1"):
        same(minimize(breaking, journal="run.db"), whole)
    assert breaking.calls == 1
    assert Path("run.db.damaged-1").exists()
    assert len(entries("run.db")) == 200


def test_behind_a_gap_a_noisy_objective_takes_another_way_and_says_so():
    minimize(journal="run.db")
    with sqlite3.connect("run.db") as connection:
        connection.execute("UPDATE evaluations SET seconds = 9.0 WHERE generation = 3")
    connection.close()
    with pytest.warns(JournalWarning) as told:
        result = minimize(lambda x: -ellipsoid(x), journal="run.db")
    assert "took another way from generation 4" in str(told[-1].message)
    assert result.nfev == len(entries("run.db")) == 200


def test_a_repair_that_was_killed_halfway_is_finished():
    whole = minimize(journal="run.db")
    Path("run.db").rename("run.db.repaired")
    Path("run.db-wal").write_bytes(b"old")
    breaking = Breaking()
    same(minimize(breaking, journal="run.db"), whole)
    assert breaking.calls == 0


def test_a_full_disk_stops_the_run_with_its_result_and_it_can_go_on(monkeypatch):
    def small(path, *, readonly=False):
        connection = connect(path, readonly=readonly)
        connection.execute("PRAGMA max_page_count = 5")
        return connection

    with monkeypatch.context() as full:
        full.setattr(journals, "connect", small)
        with pytest.raises(JournalError, match="full") as stopped:
            minimize(budget=400, journal="run.db")
    result = stopped.value.result
    assert result.status == JOURNAL_FAILED
    assert not result.success
    assert result.fun == ellipsoid(result.x)
    kept = len(entries("run.db"))
    assert 0 < kept <= result.nfev
    breaking = Breaking()
    same(minimize(breaking, budget=400, journal="run.db"), minimize(budget=400))
    assert breaking.calls == 400 - kept


# --------------------------------------------------------------------------------------------------------------- cost


def test_a_generation_at_d_500_costs_at_most_two_milliseconds():
    """The median: waiting for the disk comes at most every 50 ms, and other programs' load is not the journal's."""
    X = np.random.default_rng(0).normal(size=(22, 500))
    seconds = []
    with Journal("run.db") as journal:
        journal.begin({})
        for generation in range(60):
            start = time.perf_counter()
            for i, x in enumerate(X):
                journal.append(Entry(generation, i, x, 1.0, np.empty(0), np.empty(0), False, "host", 0.0))
            journal.commit()
            seconds.append(time.perf_counter() - start)
    assert np.median(seconds) < 2e-3


def test_five_milliseconds_of_objective_leave_the_journal_at_most_a_twentieth(monkeypatch):
    """Time inside the journal's calls against the wall time: the median generation, in one of three tries."""
    spent = [0.0]

    def timed(call):
        def measured(*arguments):
            start = time.perf_counter()
            try:
                return call(*arguments)
            finally:
                spent[0] += time.perf_counter() - start

        return measured

    def slow(x):
        time.sleep(0.005)
        return ellipsoid(x)

    monkeypatch.setattr(journals, "insert", timed(journals.insert))
    monkeypatch.setattr(Journal, "recorded", timed(Journal.recorded))

    def share(name):
        marks = []
        minimize(slow, budget=240, journal=name, callback=lambda _: marks.append((time.perf_counter(), spent[0])))
        wall, inside = np.diff(np.array(marks), axis=0).T
        assert inside.sum() > 0
        return np.median(inside / wall)

    assert any(share(f"run{k}.db") < 0.05 for k in range(3))


def test_why_a_row_failed_is_on_file_for_a_run_from_python():
    def moody(x):
        if x[0] > 0.5:
            raise ValueError("it did not converge")
        return float("nan") if x[0] < -0.5 else float(x @ x)

    janusopt.minimize(moody, bounds=[(-1.0, 1.0)] * 2, budget=40, rng=1, on_error="skip", journal="why.db")
    reasons = Report(Path("why.db")).reasons()
    assert set(reasons) == {"ValueError: it did not converge", "NonFinite: a value is not finite (f = nan)"}
