"""Fronts by hypervolume: one reference point a task, verdicts, ranks, collapses, checkpoints."""

from __future__ import annotations

from dataclasses import replace

import made_up_fronts as made_up
import numpy as np
import pytest

from janusopt.bench.plan import League
from janusopt.bench.report.fronts.standings import box
from janusopt.bench.report.row import Group
from janusopt.volume import hypervolume

GROUP = Group("biobj", 20, 4000)


def test_the_reference_point_lies_beyond_the_nadir_of_all_fronts_together():
    ideal, reference = box([np.array([[0.0, 1.0], [1.0, 0.5]]), np.array([[0.5, 0.7], [9.0, 9.0]])], [])
    assert ideal.tolist() == [0.0, 0.5]
    assert reference == pytest.approx([1.1, 1.05])


def test_a_row_that_is_best_in_one_objective_and_hopeless_in_the_rest_does_not_move_the_reference_point():
    good = made_up.front(1.0, 0, points=50, objectives=5)
    resistant = np.array([[0.0, 800.0, 900.0, 700.0, 800.0]])
    _, reference = box([good, resistant], [])
    assert (reference < 1.3).all()


def test_a_host_that_is_far_from_the_best_front_is_still_inside_the_box():
    good, host = made_up.front(1.0, 0), [made_up.front(far, 1) for far in (4.0, 5.0, 90.0)]
    _, reference = box([good, *host], host)
    assert reference == pytest.approx(5.5, rel=0.05)


def test_a_constant_objective_still_has_a_box():
    ideal, reference = box([np.array([[0.0, 1.0]])], [])
    assert (reference > ideal).all()


def test_the_best_run_of_a_task_scores_one_and_all_are_in_proportion():
    found = made_up.standings()
    scores = [found.scores(GROUP, "f1-f8", method) for method in made_up.RADII]
    assert max(score for by_seed in scores for score in by_seed.values()) == 1.0
    rows = {row.key: row for row in found.rows if row.problem == "f1-f8"}
    _, reference = box(
        [row.front for row in rows.values()], [row.front for row in rows.values() if row.method == "sms-emoa"]
    )
    a, b = (
        next(row for row in rows.values() if (row.method, row.seed) == who)
        for who in (("sms-emoa", 100), ("janus-sms", 101))
    )
    expected = hypervolume(a.front, reference) / hypervolume(b.front, reference)
    assert scores[0][100] / scores[1][101] == pytest.approx(expected)


def test_instances_have_reference_points_of_their_own():
    near = made_up.runs(problems=("f1-f8",), seeds=range(100, 105))
    far = [replace(run, task=replace(run.task, instance=12), seed=run.seed + 5) for run in near]
    records = [made_up.record(run, made_up.RADII[run.method]) for run in near]
    records += [made_up.record(run, 50.0 * made_up.RADII[run.method]) for run in far]
    found = made_up.standings([*near, *far], records)
    assert found.mean(GROUP, "f1-f8", "janus-sms") > 0.95


def test_a_better_front_wins_and_a_worse_one_loses():
    found = made_up.standings()
    assert {verdict.word for verdict in found.verdicts(GROUP, "janus-sms", "sms-emoa").values()} == {"win"}
    assert {verdict.word for verdict in found.verdicts(GROUP, "random-search", "sms-emoa").values()} == {"loss"}
    assert found.ratio(GROUP, "janus-sms", "sms-emoa") > 1.0 > found.ratio(GROUP, "nsga2", "sms-emoa")
    assert found.ranks(GROUP, "f1-f8") == {"sms-emoa": 2.0, "janus-sms": 1.0, "nsga2": 3.0, "random-search": 4.0}


def test_few_seeds_decide_nothing():
    assert made_up.standings().decidable(GROUP, "janus-sms", "sms-emoa")
    few = made_up.standings(made_up.runs(seeds=range(100, 103)))
    assert not few.decidable(GROUP, "janus-sms", "sms-emoa")


def test_a_run_far_below_the_hosts_worst_has_collapsed():
    planned = made_up.runs()
    bad = next(run for run in planned if (run.method, run.seed, run.task.problem) == ("janus-sms", 103, "f2-f10"))
    found = made_up.standings(
        planned, [made_up.record(run, 1.4 if run == bad else made_up.RADII[run.method]) for run in planned]
    )
    assert found.collapses(GROUP, "f2-f10", "janus-sms") == [103]
    assert found.collapses(GROUP, "f1-f8", "janus-sms") == []


def test_a_host_that_finds_little_on_one_problem_does_not_decide_the_ratio_over_all_problems():
    planned = made_up.runs()
    far = {"front": [[90.0, 90.0]]}
    records = [
        made_up.record(
            run, made_up.RADII[run.method], **(far if run.method == "sms-emoa" and run.task.problem == "f1-f8" else {})
        )
        for run in planned
    ]
    found = made_up.standings(planned, records)
    assert found.ratio(GROUP, "janus-sms", "sms-emoa", ["f1-f8"]) > 50.0
    assert 1.5 < found.ratio(GROUP, "janus-sms", "sms-emoa") < 5.0


def test_failed_and_missing_runs_are_left_out_and_known():
    planned = made_up.runs(problems=("f1-f8",))
    records = [made_up.record(run, made_up.RADII[run.method]) for run in planned[4:]]
    records[0] = made_up.record(planned[4], 1.1, status="failed", front=None, error="Traceback")
    found = made_up.standings(planned, records)
    assert len(found.scores(GROUP, "f1-f8", "sms-emoa")) == 8
    assert (len(found.missing), len(found.failed)) == (4, 1)


def test_the_wall_time_is_compared_problem_by_problem():
    assert made_up.standings().slowdown(GROUP, "janus-sms", ["f1-f8", "f2-f10"]) == pytest.approx(1.5)


def test_an_earlier_count_has_standings_of_its_own():
    planned = made_up.runs()
    late = {"janus-sms": [[9.0, 9.0]]}
    records = []
    for run in planned:
        record = made_up.record(run, made_up.RADII[run.method])
        if run.method in late:
            record.fronts[0]["rows"] = late[run.method]
        records.append(record)
    found = made_up.standings(planned, records)
    quarter, half = found.earlier(1000), found.earlier(2000)
    assert {verdict.word for verdict in quarter.verdicts(quarter.groups[0], "janus-sms", "sms-emoa").values()} == {
        "loss"
    }
    assert {verdict.word for verdict in half.verdicts(half.groups[0], "janus-sms", "sms-emoa").values()} == {"win"}
    assert quarter.label(quarter.groups[0]) == "d = 20, 1,000 evaluations"
    assert len(found.rows) == len(quarter.rows) == len(planned)


@pytest.mark.parametrize(("evaluations", "status", "far"), [(500, "capped", 1.0), (1500, "ok", 2.0)])
def test_a_run_that_was_capped_before_a_count_has_there_the_front_that_it_ended_with(evaluations, status, far):
    planned = made_up.runs()
    records = [made_up.record(run, 1.0, status="capped", evaluations=evaluations) for run in planned]
    quarter = made_up.standings(planned, records).earlier(1000)
    assert {row.status for row in quarter.rows} == {status}
    assert quarter.rows[0].front == pytest.approx(far * np.array(records[0].front))


def test_leagues_have_their_own_hosts_and_regimes():
    low, many = made_up.runs(suite="moo"), made_up.runs(("dtlz2-n5",), methods=("age-moea2", "janus-age2"), suite="moo")
    leagues = dict.fromkeys((run.key for run in low), League("sms-emoa", "janus-sms", "low"))
    leagues |= dict.fromkeys((run.key for run in many), League("age-moea2", "janus-age2", "many"))
    radii = {**made_up.RADII, "age-moea2": 1.1, "janus-age2": 1.0}
    records = [made_up.record(run, radii[run.method], 5 if run in many else 2) for run in (*low, *many)]
    found = made_up.standings([*low, *many], records, leagues=leagues)
    assert [found.label(group) for group in found.groups] == ["low", "many"]
    assert [found.host_of(group) for group in found.groups] == ["sms-emoa", "age-moea2"]
    assert found.objectives(found.groups[1], "dtlz2-n5") == 5
    assert found.methods(found.groups[1]) == ["age-moea2", "janus-age2"]
