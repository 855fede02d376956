"""janusopt minimize: a program is optimized, fails, is interrupted, and goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import janusopt
from janusopt import cli
from janusopt.journal import connect, scan

SPACE = "[parameters.a]\nlow = -5\nhigh = 5\n[parameters.b]\nlow = 0.01\nhigh = 100\nlog = true\n"
SUM = "awk -v a=$1 -v b=$2 'BEGIN { printf \"%.17g\\n\", (a - 1) ^ 2 + (b - 2) ^ 2 }'"


@pytest.fixture(autouse=True)
def _simulator():
    Path("space.toml").write_text(SPACE)
    _script(SUM)


def _script(text):
    Path("sim").write_text(f"#!/bin/sh\n{text}\n")
    Path("sim").chmod(0o755)


def _arguments(*more, budget=40, command="./sim {a} {b}"):
    return ["minimize", "--command", command, "--space", "space.toml", "--budget", str(budget), "--seed", "1", *more]


def _rows(path):
    with closing(connect(Path(path).resolve(), readonly=True)) as connection:
        return [(e.id, e.x.tobytes(), repr(e.f), e.failed, e.source) for e in scan(connection)]


def test_it_finds_what_the_front_door_finds_and_says_so(capsys):
    assert cli.main(_arguments("--out", "best.json")) == 0
    expected = janusopt.minimize(
        lambda x: (x[0] - 1) ** 2 + (10 ** x[1] - 2) ** 2, bounds=[(-5, 5), (-2, 2)], budget=40, rng=1
    )
    best = json.loads(Path("best.json").read_text())
    assert best["f"] == pytest.approx(expected.fun, rel=1e-6)
    assert best["parameters"] == pytest.approx({"a": expected.x[0], "b": 10 ** expected.x[1]}, rel=1e-6)
    out = capsys.readouterr().out
    assert f"best f = {best['f']!r}" in out
    assert f"  b = {best['parameters']['b']!r}" in out
    assert "40 evaluations, failures 0" in out


def test_workers_change_nothing_but_the_time():
    cli.main(_arguments("--journal", "one.db"))
    cli.main(_arguments("--journal", "four.db", "--workers", "4"))
    assert _rows("one.db") == _rows("four.db")


def test_failures_are_skipped_counted_by_reason_and_recorded(capsys):
    _script(f'case $1 in -*) echo "no negative a" >&2; exit 4;; esac\n{SUM}')
    assert cli.main(_arguments("--journal", "run.db")) == 0
    failed = sum(row[3] for row in _rows("run.db"))
    assert 0 < failed < 40
    assert f"failures {failed}: exit code 4 ({failed})" in capsys.readouterr().out
    assert cli.main(["show", "run.db"]) == 0
    assert f"failures   {failed}: exit code 4 ({failed})" in capsys.readouterr().out


def test_on_error_raise_stops_with_the_programs_last_words(capsys):
    _script("echo broken pipe in the solver >&2; exit 1")
    assert cli.main(_arguments("--on-error", "raise")) == 2
    error = capsys.readouterr().err
    assert "exit code 1\nbroken pipe in the solver" in error
    assert "Traceback" not in error


def test_a_program_that_never_works_stops_the_run_and_may_be_mended(capsys):
    _script("exit 1")
    assert cli.main(_arguments("--journal", "run.db", budget=60)) == 2
    assert "the first 20 evaluations all failed" in capsys.readouterr().err
    assert len(_rows("run.db")) == 19
    _script(SUM)
    assert cli.main(_arguments("--journal", "run.db", budget=60)) == 0
    assert "60 evaluations, failures 19: exit code 1 (19)" in capsys.readouterr().out


def test_residuals_and_several_objectives_are_read(capsys):
    _script('echo "[$1, $2]"')
    assert cli.main(_arguments("--kind", "residuals")) == 0
    assert cli.main(_arguments("--kind", "objectives", "--population", "10", "--out", "front.json")) == 0
    assert "non-dominated rows" in capsys.readouterr().out
    front = json.loads(Path("front.json").read_text())["front"]
    assert front[0]["objectives"] == [front[0]["parameters"]["a"], front[0]["parameters"]["b"]]


def test_a_target_ends_the_run(capsys):
    assert cli.main(_arguments("--target", "5.0", budget=400)) == 0
    assert "the target 5.0 is reached" in capsys.readouterr().out


def test_rounded_parameters_are_told(capsys):
    Path("space.toml").write_text(
        "[parameters.a]\nlow = 0\nhigh = 5\ninteger = true\n[parameters.b]\nlow = 0\nhigh = 1\n"
    )
    assert cli.main(_arguments(budget=12)) == 0
    assert "a rounded to whole numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"command": "./sim {b} {a}"}, 'command was "./sim {a} {b}"'),
        ({"space": SPACE.replace("high = 5", "high = 6")}, "parameters.a.high was 5, is 6"),
        ({"seed": "2"}, "seed.entropy was 1, is 2"),
    ],
)
def test_a_journal_of_another_program_is_refused(change, told, capsys):
    cli.main(_arguments("--journal", "run.db"))
    Path("space.toml").write_text(change.get("space", SPACE))
    arguments = _arguments("--journal", "run.db", command=change.get("command", "./sim {a} {b}"))
    assert cli.main([*arguments, "--seed", change.get("seed", "1")]) == 2
    assert told in capsys.readouterr().err


def _start(*more):
    return subprocess.Popen(
        [sys.executable, "-m", "janusopt.cli", *_arguments("--journal", "run.db", "--workers", "2", *more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _wait_for(lines):
    for _ in range(3000):
        if Path("pids").exists() and len(Path("pids").read_text().split()) >= lines:
            return
        time.sleep(0.01)
    raise TimeoutError("the program was not started")


@pytest.mark.parametrize("presses", [1, 2])
def test_an_interrupted_run_leaves_nothing_running_and_goes_on_as_if_unbroken(presses, capsys):
    cli.main(_arguments("--journal", "whole.db"))
    _script(f"echo $$ >> pids\nsleep 0.1\n{SUM}")
    process = _start()
    _wait_for(9)
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "janusopt resume" in error
    assert not any(_alive(int(pid)) for pid in Path("pids").read_text().split())
    before = _rows("run.db")
    assert 0 < len(before) < 40
    if presses == 1:
        assert len(before) % 6 == 0
    _script(SUM)
    assert cli.main(["resume", "run.db"]) == 0
    assert _rows("run.db") == _rows("whole.db")


def test_sigterm_ends_it_at_once_with_its_children():
    _script("echo $$ >> pids\nsleep 100 & echo $! >> pids; wait")
    process = _start()
    _wait_for(4)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    time.sleep(0.2)
    assert not any(_alive(int(pid)) for pid in Path("pids").read_text().split())


def _alive(pid):
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_the_best_row_is_the_least_of_the_journal():
    cli.main(_arguments("--journal", "run.db", "--out", "best.json"))
    values = [float(row[2]) for row in _rows("run.db")]
    assert json.loads(Path("best.json").read_text())["f"] == np.min(values)
