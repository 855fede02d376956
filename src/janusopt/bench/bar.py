"""A campaign's progress as a live bar."""

from __future__ import annotations

from collections.abc import Sequence

from janusopt.bench.job import Job
from janusopt.bench.record import Record
from janusopt.console import (
    BarColumn,
    Console,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Bar:
    """The share of the work that is done, the time left, the last run; failed runs stay above the bar."""

    def __init__(self, jobs: Sequence[Job], console: Console | None = None) -> None:
        self._runs, self._finished = len(jobs), 0
        self._progress = Progress(
            TextColumn("{task.fields[runs]}"),
            BarColumn(bar_width=20),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("[dim]{task.fields[last]}"),
            console=console,
        )
        work = sum(job.cost for job in jobs)
        self._task = self._progress.add_task("", total=work, runs=f"0/{self._runs}", last="")
        self._progress.start()

    def finished(self, job: Job, record: Record) -> None:
        self._finished += 1
        if record.status == "failed":
            self._progress.console.print(f"failed: {record.key}", markup=False)
        runs = f"{self._finished}/{self._runs}"
        self._progress.update(self._task, advance=job.cost, runs=runs, last=record.key.replace("[", r"\["))

    def close(self) -> None:
        self._progress.stop()
