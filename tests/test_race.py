"""A race: four starts, of which the best goes on."""

from __future__ import annotations

import numpy as np
import pytest

import janusopt
from janusopt.core.evaluations import Evaluations
from janusopt.errors import InputError
from janusopt.infill import NoInfill
from janusopt.loop import Loop
from janusopt.race import LAP, STARTS, Race

BOX = [(-5.0, 5.0)] * 4


class Runner:
    """A host whose rows have the value it is given; those it starts have the next values."""

    rows, slots = 2, 0

    def __init__(self, values):
        self.value, self.others = values[0], values[1:]
        self.generations = 0

    def restarted(self, factor):
        assert factor == 1.0
        return Runner(self.others) if self.others else None

    def told(self):
        self.generations += 1
        f = np.full(2, self.value, dtype=float)
        return np.full((2, 1), self.value, dtype=float), Evaluations(f, np.isnan(f))


class Watcher(NoInfill):
    def __init__(self):
        super().__init__()
        self.seen = []

    def observe(self, X, evals, sources=None):
        self.seen.append(float(X[0, 0]))

    def restart(self):
        self.seen.append("restart")


def raced(values):
    """Laps until the race is over; the host that goes on and what the infill saw beside its own generations."""
    host, infill = Runner(values), Watcher()
    race = Race(host)
    hosts = [host]
    while not race.over:
        hosts.append(race.lap(hosts[-1], *hosts[-1].told(), infill))
    return hosts, infill.seen


@pytest.mark.parametrize("values", [[3, 1, 2, 4, 0], [1, 2, 3, 4, 0], [4, 3, 2, 1, 0]])
def test_the_best_of_four_goes_on_where_it_was(values):
    hosts, _ = raced(values)
    assert len(hosts) - 1 == STARTS * LAP
    assert hosts[-1].value == 1
    assert hosts[-1].generations == LAP


def test_the_infill_starts_anew_and_sees_the_winners_rows_again():
    _, seen = raced([3, 1, 2, 4])
    assert seen == ["restart"] * STARTS + [1.0] * LAP
    _, seen = raced([4, 3, 2, 1])
    assert seen == ["restart"] * (STARTS - 1)


def test_a_lap_without_a_value_cannot_win():
    hosts, _ = raced([np.nan, 5, np.nan, 7])
    assert hosts[-1].value == 5
    assert np.isnan(raced([np.nan] * 4)[0][-1].value)


def test_a_host_that_cannot_start_again_just_goes_on():
    hosts, seen = raced([3])
    assert len(hosts) - 1 == LAP
    assert hosts[-1] is hosts[0]
    assert seen == []


def valley(x):
    """Two basins alike, one of value 1 and one of value 0."""
    return min(1.0 + 0.1 * float(((x + 2.0) ** 2).sum()), 0.1 * float(((x - 2.0) ** 2).sum()))


@pytest.mark.parametrize("host", ["cma", "cmaes", "de"])
def test_a_race_counts_its_starts_and_spends_the_budget_exactly(host):
    options = {"bounds": BOX, "budget": 3000, "rng": 3, "host": host}
    result = janusopt.minimize(valley, restarts="race", **options)
    assert result.nfev == 3000
    assert result.janus["restarts"] >= STARTS - 1
    again = janusopt.minimize(valley, restarts="race", **options)
    np.testing.assert_array_equal(result.x, again.x)


def test_a_race_finds_the_better_basin_more_often():
    def wins(restarts):
        found = [
            janusopt.minimize(valley, bounds=BOX, budget=500, rng=seed, restarts=restarts, sigma0=0.5, infill=None).fun
            for seed in range(12)
        ]
        return sum(f < 0.5 for f in found)

    assert wins("race") > wins("ipop")


def test_a_race_resumes_from_its_journal(tmp_path):
    calls = []

    def breaking(x):
        calls.append(1)
        if len(calls) in (150, 420):
            raise KeyboardInterrupt
        return valley(x)

    options = {"bounds": BOX, "budget": 600, "rng": 5, "restarts": "race"}
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            janusopt.minimize(breaking, journal=tmp_path / "run.db", **options)
    resumed = janusopt.minimize(breaking, journal=tmp_path / "run.db", **options)
    whole = janusopt.minimize(valley, **options)
    np.testing.assert_array_equal(resumed.x, whole.x)
    assert (resumed.fun, resumed.nfev) == (whole.fun, whole.nfev)
    assert len(calls) < 2 * 600


@pytest.mark.parametrize("refused", [{"restarts": "race", "asynchronous": True, "workers": 2}, {"restarts": "bipop"}])
def test_a_refused_restart_leaves_no_journal_behind(tmp_path, refused):
    options = {"bounds": BOX, "budget": 100, "rng": 1, "journal": tmp_path / "run.db"}
    with pytest.raises(InputError, match="restarts"):
        janusopt.minimize(valley, **options, **refused)
    assert janusopt.minimize(valley, **options).nfev == 100


def test_where_a_race_makes_no_sense_it_is_refused():
    with pytest.raises(InputError, match="not asynchronous=True"):
        janusopt.minimize(valley, bounds=BOX, budget=100, restarts="race", asynchronous=True, workers=2)
    with pytest.raises(InputError, match="needs one objective"):
        janusopt.minimize_multi(lambda x: [x[0], 1.0 - x[0]], bounds=BOX, budget=200, restarts="race")
    with pytest.raises(InputError, match="'race', 'encore' or None, got 'always'"):
        Loop(Runner([1]), NoInfill(), None, 4, None, restarts="always")
