"""Worker processes of our own: what hangs is killed, what dies is tried once more, nobody else notices."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import faulty
from janusopt.errors import DeadWorker, EvaluationError, EvaluationTimeout, InputError
from janusopt.evaluate import Evaluate
from janusopt.workers import Workers, crew

X = np.arange(12.0).reshape(4, 3)
SUMS = [5.0, 50.0, 149.0, 302.0]


@pytest.fixture(scope="module")
def two():
    with Workers(2, timeout=0.5) as workers:
        yield workers


def alive(pid):
    """Zombies do not count: whoever inherits them buries them."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def gone(pid, seconds=10.0):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_values_come_back_in_order_from_other_processes(two):
    assert Evaluate(faulty.sphere, executor=two)(X).f.tolist() == SUMS
    pids = Evaluate(faulty.names_its_process, executor=two)(X).f
    assert os.getpid() not in pids
    assert len(set(pids)) <= 2


def test_a_row_that_hangs_is_killed_and_its_worker_replaced(two):
    start = time.monotonic()
    evaluate = Evaluate(faulty.hang_first, executor=two, on_error="skip")
    for _ in range(2):
        assert evaluate(X).failed.tolist() == [True, False, False, False]
    assert evaluate.failures == 2
    assert time.monotonic() - start < 10.0
    with pytest.raises(EvaluationTimeout, match=r"no value came within 0.5 seconds"):
        two.submit(faulty.hang_first, X[0]).result(10.0)


def test_loading_the_objective_does_not_count_as_its_time():
    with Workers(1, timeout=0.05) as workers:  # starting a process takes longer
        assert workers.submit(faulty.sphere, X[0]).result(20.0) == 5.0


def test_a_row_whose_worker_dies_is_tried_once_more(two, tmp_path):
    mark = tmp_path / "died"
    assert two.submit(faulty.die_once, X[0], str(mark)).result(20.0) == 5.0
    assert mark.exists()


def test_a_row_whose_worker_dies_twice_fails_alone(two):
    evals = Evaluate(faulty.die_first, executor=two, on_error="skip")(X)
    assert evals.failed.tolist() == [True, False, False, False]
    with pytest.raises(EvaluationError, match="DeadWorker: its worker process died, 2 times") as caught:
        Evaluate(faulty.die_first, executor=two)(X)
    assert isinstance(caught.value.__cause__, DeadWorker)


def test_a_worker_killed_while_idle_is_not_missed(two):
    for pid in set(Evaluate(faulty.names_its_process, executor=two)(X).f.astype(int).tolist()):
        os.kill(pid, signal.SIGKILL)
        assert gone(pid)
    assert Evaluate(faulty.sphere, executor=two)(X).f.tolist() == SUMS


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX's")
def test_a_kill_reaches_the_programs_that_the_objective_started(two, tmp_path):
    mark = tmp_path / "pid"
    with pytest.raises(EvaluationTimeout):
        two.submit(faulty.hang_in_a_program, X[0], str(mark)).result(20.0)
    assert gone(int(mark.read_text()))


def test_errors_come_back_as_they_were_or_at_least_as_text(two):
    x = next(x for x in np.arange(100.0)[:, None] if 0.02 < faulty.draw(x) < 0.12)
    with pytest.raises(ValueError, match="did not converge") as caught:
        two.submit(faulty.failing, x, faulty.sphere).result(20.0)
    assert "faulty.py" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="Odd: this and that"):
        two.submit(faulty.odd, X[0]).result(20.0)
    with pytest.raises((AttributeError, TypeError, RuntimeError), match="pickle"):
        two.submit(faulty.unpicklable, X[0]).result(20.0)


def test_an_objective_that_does_not_pickle_is_refused(two):
    with pytest.raises(InputError, match="need an objective that pickles; this one does not"):
        Evaluate(lambda x: 1.0, executor=two, on_error="skip")(X)


def test_an_objective_that_a_worker_cannot_load_stops_the_run_whatever_the_policy(two):
    with pytest.raises(EvaluationError, match="cannot be loaded in a worker process: ImportError: only there"):
        Evaluate(faulty.Absent(), executor=two, on_error="skip")(X)


def test_workers_compute_on_one_blas_thread_unless_told_otherwise(monkeypatch):
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name)
    with Workers(1) as workers:
        assert workers.submit(faulty.blas_threads, X[0]).result(20.0) == 1.0
    assert "OPENBLAS_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    with Workers(1) as workers:
        assert workers.submit(faulty.blas_threads, X[0]).result(20.0) == 3.0


def test_a_run_that_ends_early_does_not_wait_for_what_is_running():
    start = time.monotonic()
    with crew(None, 1, None, vectorized=False) as pool:
        future = pool.submit(faulty.asleep, X[0], 1000.0)
        while not future.running():
            time.sleep(0.01)
        time.sleep(0.5)
    with pytest.raises(DeadWorker):
        future.result(5.0)
    assert time.monotonic() - start < 10.0


def test_shutdown_waits_for_what_was_submitted():
    workers = Workers(1)
    futures = [workers.submit(faulty.asleep, x, 0.05) for x in X]
    workers.shutdown()
    assert [future.result(0.0) for future in futures] == SUMS
    with pytest.raises(RuntimeError, match="after shutdown"):
        workers.submit(faulty.sphere, X[0])


SCRIPT = """
import faulty, numpy as np, sys, time
from janusopt.workers import Workers
if __name__ == "__main__":
    workers = Workers(1)
    print(int(workers.submit(faulty.names_its_process, np.ones(2)).result()), flush=True)
    if sys.argv[1] == "hang":
        workers.submit(faulty.asleep, np.ones(2), 1000.0)
        time.sleep(1000.0)
"""


def _script(tmp_path, text, *arguments):
    path = tmp_path / "script.py"
    path.write_text(text)
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(faulty.__file__).parent), *sys.path])}
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(path), *arguments],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_program_that_forgets_its_workers_ends_all_the_same(tmp_path):
    with _script(tmp_path, SCRIPT, "forget") as program:
        out, err = program.communicate(timeout=30.0)
    assert (program.returncode, err) == (0, "")
    assert gone(int(out))


def test_workers_die_with_the_process_that_started_them(tmp_path):
    with _script(tmp_path, SCRIPT, "hang") as program:
        pid = int(program.stdout.readline())
        time.sleep(0.5)
        assert alive(pid)
        program.kill()
    assert gone(pid)


def test_a_script_without_a_main_guard_is_told_so(tmp_path):
    text = (
        "import faulty, janusopt\njanusopt.minimize(faulty.sphere, [1.0, 1.0], budget=50, workers=1, on_error='skip')"
    )
    with _script(tmp_path, text) as program:
        _, err = program.communicate(timeout=60.0)
    assert program.returncode != 0
    assert "EvaluationError: a worker process ended while it started" in err
    assert "__main__" in err


@pytest.mark.parametrize("timeout", [0, -1.0, np.inf, np.nan, "1", True])
def test_a_timeout_must_be_a_number_of_seconds(timeout):
    with pytest.raises(InputError, match="timeout must be a positive number of seconds"):
        Workers(1, timeout)


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", True])
def test_workers_are_counted(count):
    with pytest.raises(InputError, match="workers must be a positive whole number"):
        Workers(count)


def test_contradictory_wishes_are_refused(two):
    refused = [
        (two, 2, None, False, False, "leave executor out"),
        (two, None, 3.0, False, False, "to the workers themselves"),
        (None, 2, None, True, False, "leave out workers and timeout"),
        (None, None, 1.0, True, False, "leave out workers and timeout"),
        (two, None, None, False, True, "needs workers="),
    ]
    for executor, workers, timeout, vectorized, in_flight, says in refused:
        with (
            pytest.raises(InputError, match=says),
            crew(executor, workers, timeout, vectorized=vectorized, in_flight=in_flight),
        ):
            pass
