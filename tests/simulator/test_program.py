"""A program as an objective: values, failures, and nothing left running."""

from __future__ import annotations

import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from janusopt.simulator.parameters import Parameter, Parameters
from janusopt.simulator.program import Program, ProgramError

A = Parameters((Parameter("a", 0.0, 10.0),))
X = np.array([1.25])


def _script(text):
    Path("sim").write_text(f"#!/bin/sh\n{text}\n")
    Path("sim").chmod(0o755)


def _gone(pid):
    """Dead, or a zombie that nobody has asked for yet; it may take a moment."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_parameters_and_result_travel_by_files():
    _script("""sed 's/"a": \\(.*\\)}/"f": \\1, "components": [\\1, 2]}/' "$1" > "$2" """)
    assert Program("./sim {params.json} {out.json}", A, kind="scalar")(X) == (1.25, [1.25, 2.0])


def test_without_a_file_the_last_printed_line_is_the_result():
    _script("echo 7; echo $1; echo")
    assert Program("./sim {a}", A, kind="scalar")(X) == 1.25


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo one >&2; echo two >&2; exit 3", "exit code 3\none\ntwo"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        ("echo late >&2; sleep 30", "timeout after 0.3 s\nlate"),
        ("echo hello", "unreadable output: expected a number or JSON, got 'hello'"),
        ("", "unreadable output: expected a number or JSON, got ''"),
        ("printf '\\377\\n'", "unreadable output: 'utf-8' codec"),
    ],
)
def test_a_failure_says_why_with_the_programs_last_words(script, reason):
    _script(script)
    with pytest.raises(ProgramError) as failed:
        Program("./sim {a}", A, kind="scalar", timeout=0.3 if "sleep" in script else 60)(X)
    assert str(failed.value).startswith(reason)
    assert reason.startswith(failed.value.reason.split(" 'utf-8")[0])


def test_a_result_file_that_was_not_written_is_told():
    _script("true")
    with pytest.raises(ProgramError, match=r"no out\.json was written"):
        Program("./sim {a} {out.json}", A, kind="scalar")(X)


def test_a_program_that_cannot_start_is_a_failure():
    Path("sim").write_text("#!/nowhere/at/all\n")
    Path("sim").chmod(0o755)
    with pytest.raises(ProgramError, match="did not start: No such file"):
        Program("./sim {a}", A, kind="scalar")(X)


def test_on_a_timeout_the_programs_own_children_die_too():
    _script("sleep 100 & echo $! > child; wait")
    with pytest.raises(ProgramError, match="timeout"):
        Program("./sim {a}", A, kind="scalar", timeout=0.5)(X)
    assert _gone(int(Path("child").read_text()))


def test_stop_kills_what_runs_and_starts_no_more():
    _script("echo $$ >> pids; sleep 100 & wait")
    program = Program("./sim {a}", A, kind="scalar")
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(program, X) for _ in range(4)]
        while not Path("pids").exists() or len(Path("pids").read_text().split()) < 2:
            time.sleep(0.01)
        program.stop()
    reasons = sorted(future.exception().reason for future in futures)
    assert reasons == ["killed by SIGKILL", "killed by SIGKILL", "stopped", "stopped"]
    assert all(_gone(int(pid)) for pid in Path("pids").read_text().split())


def test_nothing_is_left_in_the_temporary_folder(monkeypatch):
    Path("tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(Path("tmp").resolve()))
    _script("echo 1")
    Program("./sim {a} {params.json}", A, kind="scalar")(X)
    assert os.listdir("tmp") == []
