"""What a journal shows to people."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import janusopt
from janusopt import cli, parquet
from janusopt.journal import Journal
from janusopt.report import Report

BOX = [(-5.0, 5.0)] * 3


def crashing(x):
    if x[0] > 3.0:
        raise RuntimeError("crashed")
    r = (x - 1.0) ** 2
    return float(r.mean()), r


def _run():
    return janusopt.minimize(crashing, bounds=BOX, budget=120, rng=1, on_error="skip", journal="run.db")


def test_show_tells_progress_best_failures_and_sources(capsys):
    result = _run()
    assert cli.main(["show", "run.db"]) == 0
    text = capsys.readouterr().out
    for words in (
        "120 of 120 evaluations",
        repr(result.fun),
        f"failures   {result.janus['failures']}",
        "host ",
        "numpy",
    ):
        assert words in text
    for source, counts in result.janus["sources"].items():
        assert f"{source} {counts['proposed']}" in text


def test_show_counts_the_front_of_several_objectives(capsys):
    janusopt.minimize_multi(
        lambda x: (np.array([x @ x, (x - 1) @ (x - 1)]), np.array([x[0] - 1.0])),
        bounds=BOX, budget=60, rng=1, popsize=20, journal="run.db",
    )  # fmt: skip
    assert cli.main(["show", "run.db"]) == 0
    text = capsys.readouterr().out
    assert "non-dominated rows" in text
    assert "feasible" in text


def test_a_run_can_be_looked_at_while_it_goes_on():
    seen = []
    janusopt.minimize(
        crashing, bounds=BOX, budget=60, rng=1, on_error="skip", journal="run.db",
        callback=lambda progress: seen.append((progress.nfev, len(Report("run.db").entries))),
    )  # fmt: skip
    assert all(told == recorded for told, recorded in seen)


def test_the_exported_table_reads_back_exactly():
    result = _run()
    assert cli.main(["export", "run.db", "--csv", "run.csv"]) == 0
    with Path("run.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 120
    good = [row for row in rows if row["failed"] == "0"]
    assert len(rows) - len(good) == result.janus["failures"]
    best = min(good, key=lambda row: float(row["f"]))
    assert float(best["f"]) == result.fun
    assert [float(best[f"x_{i}"]) for i in range(3)] == result.x.tolist()
    assert [float(best[f"component_{i}"]) for i in range(3)] == result.components.tolist()


def test_the_exported_parquet_file_holds_the_same_table():
    _run()
    assert cli.main(["export", "run.db", "--parquet", "run.parquet"]) == 0
    header, *rows = Report("run.db").table()
    assert parquet.read(Path("run.parquet")) == {name: [row[i] for row in rows] for i, name in enumerate(header)}


def test_show_draws_the_curve_in_the_terminal_and_as_a_picture(capsys):
    _run()
    assert cli.main(["show", "run.db", "--plot", "curve.png"]) == 0
    assert "120 evaluations\n" in capsys.readouterr().out
    assert Path("curve.png").read_bytes().startswith(b"\x89PNG")
    evaluations, best = Report("run.db").convergence()
    assert evaluations[-1] == 120
    assert best[-1] == min(entry.f for entry in Report("run.db").good)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["show", "absent.db"], "there is no journal"),
        (["show", "text.db"], "cannot be read"),
        (["show", "empty.db"], "has not begun"),
        (["export", "run.db", "--csv", "run.db"], "the journal itself"),
        (["export", "run.db", "--csv", "nowhere/run.csv"], "cannot be written"),
        (["export", "run.db", "--parquet", "nowhere/run.parquet"], "cannot be written"),
        (["show", "run.db", "--plot", "run.db"], "the journal itself"),
        (["show", "run.db", "--plot", "nowhere/curve.png"], "cannot be written"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(arguments, told, capsys):
    Path("text.db").write_text("some text, which is no database" * 50)
    with Journal("empty.db"):
        pass
    _run()
    assert cli.main(arguments) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error
