"""Progress in lines and as a bar."""

from __future__ import annotations

import io

import pytest

from janusopt.bench import bar, progress
from janusopt.bench.job import Job
from janusopt.bench.methods import find
from janusopt.bench.record import Record
from janusopt.bench.task import Run, Task
from janusopt.console import Console

JOBS = [Job(Run(Task("bbob", "f1", 2, 11), "cma", seed, 20), find("cma"), 1e-8) for seed in range(3)]
RECORDS = [
    Record.of(JOBS[0].run, final=0.25, seconds_total=1.5),
    Record.of(JOBS[1].run, final=0.5, status="capped"),
    Record.of(JOBS[2].run, status="failed"),
]


def test_a_line_tells_the_run_its_error_and_the_time_left(capsys):
    shown = progress.progress(JOBS)
    for job, record in zip(JOBS, RECORDS, strict=True):
        shown.finished(job, record)
    shown.close()
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "1/3 bbob/f1/d2/i11/cma/s0/b20 error 0.25, 1.5 s; 0 s left"
    assert "error 0.5 (capped)" in second
    assert "3/3 bbob/f1/d2/i11/cma/s2/b20 failed" in third


@pytest.mark.parametrize(("seconds", "text"), [(4.2, "4 s"), (130, "2 min"), (9000, "2.5 h")])
def test_a_duration_has_the_unit_that_says_it(seconds, text):
    assert progress.duration(seconds) == text


def test_the_bar_fills_and_names_what_failed():
    out = io.StringIO()
    shown = bar.Bar(JOBS, Console(file=out, force_terminal=True, width=120))
    for job, record in zip(JOBS, RECORDS, strict=True):
        shown.finished(job, record)
    shown.close()
    assert "3/3" in out.getvalue()
    assert "100%" in out.getvalue()
    assert f"failed: {RECORDS[2].key}" in out.getvalue()
