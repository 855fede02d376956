"""What a person meets at the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from janusopt import cli, extras
from janusopt.bench import overhead
from janusopt.demo.display import verdict
from janusopt.demo.duel import Duel, Run
from janusopt.demo.problems import all_problems, calibration, trade_off, valley
from janusopt.errors import MissingExtraError

PLAN = Path(__file__).parents[1] / "plans" / "tune.toml"


def test_the_demo_writes_its_table_and_its_plots(tmp_path, capsys):
    out = tmp_path / "plots"
    assert cli.main(["demo", "--seeds", "1", "--scale", "0.05", "--out", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {"scalar.png", "components.png", "objectives.png", "all.png"}
    text = capsys.readouterr().out
    for word in ("error", "hypervolume", "seconds"):
        assert word in text


def test_a_missing_extra_is_told_before_anything_runs(monkeypatch, capsys):
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    assert cli.main(["demo"]) == 2
    assert "pip install 'janusopt[cli]'" in capsys.readouterr().err


def test_require_names_the_package_that_is_absent():
    with pytest.raises(MissingExtraError, match="no_such_package"):
        extras.require("numpy", "no_such_package", extra="cli", purpose="this test")


@pytest.mark.parametrize("arguments", [[], ["demo", "--seeds", "0"], ["demo", "--scale", "nan"], ["dance"]])
def test_bad_arguments_end_with_usage(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert "usage: janusopt" in capsys.readouterr().err


def test_a_reader_that_leaves_is_no_error():
    """The pipe's reading end is closed before the command prints, as ``| head`` does after its lines."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "janusopt.cli", "bench", "compact", str(PLAN)]
    with os.fdopen(writing, "w") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (cli.READER_LEFT, "")


@pytest.mark.parametrize("problem", all_problems(), ids=lambda problem: problem.key)
def test_a_demo_problem_takes_rows_inside_its_box(problem):
    rows = (problem.lower + problem.upper)[None].repeat(3, axis=0) / 2
    answer = problem.fun(rows)
    values = answer[0] if isinstance(answer, tuple) else answer
    assert len(values) == 3
    assert (values >= 0).all()


def _duel(problem, host, janus):
    return Duel(
        problem,
        tuple(
            Run(problem, arm, seed, [1.0], [value], 1.0)
            for arm, finals in (("host", host), ("janus", janus))
            for seed, value in enumerate(finals)
        ),
    )


def test_a_loss_is_called_a_loss():
    duel = _duel(valley(), host=[1.0, 2.0, 3.0], janus=[4.0, 4.0, 1.0])
    assert verdict(duel) == "×2 higher"
    assert not duel.gained()
    assert duel.wins() == 1


def test_less_hypervolume_is_a_loss():
    duel = _duel(trade_off(), host=[1.0, 1.0], janus=[0.9, 0.9])
    assert verdict(duel) == "-10 %"
    assert not duel.gained()
    assert duel.wins() == 0


def test_a_win_is_called_a_win():
    duel = _duel(calibration(), host=[1.0], janus=[1e-9])
    assert verdict(duel) == "×1e9 lower"
    assert duel.gained()


def test_rounding_errors_are_no_win():
    duel = _duel(valley(), host=[1e-15], janus=[1e-19])
    assert verdict(duel) == "equal"
    assert not duel.gained()
    assert duel.wins() == 0


@pytest.mark.parametrize(("host", "janus", "words"), [(1.0, 1e-19, "solved"), (1e-19, 1.0, "not solved")])
def test_a_problem_that_only_one_solves_is_told_as_such(host, janus, words):
    assert verdict(_duel(valley(), host=[host], janus=[janus])) == words


def test_the_overhead_measurement_times_both_runs():
    cost = overhead.measure(overhead.Limit(4, 3.0, 5.0, generations=3, blocks=2), bounded=True)
    assert cost.host_ms > 0
    assert cost.janus_ms > 0


@pytest.mark.parametrize("landscape", overhead.ELSEWHERE.values(), ids=overhead.ELSEWHERE)
def test_every_landscape_has_a_finite_value_a_row_and_they_differ(landscape):
    values = landscape(np.random.default_rng(1).standard_normal((7, 5)))
    assert values.shape == (7,)
    assert np.isfinite(values).all()
    assert len(set(values.tolist())) == 7


def test_the_growth_measurement_reports_time_and_memory():
    answer = overhead.grow(50, generations=45)
    assert 0 < answer["median"] <= answer["worst"]
    assert answer["gigabytes"] > 0
