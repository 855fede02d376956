"""How far a campaign is."""

from __future__ import annotations

import io

from janusopt.bench.headway import Headway, summary
from janusopt.bench.job import Job
from janusopt.bench.methods import find
from janusopt.bench.record import Record
from janusopt.bench.task import Run, Task

JOBS = [Job(Run(Task("bbob", "f1", 2, 11), "cma", seed, 20), find("cma"), 1e-8) for seed in range(3)]
RECORDS = [
    Record.of(JOBS[0].run, final=0.25, seconds_total=1.5),
    Record.of(JOBS[1].run, final=0.5, status="capped"),
    Record.of(JOBS[2].run, status="failed"),
]


def test_the_last_line_says_how_many_runs_are_done_and_a_failed_one_is_named():
    out = io.StringIO()
    shown = Headway(JOBS, out)
    for job, record in zip(JOBS, RECORDS, strict=True):
        shown.finished(job, record)
    shown.close()
    named, last = out.getvalue().splitlines()
    assert named == f"failed: {RECORDS[2].key}"
    assert last.startswith("3/3  0 s left")


def test_a_run_in_half_a_line_has_its_error_and_whether_it_was_capped():
    assert summary(RECORDS[0]) == "bbob/f1/d2/i11/cma/s0/b20 error 0.25, 1.5 s"
    assert "error 0.5 (capped)" in summary(RECORDS[1])
    assert "failed" in summary(RECORDS[2])


def test_with_several_objectives_the_hypervolume_is_told():
    assert "hypervolume 0.75, " in summary(Record.of(JOBS[0].run, volumes=[0.5, 0.75]))
