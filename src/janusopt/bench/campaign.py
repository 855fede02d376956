"""A campaign: jobs on a crew, one record each, whatever happens to the workers."""

from __future__ import annotations

import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from janusopt.bench.crew import Crew
from janusopt.bench.job import Job, failed
from janusopt.bench.record import Record
from janusopt.bench.store import Store
from janusopt.errors import InputError

_ATTEMPTS = 2  # of a run whose worker was lost


def pending(jobs: Sequence[Job], store: Store, shard: tuple[int, int] = (1, 1), *, retry: bool = False) -> list[Job]:
    """The jobs of shard i of n that are not stored, the most expensive first; ``retry``: also those that failed.

    A shard is every n-th task, so that the runs of one task share a worker's cache and stay paired.
    """
    i, n = shard
    if not 1 <= i <= n:
        raise InputError(f"a shard must be i/n with 1 ≤ i ≤ n, got {i}/{n}")
    tasks = {task: number for number, task in enumerate(dict.fromkeys(job.run.task for job in jobs))}
    stored = store.keys(failed=not retry)
    chosen = [job for job in jobs if tasks[job.run.task] % n == i - 1 and job.run.key not in stored]
    return sorted(chosen, key=lambda job: -job.cost)


class Campaign:
    """Runs jobs and hands each record to ``keep``; a run whose worker was lost is tried once more, then has failed."""

    def __init__(self, crew: Crew, keep: Callable[[Job, Record], None]) -> None:
        self._crew, self._keep = crew, keep
        self._lost: Counter[str] = Counter()

    def run(self, jobs: Sequence[Job]) -> None:
        """All of ``jobs``, in order, as many at a time as the crew takes."""
        waiting = deque(jobs)
        running: dict[Future[Record], Job] = {}
        while waiting or running:
            while waiting and len(running) < self._crew.size:
                job = waiting.popleft()
                running[self._crew.submit(job)] = job
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job = running.pop(future)
                self._crew.settle(future)
                record = self._settled(job, future)
                if record is None:
                    waiting.appendleft(job)
                else:
                    self._keep(job, record)

    def _settled(self, job: Job, future: Future[Record]) -> Record | None:
        """The record, or None where the worker was lost and the run is to be tried again."""
        error = future.exception()
        if error is None:
            return future.result()
        self._lost[job.run.key] += 1
        if self._lost[job.run.key] < _ATTEMPTS:
            return None
        told = "".join(traceback.format_exception(error))
        return failed(
            job.run, f"the worker was lost {_ATTEMPTS} times (killed, out of memory, or hanging beyond its cap)\n{told}"
        )
