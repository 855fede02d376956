"""One worker process: it takes one pickled call at a time, and can be killed and started again.

The process is spawned, never forked: it has nothing of this one but what it imports. It leads a process group of its
own, so that a kill also reaches the programs that an objective has started, and Ctrl-C reaches only this process. It
ends when this process ends, however that comes about.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from janusopt.errors import DeadWorker, EvaluationError, EvaluationTimeout
from janusopt.threads import NAMES

_ATTEMPTS = 2
_GRACE = 1.0  # seconds that an idle worker has to end by itself
_environment = threading.Lock()


class Worker:
    """Driven by one thread at a time; :meth:`retire` may come from another."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._lock = threading.Lock()
        self._busy = self._retired = False

    def call(self, task: bytes, timeout: float | None) -> Any:
        """What the pickled (fun, args, kwargs) gives or raises; tried once more where the process dies.

        The clock starts when the worker has loaded ``fun``. Past ``timeout`` seconds the process is killed.
        """
        self._busy = True
        try:
            for _ in range(_ATTEMPTS):
                started = False
                try:
                    pipe = self._started()
                    started = True
                    pipe.send_bytes(task)
                    self._loaded(pipe)
                    answer = pipe.recv_bytes() if pipe.poll(timeout) else None
                except (EOFError, OSError):
                    self._kill()
                    continue
                return self._read(answer, timeout)
        finally:
            self._busy = False
        if started or self._retired:
            raise DeadWorker(f"its worker process died, {_ATTEMPTS} times: killed for its memory, or crashed")
        raise EvaluationError(
            "a worker process ended while it started; is the call of janusopt in a script under "
            "`if __name__ == '__main__':`? Workers import that script"
        )

    def retire(self) -> None:
        """Let the process end, at once where it is busy; no further one is started."""
        with self._lock:
            self._retired = True
            if self._pipe is not None and not self._busy:
                self._pipe.close()
        if self._busy:
            self._kill()

    def bury(self) -> None:
        """Wait for a retired process."""
        if self._process is not None:
            self._process.join(_GRACE)
            if self._process.is_alive():
                self._kill()

    def _started(self) -> Connection:
        """The pipe of a process that is ready."""
        with self._lock:
            if self._retired:
                raise EOFError
            if self._process is not None and self._process.is_alive() and self._pipe is not None:
                return self._pipe
            context = multiprocessing.get_context("spawn")
            pipe, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,))
            try:
                with _one_blas_thread():
                    process.start()
            except (OSError, RuntimeError) as error:
                pipe.close()
                raise EvaluationError(f"a worker process cannot be started: {error}") from error
            finally:
                theirs.close()
            self._process, self._pipe = process, pipe
        pipe.recv_bytes()
        return pipe

    @staticmethod
    def _loaded(pipe: Connection) -> None:
        problem = pipe.recv_bytes()
        if problem:
            raise EvaluationError(
                f"the objective cannot be loaded in a worker process: {problem.decode()}; define it, and what it "
                "needs, at the top level of a module that can be imported"
            )

    def _read(self, answer: bytes | None, timeout: float | None) -> Any:
        if answer is None:
            self._kill()
            raise EvaluationTimeout(f"no value came within {timeout} seconds; its worker process was killed")
        good, value = pickle.loads(answer)
        if good:
            return value
        raise value

    def _kill(self) -> None:
        """With all that the process started; it may be dead already."""
        with self._lock:
            process, self._process = self._process, None
            if process is None or process.pid is None:
                return
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.join()


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """A process that starts here computes on one BLAS thread, unless the user's environment says otherwise."""
    with _environment:
        unset = [name for name in NAMES if name not in os.environ]
        os.environ.update(dict.fromkeys(unset, "1"))
        try:
            yield
        finally:
            for name in unset:
                os.environ.pop(name, None)


def _serve(pipe: Connection) -> None:
    """The worker's own loop: "ready", then for each task why it did not load, (True, value) or (False, error)."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    threading.Thread(target=_die_with_parent, daemon=True).start()
    pipe.send_bytes(b"ready")
    while True:
        try:
            task = pipe.recv_bytes()
        except (EOFError, ConnectionError):
            return
        try:
            fun, args, kwargs = pickle.loads(task)
        except Exception as error:  # noqa: BLE001 - whatever an import raises
            pipe.send_bytes(f"{type(error).__name__}: {error}".encode())
            continue
        pipe.send_bytes(b"")
        try:
            answer = pickle.dumps((True, fun(*args, **kwargs)))
        except Exception as error:  # noqa: BLE001 - the objective's own, for the policy of the other side
            answer = _portable(error)
        pipe.send_bytes(answer)


def _portable(error: Exception) -> bytes:
    """An error that the other side can read, with where it came from."""
    error.add_note("In the worker process:\n" + "".join(traceback.format_exception(error)))
    try:
        data = pickle.dumps((False, error))
        pickle.loads(data)
    except Exception:  # noqa: BLE001 - an error of the user's own making
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return data


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)
