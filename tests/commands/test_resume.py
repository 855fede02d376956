"""janusopt resume: from the file alone, from Python, and beyond the end."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import janusopt
from janusopt import cli
from janusopt.config import JanusConfig
from janusopt.errors import JournalError
from janusopt.journal import connect, scan
from janusopt.pareto import ParetoConfig

BOX = [(-5.0, 5.0)] * 3
MODULE = """
import numpy as np
def scalar(x):
    return float(((x - 1.0) ** 2 * [1, 10, 100]).sum())
def residuals(x):
    return x - 1.0
def objectives(x):
    return np.array([((x - 1.0) ** 2).sum(), ((x + 1.0) ** 2).sum()])
value = 3
"""


def rows(path):
    with closing(connect(Path(path).resolve(), readonly=True)) as connection:
        return [(e.id, e.x.tobytes(), repr(e.f), e.wide.tobytes(), e.source) for e in scan(connection)]


def run(kind, journal, budget, **changes):
    names = {}
    exec(MODULE, names)
    doors = {"scalar": janusopt.minimize, "residuals": janusopt.least_squares, "objectives": janusopt.minimize_multi}
    return doors[kind](names[kind], bounds=BOX, budget=budget, rng=2, journal=journal, **changes)


CASES = [
    ("scalar", {"host": "cma"}),
    ("scalar", {"host": "de", "infill": None}),
    ("scalar", {"host": "cmaes", "infill": JanusConfig(kappa=2.0, blocks=((0, 1), (2,)))}),
    ("scalar", {"x0": [1.0, 2.0, 3.0], "sigma0": 0.5, "popsize": 9, "restarts": None}),
    ("residuals", {}),
    ("objectives", {"popsize": 12}),
    ("objectives", {"host": "nsga2", "popsize": 12, "infill": ParetoConfig(sources=("newton",))}),
]


@pytest.mark.parametrize(("kind", "changes"), CASES, ids=str)
def test_a_python_run_with_a_larger_budget_equals_the_unbroken_longer_run(kind, changes, monkeypatch):
    Path("sim_of_mine.py").write_text(MODULE)
    run(kind, "run.db", 77, **changes)
    run(kind, "whole.db", 130, **changes)
    monkeypatch.delitem(sys.modules, "sim_of_mine", raising=False)
    assert cli.main(["resume", "run.db", "--objective", f"sim_of_mine:{kind}", "--budget", "130"]) == 0
    assert rows("run.db") == rows("whole.db")


def test_the_same_from_python():
    run("scalar", "run.db", 77)
    longer = run("scalar", "run.db", 130)
    whole = run("scalar", None, 130)
    np.testing.assert_array_equal(longer.x, whole.x)
    assert (longer.fun, longer.nit, longer.message) == (whole.fun, whole.nit, whole.message)


def test_a_host_that_plans_by_its_budget_is_refused_and_its_journal_unchanged():
    changes = {"host": "rvea", "n_obj": 2, "popsize": 12}
    run("objectives", "run.db", 120, **changes)
    before = rows("run.db")
    with pytest.raises(JournalError, match="plans by its budget"):
        run("objectives", "run.db", 480, **changes)
    run("objectives", "run.db", 120, **changes)
    assert rows("run.db") == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["absent.db"], "there is no journal"),
        (["run.db"], "say what it minimizes with --objective"),
        (["run.db", "--objective", "nothing"], "must be module:function"),
        (["run.db", "--objective", "nowhere_at_all:fun"], "cannot be loaded"),
        (["run.db", "--objective", "json:nothing"], "cannot be loaded"),
        (["run.db", "--objective", "math:pi"], "is no function but a float"),
        (["run.db", "--objective", "math:sin", "--timeout", "3"], "with workers= and timeout="),
        (["run.db", "--objective", "math:sin", "--budget", "10"], "budget was 30, is 10"),
        (["own.db", "--objective", "math:sin"], "an object as infill"),
    ],
)
def test_what_cannot_be_resumed_is_told_in_one_line(arguments, told, capsys):
    run("scalar", "run.db", 30)
    run("scalar", "own.db", 30, infill=janusopt.NoInfill())
    assert cli.main(["resume", *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def _program(script):
    Path("sim").write_text(f"#!/bin/sh\n{script}\n")
    Path("sim").chmod(0o755)
    Path("space.toml").write_text("[parameters.a]\nlow = -5\nhigh = 5\n[parameters.b]\nlow = 0\nhigh = 5\n")


def test_a_program_run_needs_nothing_but_its_journal_and_may_get_another_program(capsys):
    _program("echo $1")
    start = ["minimize", "--command", "./sim {a} {b}", "--space", "space.toml", "--seed", "1"]
    assert cli.main([*start, "--budget", "20", "--journal", "run.db"]) == 0
    assert cli.main([*start, "--budget", "40", "--journal", "whole.db"]) == 0
    Path("space.toml").unlink()
    assert cli.main(["resume", "run.db", "--budget", "30"]) == 0
    Path("sim").rename("moved")
    assert cli.main(["resume", "run.db", "--budget", "40", "--objective", "math:sin"]) == 2
    assert "leave --objective out" in capsys.readouterr().err
    assert cli.main(["resume", "run.db", "--budget", "40", "--command", "./moved {a} {b}"]) == 0
    assert rows("run.db") == rows("whole.db")
    assert cli.main(["resume", "run.db"]) == 0


def test_an_asynchronous_run_is_resumed_from_python(capsys):
    with ThreadPoolExecutor(2) as pool:
        run("scalar", "late.db", 30, executor=pool, workers=2, asynchronous=True)
    assert cli.main(["resume", "late.db", "--objective", "math:sin"]) == 2
    assert "asynchronous" in capsys.readouterr().err
