"""``janusopt report`` on stored runs."""

from __future__ import annotations

from pathlib import Path

import made_up
import made_up_fronts
import pytest

from janusopt import cli
from janusopt.bench.plan import read_plan
from janusopt.bench.store import Store

PLAN = """
title = "Small"
suite = "bbob"
problems = ["f4", "f10"]
dimensions = [5]
instances = [11, 12]
seeds = "100:109"
budget = 300
methods = {methods}
host = "cma"
subject = "janus"
{more}
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def _plan(name, methods=("cma", "janus", "random-search"), more=""):
    path = Path(f"{name}.toml")
    path.write_text(PLAN.format(methods=list(methods), more=more))
    return path


def _store(path, factors=made_up.FACTORS, quick=False, **changes):
    plan = read_plan(path, quick=quick)
    store = Store(Path("results"), plan.name)
    for run in plan.runs:
        store.write(made_up.record(run, factors[run.method], **changes))
    store.compact()


def test_page_tables_and_terminal(capsys):
    path = _plan("small")
    _store(path)
    assert cli.main(["report", str(path), "--out", "there"]) == 0
    assert {file.name for file in Path("there").iterdir()} == {"page.html", "tables.md"}
    printed = capsys.readouterr().out
    assert "54 of 54 planned runs are stored" in printed
    assert "All methods against the host" in printed
    assert "significant losses of janus: none" in printed
    assert "| f10 |" in Path("there/tables.md").read_text()


def test_losses_are_printed(capsys):
    path = _plan("small")
    _store(path, {"cma": 1.0, "janus": 20.0, "random-search": 50.0})
    assert cli.main(["report", str(path)]) == 0
    assert "significant losses of janus: f4, f10" in capsys.readouterr().out
    assert Path("reports/small/page.html").exists()


def test_no_loss_is_claimed_where_none_could_be_seen(capsys):
    path = _plan("small", more='[quick]\nseeds = "100:103"')
    _store(path, quick=True)
    assert cli.main(["report", str(path), "--quick"]) == 0
    assert "significant losses of janus: unknown, too few seeds" in capsys.readouterr().out


def test_a_host_worse_than_random_search_has_no_report(capsys):
    path = _plan("small")
    _store(path, {"cma": 1.0, "janus": 0.01, "random-search": 0.5})
    assert cli.main(["report", str(path)]) == 1
    told = capsys.readouterr().err
    assert "f4" in told
    assert "f10" in told
    assert not Path("reports").exists()


def test_the_gate_may_be_another_plan(capsys):
    chance = _plan("chance", ("cma", "janus", "random-search"))
    path = _plan("small", ("cma", "janus"), f'gate = "{chance}"')
    _store(path)
    assert cli.main(["report", str(path)]) == 2
    assert "first do janusopt bench run chance.toml" in capsys.readouterr().err
    _store(chance)
    assert cli.main(["report", str(path)]) == 0
    assert "0 missing" in capsys.readouterr().out


def test_the_quick_form_has_its_own_report(capsys):
    path = _plan("small", more='[quick]\nproblems = ["f4"]')
    _store(path, quick=True)
    assert cli.main(["report", str(path), "--quick"]) == 0
    assert "27 of 27" in capsys.readouterr().out
    assert Path("reports/small-quick/tables.md").exists()


FRONTS = """
title = "Pairs"
suite = "biobj"
problems = ["f1-f8", "f2-f10"]
dimensions = [20]
instances = [11]
seeds = "100:110"
budget = 4000
at = [1000]
methods = ["sms-emoa", "janus-sms", "nsga2", "random-search"]
host = "sms-emoa"
subject = "janus-sms"
"""


def _store_fronts(radii=made_up_fronts.RADII, more=""):
    path = Path("pairs.toml")
    path.write_text(FRONTS + more)
    plan = read_plan(path)
    store = Store(Path("results"), plan.name)
    for run in plan.runs:
        store.write(made_up_fronts.record(run, radii[run.method]))
    store.compact()
    return path


def test_several_objectives_are_reported_by_their_fronts(capsys):
    assert cli.main(["report", str(_store_fronts())]) == 0
    printed = capsys.readouterr().out
    assert "80 of 80 planned runs are stored" in printed
    assert "d = 20, 1,000 evaluations" in printed
    assert Path("reports/pairs/page.html").exists()


def test_a_host_whose_fronts_random_search_beats_has_no_report(capsys):
    path = _store_fronts({**made_up_fronts.RADII, "random-search": 1.0})
    assert cli.main(["report", str(path)]) == 1
    assert "random search beats the host" in capsys.readouterr().err
    assert not Path("reports").exists()


def test_a_gate_elsewhere_is_for_one_objective(capsys):
    path = _store_fronts(more='gate = "plans/other.toml"')
    Path("plans").mkdir()
    Path("plans/other.toml").write_text(FRONTS)
    assert cli.main(["report", str(path)]) == 2
    assert "must be in the plan itself" in capsys.readouterr().err


def test_hosts_of_parts_are_for_several_objectives(capsys):
    path = _plan("small", ("cma", "janus", "random-search", "de"), '[[part]]\nhost = "de"')
    _store(path, {**made_up.FACTORS, "de": 2.0})
    assert cli.main(["report", str(path)]) == 2
    assert "host of their own" in capsys.readouterr().err


def test_a_plan_of_which_nothing_is_stored_is_told_in_one_line(capsys):
    assert cli.main(["report", str(_plan("small"))]) == 2
    assert "nothing is stored of small" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_told(capsys):
    path = _plan("small")
    _store(path)
    Path("taken").write_text("a file")
    assert cli.main(["report", str(path), "--out", "taken"]) == 2
    assert "--out" in capsys.readouterr().err
