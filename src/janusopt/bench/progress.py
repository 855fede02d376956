"""How far a campaign is: a bar where rich is there and somebody watches, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Protocol

from janusopt.bench.job import Job
from janusopt.bench.record import Record


class Progress(Protocol):
    """Told of every finished run."""

    def finished(self, job: Job, record: Record) -> None: ...

    def close(self) -> None: ...


def progress(jobs: Sequence[Job]) -> Progress:
    """For the jobs that are to be done."""
    if sys.stdout.isatty() and find_spec("rich") is not None:
        from janusopt.bench.bar import Bar

        return Bar(jobs)
    return Lines(jobs)


class Lines:
    """One line a run, with the time left by the share of the work that is done."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._runs, self._work = len(jobs), sum(job.cost for job in jobs)
        self._finished, self._done = 0, 0.0
        self._start = time.monotonic()

    def finished(self, job: Job, record: Record) -> None:
        self._finished += 1
        self._done += job.cost
        left = (time.monotonic() - self._start) * (self._work / self._done - 1.0)
        print(f"{self._finished}/{self._runs} {summary(record)}; {duration(left)} left", flush=True)

    def close(self) -> None:
        pass


def summary(record: Record) -> str:
    """A run in half a line."""
    told = "failed" if record.final is None else f"error {record.final:.3g}"
    capped = " (capped)" if record.status == "capped" else ""
    return f"{record.key} {told}{capped}, {record.seconds_total:.1f} s"


def duration(seconds: float) -> str:
    """Hours, minutes or seconds, whichever says it."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"
