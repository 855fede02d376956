"""Campaigns: resumed, sharded, and not stopped by a worker that is killed."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import pytest

from janusopt.bench.campaign import Campaign, pending
from janusopt.bench.crew import LocalCrew
from janusopt.bench.job import Job
from janusopt.bench.methods import find
from janusopt.bench.outcome import Outcome
from janusopt.bench.record import Record
from janusopt.bench.store import Store
from janusopt.bench.task import Run, Task
from janusopt.errors import InputError
from janusopt.threads import NAMES


@dataclass(frozen=True)
class Witnessed:
    """Random search that notes each of its starts in a file; its process is killed on the first ``kills`` of them."""

    path: str
    kills: int = 0

    def __call__(self, problem, seed, budget, x0):
        with Path(self.path).open("a") as book:
            book.write("started\n")
        if self.starts() <= self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        problem.fun(x0[None, :])
        return Outcome()

    def starts(self):
        return len(Path(self.path).read_text().splitlines())


@dataclass(frozen=True)
class Threads:
    """Writes the numbers of BLAS threads that its process was started with."""

    path: str

    def __call__(self, problem, seed, budget, x0):
        Path(self.path).write_text(" ".join(os.environ.get(name, "unset") for name in NAMES))
        problem.fun(x0[None, :])
        return Outcome()


@dataclass(frozen=True)
class Sleeper:
    """Writes who it is, then stays for a minute."""

    path: str

    def __call__(self, problem, seed, budget, x0):
        Path(self.path).write_text(str(os.getpid()))
        time.sleep(60.0)


def _job(method, seed=0, problem="f1", d=2, name="it"):
    return Job(Run(Task("bbob", problem, d, 11), name, seed, 20), method, 1e-8)


def _campaign(jobs, workers=2):
    records = {}
    with closing(LocalCrew(workers)) as crew:
        Campaign(crew, lambda job, record: records.update({job.run.seed: record})).run(jobs)
    return records


def test_a_killed_worker_costs_its_run_a_retry_and_the_others_nothing(tmp_path):
    methods = [Witnessed(str(tmp_path / str(i)), kills=int(i == 1)) for i in range(4)]
    records = _campaign([_job(method, seed) for seed, method in enumerate(methods)])
    assert [records[seed].status for seed in range(4)] == ["ok"] * 4
    assert [method.starts() for method in methods] == [1, 2, 1, 1]


def test_a_run_that_always_kills_its_worker_is_recorded_as_failed(tmp_path):
    deadly, other = Witnessed(str(tmp_path / "deadly"), kills=9), Witnessed(str(tmp_path / "other"))
    records = _campaign([_job(deadly, 0), _job(other, 1)], workers=1)
    assert records[0].status == "failed"
    assert "the worker was lost 2 times" in records[0].error
    assert deadly.starts() == 2
    assert (records[1].status, other.starts()) == ("ok", 1)


def test_workers_compute_on_one_thread_whatever_this_process_does(tmp_path, monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name)
    _campaign([_job(Threads(str(tmp_path / "threads")))], workers=1)
    assert (tmp_path / "threads").read_text() == "1 1 1"
    assert not set(NAMES) & set(os.environ)


def test_workers_end_with_a_campaign_that_is_killed(tmp_path):
    path = tmp_path / "sleeper"
    parent = get_context("spawn").Process(target=_campaign, args=([_job(Sleeper(str(path)))],))
    parent.start()
    _until(lambda: path.exists() and path.read_text())
    parent.kill()
    parent.join()
    worker = int(path.read_text())
    _until(lambda: not _alive(worker))


def _until(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("waited for a minute")


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # an orphan that nobody reaps is a zombie
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_stored_runs_are_skipped_and_failed_ones_are_tried_again_on_request():
    store = Store(Path("results"), "plan")
    jobs = [_job(find("cma"), seed) for seed in range(3)]
    store.write(Record.of(jobs[0].run))
    store.write(Record.of(jobs[1].run, status="failed"))
    assert [job.run.seed for job in pending(jobs, store)] == [2]
    assert [job.run.seed for job in pending(jobs, store, retry=True)] == [1, 2]


def test_shards_partition_the_runs_and_keep_tasks_whole():
    store = Store(Path("results"), "plan")
    jobs = [_job(find("cma"), seed, f"f{f}", name=name) for f in (1, 2, 3, 4, 5) for seed in (0, 1) for name in "ab"]
    shards = [{job.run.key for job in pending(jobs, store, (i, 3))} for i in (1, 2, 3)]
    assert sum(map(len, shards)) == len(set.union(*shards)) == len(jobs)
    problems = [{key.split("/")[1] for key in shard} for shard in shards]
    assert sum(map(len, problems)) == 5


@pytest.mark.parametrize("shard", [(0, 2), (3, 2)])
def test_a_shard_that_is_none_is_refused(shard):
    with pytest.raises(InputError, match="1 ≤ i ≤ n"):
        pending([], Store(Path("results"), "plan"), shard)


def test_expensive_runs_come_first_and_tasks_stay_together():
    jobs = [_job(find("cma"), seed, d=d, name=name) for d in (2, 30, 5) for seed in (0, 1) for name in "ab"]
    ordered = pending(jobs, Store(Path("results"), "plan"))
    assert [job.run.task.dimension for job in ordered] == [30] * 4 + [5] * 4 + [2] * 4
    assert [(job.run.seed, job.run.method) for job in ordered[:4]] == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
