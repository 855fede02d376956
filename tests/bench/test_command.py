"""``janusopt bench run``, ``export``, ``compact`` as a person calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from janusopt import cli
from janusopt.bench.store import Store

PLAN = """
title = "Two functions"
suite = "bbob"
problems = ["f1", "f8"]
dimensions = [2]
instances = [11, 12]
seeds = "0:2"
budget = 60
methods = ["cma", "random-search"]
host = "cma"
subject = "cma"

[quick]
problems = ["f1"]
"""


@pytest.fixture
def plan():
    Path("two.toml").write_text(PLAN, encoding="utf-8")
    return "two.toml"


def test_a_campaign_runs_resumes_and_is_exported(plan, capsys):
    assert cli.main(["bench", "run", plan, "--workers", "1", "--seeds", "0:1"]) == 0
    assert "Two functions: 4 runs, 4 to do" in capsys.readouterr().out
    assert cli.main(["bench", "run", plan, "--workers", "1"]) == 0
    assert "Two functions: 8 runs, 4 to do" in capsys.readouterr().out
    assert cli.main(["bench", "run", plan]) == 0
    assert "Two functions: 8 runs, 0 to do" in capsys.readouterr().out
    assert len(Store(Path("results"), "two").keys()) == 8
    assert cli.main(["bench", "export", plan, "--ioh", "ioh"]) == 0
    assert "8 of 8 runs written to ioh" in capsys.readouterr().out
    assert Path("ioh/cma/IOHprofile_bbob_f8.json").exists()


def test_a_shard_leaves_folding_to_the_end(plan, capsys):
    for shard in ("1/2", "2/2"):
        assert cli.main(["bench", "run", plan, "--workers", "1", "--quick", "--shard", shard, "--results", "kept"]) == 0
    assert f"janusopt bench compact {plan}" in capsys.readouterr().out
    assert not Path("kept/two-quick.parquet").exists()
    assert cli.main(["bench", "compact", plan, "--quick", "--results", "kept"]) == 0
    assert "4 runs folded into kept/two-quick.parquet" in capsys.readouterr().out


def test_a_failed_run_is_told_and_does_not_stop_the_others(plan, capsys):
    Path(plan).write_text(PLAN.replace('"f8"', '"f88"'), encoding="utf-8")
    assert cli.main(["bench", "run", plan, "--workers", "1"]) == 1
    assert "4 runs failed; their tracebacks are stored" in capsys.readouterr().out
    store = Store(Path("results"), "two")
    assert len(store.keys(failed=False)) == 4
    (error, *_) = store.query("SELECT error FROM runs WHERE status = 'failed'")
    assert "f1 to f24" in error["error"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.toml"], "nowhere.toml cannot be read"),
        (["two.toml", "--shard", "1of2"], "--shard must be i/n"),
        (["two.toml", "--shard", "3/2"], "1 ≤ i ≤ n"),
        (["two.toml", "--seeds", "7"], "FIRST:LAST"),
    ],
)
def test_wrong_arguments_are_told(plan, arguments, told, capsys):
    assert cli.main(["bench", "run", *arguments]) == 2
    assert told in capsys.readouterr().err
