"""Objectives for worker processes, which import this file and little else: sound, slow, and failing in every way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np


def sphere(x):
    return float(x @ x)


def rosenbrock(x):
    return float((100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum())


def draw(x):
    """A number in [0, 1) that depends on x alone."""
    return zlib.crc32(x.tobytes()) / 2**32


def uneven(x, seconds):
    """Takes from ``seconds`` to ten times that."""
    time.sleep(seconds * 10.0 ** draw(x))
    return sphere(x)


def asleep(x, seconds):
    time.sleep(seconds)
    return sphere(x)


def failing(x, fun):
    """30 % of points fail: by an exception, NaN, inf, and now and then by hanging or by killing their own process."""
    u = draw(x)
    if u < 0.008:
        time.sleep(1000.0)
    if u < 0.03:
        os.kill(os.getpid(), signal.SIGKILL)
    if u < 0.12:
        raise ValueError("it did not converge")
    if u < 0.21:
        return float("nan")
    if u < 0.30:
        return float("inf")
    return fun(x)


def hang_first(x):
    """Hangs where x[0] is 0."""
    if x[0] == 0.0:
        time.sleep(1000.0)
    return sphere(x)


def die_first(x):
    """Its process dies where x[0] is 0."""
    if x[0] == 0.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return sphere(x)


def die_once(x, mark):
    """Its process dies the first time that the file ``mark`` is not there."""
    if x[0] == 0.0 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return sphere(x)


def hang_in_a_program(x, mark):
    """Starts a program that hangs, and writes its process number to ``mark``."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as program:
        Path(mark).write_text(str(program.pid))
    return sphere(x)


def names_its_process(x):
    return float(os.getpid())


def blas_threads(x):
    """What numpy found in its environment when it was loaded."""
    return float(os.environ.get("OPENBLAS_NUM_THREADS", "0"))


class Odd(Exception):
    """Cannot be rebuilt from its pickled arguments."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def odd(x):
    raise Odd("this", "that")


def unpicklable(x):
    return lambda: np.sum(x)


class Absent:
    """Pickles here, but cannot be loaded in another process."""

    def __reduce__(self):
        return (_only_here, (os.getpid(),))

    def __call__(self, x):
        return sphere(x)


def _only_here(pid):
    if os.getpid() != pid:
        raise ImportError("only there")
    return Absent()
