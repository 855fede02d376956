"""Distributions and the suites' pictures, as plotly gets them."""

from __future__ import annotations

import json

import made_up
import numpy as np
import pytest

from janusopt.bench import suites
from janusopt.bench.picture import Profile, Relief
from janusopt.bench.report import page
from janusopt.bench.report.distributions import distributions
from janusopt.bench.report.pictures import median_runs, pictures
from janusopt.bench.task import Task
from janusopt.bench.terms import Terms


@pytest.fixture
def flights():
    """One terrain, three seeds, rows in the box."""
    planned = made_up.runs(problems=("t02",), seeds=range(3), suite="uav")
    problem = suites.build(planned[0].task)
    middle = 0.5 * (problem.lower + problem.upper)
    records = [
        made_up.record(r, made_up.FACTORS[r.method], final=float(r.seed + 1), x=middle.tolist()) for r in planned
    ]
    return made_up.results(planned, records, terms=Terms("mann-whitney", 2.5))


def test_boxes_hold_every_run_of_the_chosen_methods():
    results = made_up.results()
    group = results.groups[0]
    pair, first, *_ = distributions(results)
    assert (pair.name, first.name) == ("cma and janus, all functions", "f4")
    traces = {trace["name"]: trace for trace in json.loads(pair.figure)["data"]}
    assert list(traces) == ["cma", "janus"]
    wanted = [e for p in ("f4", "f10") for e in results.errors(group, p, "janus").values()]
    assert traces["janus"]["y"] == pytest.approx(wanted, rel=1e-3)
    assert traces["janus"]["x"] == ["f4"] * 12 + ["f10"] * 12
    assert [trace["name"] for trace in json.loads(first.figure)["data"]] == ["cma", "janus", "random-search"]


def test_an_axis_is_logarithmic_only_where_values_are_far_apart():
    wide = json.loads(next(distributions(made_up.results())).figure)
    close = json.loads(next(distributions(made_up.results(factors=dict.fromkeys(made_up.FACTORS, 1.0)))).figure)
    assert wide["layout"]["yaxis"]["type"] == "log"
    assert "type" not in close["layout"]["yaxis"]


def test_the_paths_of_host_and_subject_are_drawn_over_ground_and_threats(flights):
    (choice,) = pictures(flights)
    ground, towers, host, subject = json.loads(choice.figure)["data"]
    assert (ground["type"], towers["type"], host["name"], subject["name"]) == (
        "surface",
        "mesh3d",
        "cma: 2",
        "janus: 2",
    )
    assert len(ground["z"]) == len(ground["z"][0]) == 60
    assert len(host["x"]) == 12
    assert len(towers["x"]) == 15 * 40
    assert max(towers["i"] + towers["j"] + towers["k"]) == 15 * 40 - 1


def test_a_picture_of_the_page_has_a_section(flights):
    html = page.page(flights)
    for anchor in ("pictures", "audit", "costs"):
        assert f'<section id="{anchor}">' in html
    assert len(html) < 15e6


def test_the_median_run_is_the_middle_one_of_an_instance():
    planned = made_up.runs(problems=("f4",), seeds=range(100, 110))
    records = [made_up.record(r, 1.0, final=float(r.seed)) for r in planned]
    results = made_up.results(planned, records)
    host, subject = median_runs(results, results.groups[0], "f4")
    assert (host.method, subject.method) == ("cma", "janus")
    assert host.instance == subject.instance == 11 + 104 % 5
    assert subject.final == 104.0


def test_rows_that_are_not_stored_make_no_picture():
    planned = made_up.runs(dimensions=(100,))
    assert list(pictures(made_up.results(planned))) == []


def test_a_suite_without_pictures_shows_none():
    assert suites.pictures(Task("bbob", "f4", 2, 1), {"cma": np.zeros(2)}) == {}


def test_towers_stand_where_the_threats_are():
    (relief,) = suites.pictures(Task("uav", "t02", 30, 1), {}).values()
    assert isinstance(relief, Relief)
    radius, bottom, top = relief.cylinders.T[2:]
    assert ((radius >= 60.0) & (radius <= 90.0)).all()
    assert (bottom < top).all()


def test_a_calibration_is_shown_scene_by_scene_before_and_after():
    task = Task("awb", "fit", 119, 11)
    row = np.full(119, 0.1)
    shown = suites.pictures(task, {"janus": row})
    assert list(shown) == ["fitted scenes", "held-out scenes"]
    fitted, held_out = shown.values()
    assert isinstance(fitted, Profile)
    _, angles = suites.build(task).fun(row[None, :])
    assert fitted.values["janus"] == pytest.approx(angles[0])
    assert fitted.values["as built"].mean() == pytest.approx(suites.build(task).error(np.zeros(119)))
    judged = suites.build(Task("awb", "transfer", 119, 11)).error(row)
    assert held_out.values["janus"].mean() == pytest.approx(judged)
