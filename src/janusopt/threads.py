"""One BLAS thread for commands that measure: small matrices lose by more, and on a busy machine lose badly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


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
