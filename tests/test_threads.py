"""One BLAS thread inside the loop, and only there."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import numpy as np, scipy.linalg
from threadpoolctl import threadpool_info
from janusopt.threads import SingleThread
single = SingleThread()
threads = lambda: max(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")
before = threads()
with single():
    inside = threads()
print(before, inside, threads())
"""


def test_blas_computes_on_one_thread_inside_and_on_as_many_as_before_outside():
    environment = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    before, inside, after = map(int, done.stdout.split())
    assert inside == 1
    assert before == after


def test_without_threadpoolctl_nothing_changes(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    from janusopt.threads import SingleThread

    with SingleThread()():
        pass
