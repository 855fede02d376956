"""Tables, figures, page and gate of fronts."""

from __future__ import annotations

import json
import re

import made_up_fronts as made_up
import pytest

from janusopt.bench.plan import League
from janusopt.bench.report import figures
from janusopt.bench.report.fronts import gate, panels, tables
from janusopt.bench.report.fronts.document import document
from janusopt.bench.report.fronts.page import page


@pytest.fixture(scope="module")
def found():
    return made_up.standings()


@pytest.fixture(scope="module")
def board(found):
    return tables.leaderboard(found, found.groups[0])


def _column(table, name):
    return {row[0].strip("*"): row[table.header.index(name)] for row in table.rows}


def test_the_leaderboard_is_in_order_of_rank(board):
    assert list(_column(board, "rank").values()) == ["1.00", "2.00", "3.00", "4.00"]
    assert board.rows[0][0] == "**janus-sms**"


def test_the_leaderboard_counts_tasks_won_and_lost(board):
    assert _column(board, "+/≈/− against sms-emoa")["janus-sms"] == "2/0/0"
    assert _column(board, "+/≈/− against sms-emoa")["random-search"] == "0/0/2"
    assert _column(board, "janus-sms against it")["nsga2"] == "2/0/0"
    assert _column(board, "time")["janus-sms"] == "1.5"
    assert _column(board, "IGD+ rank")["janus-sms"] == "1"


def test_too_few_seeds_are_marked():
    few = made_up.standings(made_up.runs(seeds=range(100, 103)))
    table = tables.leaderboard(few, few.groups[0])
    assert _column(table, "+/≈/− against sms-emoa")["janus-sms"] == "0/2/0 †"
    assert "†: too few seeds" in table.note


def test_columns_without_a_number_are_left_out(found):
    early = found.earlier(1000)
    header = tables.leaderboard(early, early.groups[0]).header
    assert "time" not in header
    assert "IGD+ rank" not in header


def test_losses_stand_beside_wins():
    lost = made_up.standings(radii={**made_up.RADII, "janus-sms": 1.3})
    table = tables.tasks(lost, lost.groups[0])
    assert set(_column(table, "verdict").values()) == {"**loss**"}
    assert "103" in _column(table, "collapsed seeds")["f1-f8"]


def test_each_number_of_objectives_has_its_own_board():
    planned = made_up.runs(suite="moo")
    leagues = dict.fromkeys((run.key for run in planned), League("sms-emoa", "janus-sms", "low"))
    records = [
        made_up.record(run, made_up.RADII[run.method], 2 if run.task.problem == "f1-f8" else 3) for run in planned
    ]
    mixed = made_up.standings(planned, records, leagues=leagues)
    assert [t.title for t in tables.by_objectives(mixed, mixed.groups[0])] == [
        "2 objectives, 1 task",
        "3 objectives, 1 task",
    ]
    drawn = [json.loads(choice.figure)["data"][0]["type"] for choice in panels.fronts(mixed)]
    assert drawn == ["scatter", "scatter3d"]


def test_attribution_sets_clipped_beside_reflected():
    radii = {**made_up.RADII, "janus-sms edge=reflect": 1.1}
    both = made_up.standings(made_up.runs(methods=radii), radii=radii)
    (row,) = tables.attribution(both).rows
    assert row[1] == "janus-sms"
    assert row[3] == "2/0/0"
    assert float(row[2]) > float(row[4])
    assert row[6] == "newton 10.0%"


def test_without_a_reflected_form_there_is_no_attribution(found):
    assert tables.attribution(found).rows == ()


def test_the_sweep_has_a_line_for_each_family_over_its_shares():
    methods = {f"janus-sms-5 fraction={share} per_model=2": 1.1 - share / 10 for share in (0.05, 0.2, 0.6)}
    radii = {**made_up.RADII, **methods}
    swept = made_up.standings(made_up.runs(methods=radii), radii=radii)
    (line,) = json.loads(next(panels.sweep(swept)).figure)["data"]
    assert line["name"] == "janus-sms-5"
    assert line["x"] == [0.05, 0.2, 0.6]
    assert line["y"] == sorted(line["y"])


def test_the_rank_matrix_shows_ranks(found):
    (heat,) = json.loads(next(panels.rank_heat(found)).figure)["data"]
    assert heat["y"] == ["sms-emoa", "janus-sms", "nsga2", "random-search"]
    assert [row[0] for row in heat["z"]] == [2.0, 1.0, 3.0, 4.0]


def test_the_page_has_its_sections_and_loads_nothing(found):
    html = page(found, [found.earlier(1000)])
    assert set(re.findall(r'<section id="(\w+)">', html)) == {
        "leaderboard", "tasks", "ranks", "ratios", "progress", "fronts", "matrix", "sources", "seconds", "gate",
        "incidents", "versions",
    }  # fmt: skip
    assert not re.search(r"https?://|@import|url\(", html.replace(figures.library(), ""))
    assert "d = 20, 1,000 evaluations" in html


def test_the_document_has_the_boards_of_every_checkpoint(found):
    text = document(found, [found.earlier(1000), found.earlier(2000)])
    assert text.count("janus-sms against it") == 3
    assert "### The gate" in text


def test_a_host_that_random_search_beats_is_refused():
    bad = made_up.standings(radii={**made_up.RADII, "random-search": 1.0})
    assert "random search beats the host" in gate.refusal(bad, "do it")
    assert "f2-f10" in gate.refusal(bad, "do it")


def test_a_sound_host_passes_and_a_missing_random_search_does_not(found):
    assert gate.refusal(found, "do it") == ""
    without = {method: radius for method, radius in made_up.RADII.items() if method != "random-search"}
    told = gate.refusal(made_up.standings(made_up.runs(methods=without)), "do it")
    assert "no runs of the host or of 'random-search'" in told
    assert "to do the runs: do it" in told
