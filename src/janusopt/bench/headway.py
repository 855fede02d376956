"""How far a campaign is, by the share of its work that is done."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import IO

from janusopt.bench.job import Job
from janusopt.bench.record import Record
from janusopt.progress import display, duration


class Headway:
    """Told of every finished run; failed ones get a line that stays."""

    def __init__(self, jobs: Sequence[Job], stream: IO[str] | None = None) -> None:
        self._work = sum(job.cost for job in jobs)
        self._runs, self._done = 0, 0.0
        self._start = time.monotonic()
        self._display = display(len(jobs), stream)

    def finished(self, job: Job, record: Record) -> None:
        self._runs += 1
        self._done += job.cost
        if record.status == "failed":
            self._display.say(f"failed: {record.key}")
        left = (time.monotonic() - self._start) * (self._work / self._done - 1.0)
        self._display.update(self._runs, f"{duration(left)} left  {summary(record)}")

    def close(self) -> None:
        self._display.close()


def summary(record: Record) -> str:
    """A run in half a line."""
    told = "failed" if record.final is None else f"error {record.final:.3g}"
    if record.volumes:
        told = f"hypervolume {record.volumes[-1]:.3g}"
    capped = " (capped)" if record.status == "capped" else ""
    return f"{record.key} {told}{capped}, {record.seconds_total:.1f} s"
