"""Infill by name, and the two that use no geometry."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.config import JanusConfig
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import InputError
from janusopt.infill import Infill, NoInfill, RandomInfill, Recorder, relative_ranks
from janusopt.infills import NAMES, make_infill
from janusopt.janus import Janus


def made(spec, d=10, scalar=True):
    return make_infill(spec, d=d, scalar=scalar, rng=np.random.default_rng(1))


def frame(d=3):
    return Frame(np.zeros(d), 0.5, np.ones(d), np.full(d, -0.6), np.full(d, 0.6))


def good(values):
    return Evaluations(np.array(values, dtype=float), np.zeros(len(values), dtype=bool))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_makes_an_infill(name):
    assert isinstance(made(name), Infill)


def test_the_names_mean_what_they_say():
    assert isinstance(made(None), NoInfill)
    assert isinstance(made("none"), NoInfill)
    assert isinstance(made("random"), RandomInfill)
    assert made("janus").config == JanusConfig()
    assert made("janus-gn").config.cmix == "off"
    cmix = made("cmix").config
    assert not cmix.gn
    assert not cmix.lbfgs
    assert made("paper", d=30).config == JanusConfig.paper(30)
    assert made("paper", d=30, scalar=False).config == JanusConfig.paper(30, scalar=False)
    assert made("paper-gn").config.cmix == "off"


def test_a_config_or_an_infill_of_ones_own_is_taken():
    config, own = JanusConfig(window=50), Janus()
    assert made(config).config is config
    assert made(own) is own


@pytest.mark.parametrize("spec", ["Janus", "", 3, object()])
def test_anything_else_is_refused(spec):
    with pytest.raises(InputError, match="infill must be one of janus, janus-gn, cmix, paper"):
        made(spec)


def test_no_infill_proposes_nothing_and_keeps_no_record():
    infill = NoInfill()
    assert len(infill.propose(frame(), 4)) == 0
    infill.observe(np.zeros((2, 3)), good([1, 2]))
    infill.restart()
    assert infill.records == []


def test_random_infill_fills_its_slots_inside_the_box_and_records_its_ranks():
    infill = RandomInfill(3, rng=1)
    proposals = infill.propose(frame(), 8)
    assert proposals.X.shape == (3, 3)
    assert proposals.sources == ("random",) * 3
    assert proposals.metric is None
    assert (np.abs(proposals.X) <= 0.6).all()
    assert all(frame().length(x) <= np.sqrt(3) * (1 + 1e-9) for x in proposals.X)
    infill.observe(np.zeros((5, 3)), good([3, 1, 2, 5, 4]))
    assert infill.records[0].ranks == (0.5, 0.0, 0.25)
    assert len(infill.propose(frame(), 2)) == 2
    assert len(infill.propose(frame(), 0)) == 0
    assert infill.records[-1].reason == "the host has no slot"


def test_the_same_seed_draws_the_same_rows():
    one, other, third = (RandomInfill(rng=seed).propose(frame(), 4).X for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one, third)


def test_relative_ranks_run_from_best_to_worst_and_failed_rows_share_the_worst():
    evals = Evaluations(np.array([5.0, np.nan, 1.0, 3.0, -9.0]), np.array([False, True, False, False, True]))
    np.testing.assert_allclose(relative_ranks(evals), [0.5, 1.0, 0.0, 0.25, 1.0])
    assert relative_ranks(good([7.0])).tolist() == [0.0]


def test_ranks_that_a_spent_budget_left_out_stay_nan():
    recorder = Recorder()
    recorder.note(sources=("a", "b", "c"))
    assert np.isnan(recorder.records[0].ranks).all()
    recorder.complete(np.array([0.5]))
    assert recorder.records[0].ranks[0] == 0.5
    assert np.isnan(recorder.records[0].ranks[1:]).all()
    assert len(recorder.records[0].ranks) == 3
