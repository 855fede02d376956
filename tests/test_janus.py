"""JANUS behind the infill protocol: contracts, not constants."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from janusopt.config import JanusConfig
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import InputError
from janusopt.janus import Janus

D = 6
BOX = Frame(np.zeros(D), 0.5, np.ones(D), np.full(D, -3.0), np.full(D, 3.0))
OWNER = replace(BOX, basis=np.eye(D), roots=np.ones(D), owns_covariance=True, decomposes=True)
STEEP = np.logspace(0, 2, D)


def bowl(X):
    return ((X - 0.4) ** 2) @ STEEP


def fed(config=None, generations=8, frame=BOX, fun=bowl, rows=10, seed=1, components=None, failed=None):
    """JANUS some generations into a run at a frame that stands still; a proposal was made for each."""
    rng = np.random.default_rng(seed)
    janus = Janus(config, rng=seed)
    for _ in range(generations):
        proposals = janus.propose(frame, 4)
        X = frame.from_z(rng.standard_normal((rows, D)))
        X[: len(proposals)] = proposals.X
        bad = np.zeros(rows, dtype=bool) if failed is None else failed(X)
        S = None if components is None else components(X)
        janus.observe(X, Evaluations(np.where(bad, np.nan, fun(X)), bad, components=S))
    return janus


SURE = JanusConfig(chart="newton", cmix="off")  # nothing is drawn by chance: a named chart that always succeeds


def test_nothing_is_proposed_before_there_are_rows_and_the_record_says_so():
    janus = Janus(rng=1)
    assert len(janus.propose(BOX, 4)) == 0
    assert janus.records[0].reason == "too few rows"
    assert len(janus.propose(BOX, 0)) == 0
    assert janus.records[1].reason == "the host has no slot"


def test_on_a_quadratic_the_newton_row_is_the_minimum():
    janus = fed(SURE.replace(lbfgs=False), generations=12)
    proposals = janus.propose(BOX, 4)
    assert proposals.sources == ("newton",)
    np.testing.assert_allclose(proposals.X[0], 0.4, atol=0.05)


@pytest.mark.parametrize("slots", [1, 2, 5])
@pytest.mark.parametrize("config", [None, SURE, JanusConfig(cmix="sample", fraction=1.0), JanusConfig.paper(D)])
def test_proposals_fit_the_slots_the_box_and_the_clip(config, slots):
    for frame in (BOX, OWNER):
        janus = fed(config, frame=frame)
        proposals = janus.propose(frame, slots)
        assert len(proposals) == len(proposals.sources) <= slots
        assert ((frame.lower <= proposals.X) & (frame.upper >= proposals.X)).all()
        assert all(frame.length(x) <= np.sqrt(D) * (1 + 1e-6) for x in proposals.X)


def test_a_metric_is_handed_only_to_a_host_that_owns_a_covariance_and_decomposes_now():
    always = JanusConfig(weight_rule="dimension", mix_every=1)
    assert fed(always, frame=OWNER).propose(OWNER, 4).metric is not None
    for frame in (BOX, replace(OWNER, decomposes=False), replace(OWNER, owns_covariance=False)):
        assert fed(always, frame=frame).propose(frame, 4).metric is None
    for config in (always.replace(cmix="off"), always.replace(cmix="sample"), always.replace(blocks=[[0, 1]])):
        assert fed(config, frame=OWNER).propose(OWNER, 4).metric is None


def test_the_metric_wants_more_variance_where_the_objective_is_flat():
    proposals = fed(JanusConfig(weight_rule="dimension", mix_every=1), generations=20, frame=OWNER).propose(OWNER, 4)
    spread = proposals.metric.diagonal()
    assert spread[0] > spread[-1]
    assert 0.0 < proposals.weight <= 0.6


def test_noise_earns_no_weight():
    noise = np.random.default_rng(5)
    janus = fed(JanusConfig(mix_every=1), generations=30, frame=OWNER, fun=lambda X: noise.standard_normal(len(X)))
    assert all(record.weight == 0.0 for record in janus.records[5:])
    assert sum(len(record.sources) for record in janus.records[10:]) < 20


def test_cmix_alone_and_gn_alone_are_what_they_say():
    cmix = fed(JanusConfig(gn=False, lbfgs=False, cmix="sample"))
    assert {name for record in cmix.records for name in record.sources} == {"cmix"}
    gn = fed(JanusConfig(cmix="off", lbfgs=False))
    assert {name for record in gn.records for name in record.sources} <= {"newton", "linear"}
    assert all(record.weight == 0.0 for record in gn.records)


def test_components_make_a_source_of_their_own():
    def far(X):
        return (X - 2.5) ** 2 * STEEP

    janus = fed(SURE.replace(chart="components"), fun=lambda X: far(X).mean(axis=1), components=far)
    proposals = janus.propose(BOX, 4)
    assert proposals.sources == ("trust", "gn")
    assert far(proposals.X).mean() < 0.6 * far(np.zeros((1, D))).mean()
    assert janus.records[-1].chart == "components"


@pytest.mark.parametrize("anchor", ["mean", "best"])
def test_steps_start_at_the_anchor(anchor):
    janus = fed(JanusConfig(chart="newton", anchor=anchor, damping=1e9, lbfgs=False, cmix="off"), generations=6)
    x = janus.propose(BOX, 4).X[0]
    window = janus._trace.window()
    expected = BOX.mean if anchor == "mean" else BOX.clip(window.X[np.argmin(window.f)], 1.0)
    np.testing.assert_allclose(x, expected, atol=1e-3)


def test_a_refit_waits_for_its_cadence():
    janus = fed(SURE.replace(refit_every=5, lbfgs=False), generations=5)
    charts = []
    rng = np.random.default_rng(3)
    for _ in range(10):
        janus.propose(BOX, 4)
        charts.append(janus._pages[0].chart)
        X = BOX.from_z(rng.standard_normal((10, D)))
        janus.observe(X, Evaluations(bowl(X), np.zeros(10, dtype=bool)))
    assert [charts[i] is charts[i + 1] for i in range(9)] == [True] * 4 + [False] + [True] * 4


def wide(d, generations):
    """The sources of each generation, and after how many a fit was made anew, of a CMA host that stands still."""
    frame = Frame(np.zeros(d), 0.5, np.ones(d), np.full(d, -np.inf), np.full(d, np.inf), np.eye(d), np.ones(d))
    frame = replace(frame, owns_covariance=True)
    rng, janus, sources, fits = np.random.default_rng(1), Janus(SURE, rng=1), [], []
    for generation in range(generations):
        now = replace(frame, mean=np.full(d, 0.01 * generation))
        proposals = janus.propose(now, 4)
        if janus._pages and (not fits or janus._pages is not fits[-1][1]):
            fits.append((generation, janus._pages))
        sources.append(proposals.sources)
        X = now.from_z(rng.standard_normal((20, d)))
        X[: len(proposals)] = proposals.X
        janus.observe(X, Evaluations(((X - 0.4) ** 2).sum(axis=1), np.zeros(20, dtype=bool)))
    return janus, now, sources, [generation for generation, _ in fits]


def test_from_two_hundred_variables_on_a_fit_stands_for_two_generations_and_gives_its_newton_row_once():
    _, _, sources, fits = wide(210, 30)
    assert fits == [3, *range(4, 30, 2)]
    assert ["newton" in named for named in sources[4:]] == [True, False] * 13
    assert ("lbfgs",) in sources[5::2]


def test_from_few_rows_a_fit_stands_once_its_promises_are_kept_and_every_generation_has_a_newton_row_from_it():
    janus, _, sources, fits = wide(100, 60)
    assert fits[:4] == [3, 4, 5, 6]
    assert janus._promises.shown == pytest.approx(1.0, abs=0.1)
    assert set(np.diff(fits[-5:])) == {4}
    assert all("newton" in named for named in sources[3:])
    assert sources[-1] == ("newton",)


def test_a_window_that_knows_much_is_fitted_every_generation():
    _, _, sources, fits = wide(60, 20)
    assert fits == [*range(3, 20)]
    assert any("lbfgs" in named for named in sources)


def test_a_step_on_a_standing_fit_starts_at_the_mean_of_now():
    janus, now, _, _ = wide(210, 10)
    page = janus._pages[0]
    assert page.frame is not now
    start = janus._anchor(page, now)
    np.testing.assert_allclose(page.frame.mean + page.frame.sigma * start, now.mean, atol=1e-12)


def test_failed_rows_are_kept_out_of_the_window():
    janus = fed(failed=lambda X: X[:, 0] > 0.0)
    assert (janus._trace.window().X[:, 0] <= 0.0).all()
    assert np.isfinite(janus._trace.window().f).all()


def test_generations_that_failed_altogether_are_survived():
    janus = fed(failed=lambda X: np.ones(len(X), dtype=bool))
    assert len(janus.propose(BOX, 4)) == 0
    assert janus.records[-1].reason == "too few rows"
    mixed = fed(SURE, generations=10)
    X = BOX.from_z(np.zeros((4, D)))
    mixed.observe(X, Evaluations(np.full(4, np.nan), np.ones(4, dtype=bool)))
    assert len(mixed.propose(BOX, 4)) > 0


def test_a_flat_window_gives_a_reason():
    janus = fed(fun=lambda X: np.full(len(X), 3.0))
    assert "flat" in janus.records[-1].reason


def test_ranks_are_written_into_the_record_of_the_generation():
    janus = fed(SURE)
    for record in janus.records:
        assert len(record.ranks) == len(record.sources)
        assert all(0.0 <= rank <= 1.0 for rank in record.ranks)
    assert any(rank == 0.0 for record in janus.records for rank in record.ranks)


def test_a_restart_forgets_the_window_and_keeps_the_records():
    janus = fed(SURE)
    count = len(janus.records)
    janus.restart()
    assert len(janus.propose(BOX, 4)) == 0
    assert janus.records[-1].reason == "too few rows"
    assert len(janus.records) == count + 1


def test_the_same_seed_proposes_the_same_rows():
    for config in (None, JanusConfig(cmix="sample", fraction=0.5)):
        one, other = fed(config, seed=3).propose(BOX, 4), fed(config, seed=3).propose(BOX, 4)
        np.testing.assert_array_equal(one.X, other.X)
        assert one.sources == other.sources


def test_it_pickles_in_the_middle_of_a_run():
    janus = fed(generations=9)
    copy = pickle.loads(pickle.dumps(janus))
    one, other = janus.propose(BOX, 4), copy.propose(BOX, 4)
    np.testing.assert_array_equal(one.X, other.X)
    assert one.sources == other.sources


def test_the_frame_and_the_rows_are_not_modified():
    janus = Janus(SURE, rng=1)
    X = BOX.from_z(np.random.default_rng(1).standard_normal((40, D)))
    rows, mean = X.copy(), BOX.mean.copy()
    evals = Evaluations(bowl(X), np.zeros(40, dtype=bool))
    values = evals.f.copy()
    janus.observe(X, evals)
    janus.propose(BOX, 4)
    np.testing.assert_array_equal(X, rows)
    np.testing.assert_array_equal(evals.f, values)
    np.testing.assert_array_equal(BOX.mean, mean)


def test_blocks_keep_a_step_within_its_own_group():
    def separable(X):
        return ((X[:, :3].sum(axis=1) - 1.0) ** 2) + 0.01 * (X**2).sum(axis=1)

    config = SURE.replace(blocks=[[0, 1, 2], [3, 4, 5]], lbfgs=False)
    x = fed(config, fun=separable, generations=15).propose(BOX, 4).X[0]
    assert abs(x[:3].sum() - 1.0) < 0.2
    with pytest.raises(InputError, match="named twice"):
        fed(SURE.replace(blocks=[[0, 1], [1]]))
