"""Who does the work: something to submit jobs to. Here the processes of this machine."""

from __future__ import annotations

import os
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Protocol

from janusopt.bench.job import Job, execute
from janusopt.bench.record import Record
from janusopt.threads import one_thread_environment


class Crew(Protocol):
    """Takes up to ``size`` jobs at a time."""

    @property
    def size(self) -> int: ...

    def submit(self, job: Job) -> Future[Record]:
        """Start a job. Its future raises only if the worker was lost: a job that fails gives a record that says so."""

    def settle(self, future: Future[Record]) -> None:
        """The future is done: its worker is free, or to be replaced."""

    def close(self) -> None:
        """Let the workers go."""


class LocalCrew:
    """Processes of this machine, each a pool of its own: one that is killed takes no other's run with it.

    Workers are spawned with one BLAS thread in their environment, because numpy reads that when it is loaded.
    """

    def __init__(self, workers: int) -> None:
        self.size = workers
        self._idle: list[Executor] = []
        self._busy: dict[Future[Record], Executor] = {}

    def submit(self, job: Job) -> Future[Record]:
        pool = self._idle.pop() if self._idle else _pool()
        with one_thread_environment():
            future = pool.submit(execute, job)
        self._busy[future] = pool
        return future

    def settle(self, future: Future[Record]) -> None:
        pool = self._busy.pop(future)
        if isinstance(future.exception(), BrokenExecutor):
            pool.shutdown()
        else:
            self._idle.append(pool)

    def close(self) -> None:
        for pool in (*self._idle, *self._busy.values()):
            pool.shutdown(cancel_futures=True)


def _pool() -> Executor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_follow)


def _follow() -> None:
    """A worker does not outlive the campaign that started it, however that ends."""
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
