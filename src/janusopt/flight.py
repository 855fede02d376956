"""Rows on their way through an executor, and what comes back in the order in which it comes.

Workers of somebody else's executor cannot be killed, nor asked when a row was begun. Its timeout therefore counts from
the last sign of life: when nothing has come back for so long, whatever was begun has taken longer than that. Those rows
fail, and the workers that hang on them are lost. When nothing at all comes back, no worker is left: the run stops.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from queue import Empty, SimpleQueue
from typing import Any

from janusopt.core.arrays import Vec
from janusopt.errors import EvaluationError, EvaluationTimeout

Landing = tuple[int, Any, float]  #: the row's number, its value or the exception in place of one, seconds since it left


class Flight:
    """Sends rows x (d,) as ``fun(x, *args)``; numbers are the sender's own."""

    def __init__(
        self, executor: Executor, fun: Callable[..., Any], args: tuple[Any, ...], timeout: float | None
    ) -> None:
        self._executor, self._fun, self._args, self._timeout = executor, fun, args, timeout
        self._flying: dict[Future[Any], tuple[int, float]] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        self._heard = False

    def __len__(self) -> int:
        return len(self._flying)

    def send(self, number: int, x: Vec) -> None:
        future: Future[Any]
        try:
            future = self._executor.submit(self._fun, x.copy(), *self._args)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        self._flying[future] = number, time.perf_counter()
        future.add_done_callback(self._done.put)

    def land(self) -> list[Landing]:
        """Wait for the next row; several where they are given up together."""
        while True:
            try:
                future = self._done.get(timeout=self._timeout)
            except Empty:
                return self._given_up()
            if future in self._flying:  # else it was given up before
                self._heard = True
                number, start = self._flying.pop(future)
                return [(number, outcome(future.result), time.perf_counter() - start)]

    def close(self) -> None:
        """Cancel what has not begun; forget what has."""
        flying, self._flying = self._flying, {}
        for future in flying:
            future.cancel()

    def _given_up(self) -> list[Landing]:
        if not self._heard:
            raise EvaluationError(
                f"the executor does not answer: of {len(self)} rows none came back within {self._timeout} seconds, so "
                "its workers hang, and it cannot replace them; all that was evaluated is kept. Pass workers= instead "
                "of an executor: such workers are killed and replaced"
            )
        self._heard = False
        error = EvaluationTimeout(f"no value came within {self._timeout} seconds")
        now = time.perf_counter()
        landed = [(number, error, now - start) for number, start in self._flying.values()]
        self.close()
        return landed


def outcome(call: Callable[[], Any]) -> Any:
    """What ``call`` gives, or the exception that it raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever an objective raises is a failed row, by the policy
        return error
