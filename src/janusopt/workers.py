"""Worker processes of our own, as an executor: each can be killed and replaced without the others noticing.

What ``ProcessPoolExecutor`` cannot do: there a worker that dies, or is killed because it hangs, breaks the whole pool.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.util import Finalize
from queue import SimpleQueue
from typing import Any

import numpy as np

from janusopt.errors import InputError
from janusopt.worker import Worker


class Workers(Executor):
    """``count`` worker processes, one call at a time each, started when first needed.

    A call that takes longer than ``timeout`` seconds raises :class:`~janusopt.errors.EvaluationTimeout` and its
    process is replaced. A call whose process dies is tried once more on a fresh one, then raises
    :class:`~janusopt.errors.DeadWorker`. What is called, and what it is called with, must pickle.
    """

    def __init__(self, count: int, timeout: float | None = None) -> None:
        _check_count(count)
        _check_timeout(timeout)
        self.timeout = timeout
        self._workers = [Worker() for _ in range(count)]
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count, "janusopt-worker")
        self._last = Finalize(self, _dismiss, (self._workers,), exitpriority=10)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            task = pickle.dumps((fn, args, kwargs))
        except Exception as error:
            raise InputError(
                f"worker processes need an objective that pickles; this one does not: {type(error).__name__}: {error}. "
                "Define it at the top level of a module, or pass an executor of threads, or loky's, which takes lambdas"
            ) from error
        return self._threads.submit(self._run, task)

    def _run(self, task: bytes) -> Any:
        worker = self._idle.get()
        try:
            return worker.call(task, self.timeout)
        finally:
            self._idle.put(worker)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As every executor's; without ``wait`` what is running is killed."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures or not wait)
        self._last()


def _dismiss(workers: list[Worker]) -> None:
    for worker in workers:
        worker.retire()
    for worker in workers:
        worker.bury()


@contextmanager
def crew(
    executor: Executor | None, workers: int | None, timeout: float | None, *, vectorized: bool, in_flight: bool = False
) -> Iterator[Executor | None]:
    """The executor of a run: the user's own, or ``workers`` processes (one for a timeout alone), or none.

    ``in_flight``: beside an executor, ``workers`` says how many rows to keep in flight.
    """
    _check_timeout(timeout)
    if workers is not None:
        _check_count(workers)
    elif in_flight:
        raise InputError(
            "asynchronous=True needs workers=, the number of rows to keep in flight, also with an executor"
        )
    if vectorized and (workers is not None or timeout is not None):
        raise InputError("vectorized=True calls the objective here, once a generation: leave out workers and timeout")
    if executor is not None:
        if workers is not None and not in_flight:
            raise InputError("workers starts processes of its own: leave executor out, or workers")
        if isinstance(executor, Workers) and timeout not in (None, executor.timeout):
            raise InputError(f"give the timeout to the workers themselves: Workers(count, timeout={timeout!r})")
        yield executor
    elif workers is None and timeout is None:
        yield None
    else:
        pool = Workers(workers or 1, timeout)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False)


def _check_timeout(timeout: Any) -> None:
    """Seconds, or a clear error."""
    number = isinstance(timeout, (int, float, np.number)) and not isinstance(timeout, bool)
    if timeout is not None and not (number and 0.0 < timeout < np.inf):
        raise InputError(f"timeout must be a positive number of seconds or None, got {timeout!r}")


def _check_count(count: Any) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise InputError(f"workers must be a positive whole number, got {count!r}")
