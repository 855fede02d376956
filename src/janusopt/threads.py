"""One BLAS thread where the matrices are small: more lose time, and on a busy machine lose it badly.

OpenBLAS threads wait for each other by spinning: with every core taken by simulations, a factorization of 300 rows on
two threads was seen to take fifty times as long as on one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class SingleThread:
    """``with single():`` computes on one BLAS thread where threadpoolctl is installed; elsewhere it changes nothing."""

    def __init__(self) -> None:
        self._controller: Any = None
        if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
            try:
                from threadpoolctl import ThreadpoolController
            except ImportError:
                return
            self._controller = ThreadpoolController()

    def __call__(self) -> AbstractContextManager[object]:
        if self._controller is None:
            return nullcontext()
        limits: AbstractContextManager[object] = self._controller.limit(limits=1, user_api="blas")
        return limits


@contextmanager
def one_thread_environment() -> Iterator[None]:
    """Processes that start inside the block compute on one thread: they read the number when they load numpy."""
    before = {name: os.environ.get(name) for name in NAMES}
    os.environ.update(dict.fromkeys(NAMES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def one_thread(module: str, arguments: Sequence[str]) -> int | None:
    """Make sure that this process computes on one thread: None, go on.

    The number is read when numpy loads. If that has happened, the module runs again in a process of its own, and its
    exit code is returned.
    """
    if all(os.environ.get(name) == "1" for name in NAMES):
        return None
    if "numpy" not in sys.modules:
        os.environ.update(dict.fromkeys(NAMES, "1"))
        return None
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, env=os.environ | dict.fromkeys(NAMES, "1"), check=False).returncode
