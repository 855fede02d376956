"""ParetoJanus alone: frames and evaluations in, rows out."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from janusopt.core.arrays import frozen
from janusopt.core.dominance import nondominated
from janusopt.core.dual import Workspace
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.front import Front
from janusopt.core.niches import Niches
from janusopt.core.pareto_steps import LocalModel, cmix, gn, local_model, newton
from janusopt.errors import InputError
from janusopt.infill import Infill
from janusopt.pareto import SOURCES, ParetoConfig, ParetoJanus

NICHED = ("graft", "differential")


def box_frame(d, centre=0.5, spread=0.2):
    return Frame(frozen(np.full(d, centre)), 1.0, frozen(np.full(d, spread)), frozen(np.zeros(d)), frozen(np.ones(d)))


def spheres(X, m=2):
    return np.column_stack([((X - (0.2 + 0.5 * j / max(m - 1, 1))) ** 2).sum(axis=1) for j in range(m)])


def told(F, failed=None, violation=None):
    n = len(F)
    failed = np.zeros(n, dtype=bool) if failed is None else failed
    return Evaluations(np.full(n, np.nan), failed, objectives=F, violation=violation)


def fed(infill, d=6, n=200, m=2, seed=0, values=spheres):
    X = np.random.default_rng(seed).random((n, d))
    infill.propose(box_frame(d), 0)
    infill.observe(X, told(values(X) if values is not spheres else spheres(X, m)))
    return infill


def last(infill):
    return infill.records[-1]


@pytest.mark.parametrize(("m", "sources"), [(4, ("graft", "bounds", "differential", "region")), (5, NICHED)])
def test_beyond_four_objectives_it_goes_by_niches(m, sources):
    infill = fed(ParetoJanus(rng=1), m=m)
    assert isinstance(infill.front, Niches) is (m > 4)
    assert infill.credit.sources == sources
    proposals = infill.propose(box_frame(6), 100)
    assert 0 < len(proposals) <= 40
    assert set(proposals.sources) <= set(sources)


def test_beyond_four_objectives_a_source_that_needs_a_front_gets_no_slot():
    infill = fed(ParetoJanus(ParetoConfig(sources=("newton",)), rng=1), m=6)
    assert len(infill.propose(box_frame(6), 100)) == 0
    assert "more than 4 objectives" in last(infill).reason


def test_the_papers_form_keeps_to_its_front_whatever_the_number_of_objectives():
    infill = fed(ParetoJanus(ParetoConfig.paper(), rng=1), m=6)
    assert isinstance(infill.front, Front)
    assert len(infill.propose(box_frame(6), 100)) > 0


def test_where_rows_hardly_get_ahead_in_their_niches_infill_fades():
    rows = {}
    for name, shrink in (("ahead", 0.7), ("stands", 1.0)):
        infill = ParetoJanus(rng=1)
        for generation in range(20):
            X = np.random.default_rng(0).random((100, 6))
            infill.observe(X, told(spheres(X, 6) * shrink**generation))
            rows[name] = len(infill.propose(box_frame(6), 100))
    assert rows["ahead"] > 5 * rows["stands"]


def test_a_restart_forgets_the_niches_but_not_what_was_earned():
    infill = fed(ParetoJanus(rng=1), m=6)
    credit = infill.credit
    infill.restart()
    assert len(infill.propose(box_frame(6), 100)) == 0
    fed(infill, m=6)
    assert isinstance(infill.front, Niches)
    assert infill.credit is credit


def test_it_is_an_infill():
    assert isinstance(ParetoJanus(), Infill)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("m", [2, 3, 5])
def test_every_source_fills_its_share_inside_the_box(source, m):
    infill = ParetoJanus(sources=(source,), adaptive=False, models=20, rng=1)
    X = np.clip(1.2 * np.random.default_rng(0).random((200, 6)) - 0.1, 0.0, 1.0)
    infill.observe(X, told(spheres(X, m)))
    proposals = infill.propose(box_frame(6), 50)
    assert 1 <= len(proposals) <= 20
    assert set(proposals.sources) == {source}
    assert len(proposals.sources) == len(proposals.X)
    assert ((proposals.X >= 0.0) & (proposals.X <= 1.0)).all()
    infill.observe(proposals.X, told(spheres(proposals.X, m)))
    assert len(last(infill).ranks) == len(proposals)
    assert all(0.0 <= rank <= 1.0 for rank in last(infill).ranks)


def test_never_more_rows_than_slots_or_the_fraction():
    infill = fed(ParetoJanus(fraction=0.3, adaptive=False, rng=1))
    for slots in (0, 1, 2, 5, 40):
        assert len(infill.propose(box_frame(6), slots)) <= min(slots, 0.3 * slots + 4.0)
    everything = fed(ParetoJanus(fraction=1.0, adaptive=False, models=99, rng=1))
    for slots in (1, 2, 5, 40):
        assert len(everything.propose(box_frame(6), slots)) <= slots


def test_one_slot_at_a_time_adds_up_to_the_fraction():
    infill = fed(ParetoJanus(fraction=0.2, adaptive=False, sources=("differential",), rng=1))
    total = sum(len(infill.propose(box_frame(6), 1)) for _ in range(100))
    assert 18 <= total <= 20
    assert "saved up" in infill.records[1].reason


def test_the_same_seed_gives_the_same_rows_and_another_another():
    makers = (ParetoJanus(adaptive=False, rng=seed) for seed in (1, 1, 2))
    first, second, other = (fed(infill).propose(box_frame(6), 50).X for infill in makers)
    np.testing.assert_array_equal(first, second)
    assert len(first) > 2
    assert not np.array_equal(first[:2], other[:2])


def test_a_copy_goes_on_as_the_original_does():
    infill = fed(ParetoJanus(rng=1))
    infill.propose(box_frame(6), 50)
    twin = copy.deepcopy(infill)
    np.testing.assert_array_equal(infill.propose(box_frame(6), 50).X, twin.propose(box_frame(6), 50).X)


def test_arguments_are_not_modified_and_not_kept():
    X = np.random.default_rng(0).random((50, 4))
    F = spheres(X)
    kept_X, kept_F = X.copy(), F.copy()
    infill = ParetoJanus(rng=1)
    infill.observe(X, told(F))
    infill.propose(box_frame(4), 20)
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(F, kept_F)
    front = infill.front.X.copy()
    X[:] = np.nan
    np.testing.assert_array_equal(infill.front.X, front)


def test_numpys_global_random_state_is_untouched():
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    fed(ParetoJanus(sources=SOURCES)).propose(box_frame(6), 50)
    np.testing.assert_equal(np.random.get_state(legacy=False), before)  # noqa: NPY002


def test_infeasible_and_failed_rows_are_neither_anchors_nor_data():
    X = np.random.default_rng(0).random((60, 3))
    F = spheres(X)
    failed, violation = X[:, 0] < 0.3, np.where(X[:, 1] > 0.6, 1.0, 0.0)
    F[failed] = np.nan
    infill = ParetoJanus(rng=1)
    infill.observe(X, told(F, failed, violation))
    assert (infill.front.X[:, 0] >= 0.3).all()
    assert (infill.front.X[:, 1] <= 0.6).all()
    assert len(infill._trace) == int((~failed & (violation == 0.0)).sum())


def test_a_restart_forgets_the_rows_and_keeps_the_records():
    infill = fed(ParetoJanus(rng=1))
    infill.propose(box_frame(6), 50)
    infill.restart()
    assert len(infill.propose(box_frame(6), 50)) == 0
    assert last(infill).reason == "no feasible row yet"
    assert len(infill.records) == 3


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (lambda X: np.ones((len(X), 2)), "objectives are constant"),
        (lambda X: np.full((len(X), 2), np.nan), "no feasible row yet"),
        (lambda X: np.full((len(X), 2), np.inf), "no feasible row yet"),
    ],
)
def test_values_that_say_nothing_give_no_infill_and_a_reason(values, reason):
    infill = fed(ParetoJanus(sources=SOURCES, rng=1), values=values)
    assert len(infill.propose(box_frame(6), 50)) == 0
    assert last(infill).reason == reason


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_rows_give_no_infill_and_a_reason(n):
    infill = fed(ParetoJanus(rng=1), n=n)
    assert len(infill.propose(box_frame(6), 50)) == 0
    assert last(infill).reason == "fewer than 4 rows"


@pytest.mark.parametrize(
    "values",
    [
        lambda X: np.column_stack([X[:, 0], np.ones(len(X))]),  # a constant objective: the front is one point
        lambda X: np.column_stack([X.sum(axis=1)] * 2),  # objectives that agree
        lambda X: 1e300 * np.column_stack([X[:, 0] - 0.5, 0.5 - X[:, 0]]),
        lambda X: 1e-300 * np.column_stack([X[:, 0], 1.0 - X[:, 0]]),
        lambda X: np.column_stack([X[:, 0], 1e-12 * X[:, 0] + 1e6]),
        lambda X: np.round(np.column_stack([X[:, 0], 1.0 - X[:, 0]])),  # many equal rows
    ],
)
@pytest.mark.parametrize("d", [1, 3])
def test_degenerate_objectives_do_not_break_it(values, d):
    infill = fed(ParetoJanus(sources=SOURCES, models=4, rng=1), d=d, values=values)
    for _ in range(4):
        X = infill.propose(box_frame(d), 40).X
        assert ((X >= 0.0) & (X <= 1.0)).all()
        full = np.concatenate([X, np.random.default_rng(3).random((10, d))])
        infill.observe(full, told(values(full)))


def test_rows_that_are_all_the_same_do_not_break_it():
    infill = ParetoJanus(sources=SOURCES, rng=1)
    X = np.full((30, 4), 0.25)
    infill.observe(X, told(np.random.default_rng(0).random((30, 2))))
    assert (infill.propose(box_frame(4), 40).X >= 0.0).all()


def test_a_frame_without_bounds_works():
    free = Frame(np.zeros(5), 1.0, np.ones(5), np.full(5, -np.inf), np.full(5, np.inf))
    infill = fed(ParetoJanus(sources=SOURCES, rng=1), d=5)
    assert np.isfinite(infill.propose(free, 40).X).all()


def test_one_objective_is_a_front_of_one_point():
    infill = ParetoJanus(adaptive=False, rng=1)
    X = np.random.default_rng(0).random((60, 3))
    infill.observe(X, Evaluations(((X - 0.5) ** 2).sum(axis=1), np.zeros(60, dtype=bool)))
    assert len(infill.front) == 1
    assert len(infill.propose(box_frame(3), 40)) > 0


def test_no_row_is_proposed_twice_or_again():
    infill = fed(ParetoJanus(sources=("differential",), rng=1), d=1, values=lambda X: np.hstack([X, 1.0 - X]))
    X = infill.propose(box_frame(1), 100).X
    assert len(np.unique(X)) == len(X)
    assert not np.isin(X, infill.front.X).any()


def test_infill_that_earns_nothing_fades():
    infill = fed(ParetoJanus(sources=("differential",), rng=1))
    rng, frame = np.random.default_rng(5), box_frame(6)
    best = 1.0
    for _ in range(60):
        k = len(infill.propose(frame, 50))
        X = rng.random((50, 6))
        best *= 0.98
        t = rng.random(50)
        F = best * np.column_stack([t, 1.0 - t])
        F[:k] = 10.0
        infill.observe(X, told(F))
    assert sum(len(record.sources) for record in infill.records[-20:]) <= 0.02 * 50 * 20


def test_slots_follow_credit():
    infill = fed(ParetoJanus(sources=("differential", "cmix"), models=20, rng=1))
    rng, best = np.random.default_rng(5), 1.0
    for _ in range(40):
        sources = infill.propose(box_frame(6), 50).sources
        best *= 0.98
        t = rng.random(50)
        F = best * np.column_stack([t, 1.0 - t]) + 0.5
        F[: len(sources)] -= 0.3 * np.array([[s == "cmix"] for s in sources]).reshape(-1, 1)
        infill.observe(rng.random((50, 6)), told(F))
    late = [s for record in infill.records[-15:] for s in record.sources]
    assert late.count("cmix") > 4 * late.count("differential")


def test_graft_keeps_its_guard_however_little_it_earns():
    infill = fed(ParetoJanus(sources=("graft", "differential"), guard=0.1, rng=1))
    rng, best = np.random.default_rng(5), 1.0
    for _ in range(60):
        sources = infill.propose(box_frame(6), 50).sources
        best *= 0.98
        t = rng.random(50)
        F = best * np.column_stack([t, 1.0 - t])
        F[: len(sources)] = 10.0
        infill.observe(rng.random((50, 6)), told(F))
    late = [s for record in infill.records[-20:] for s in record.sources]
    assert late.count("graft") == pytest.approx(0.1 * 50 * 20, rel=0.1)
    assert late.count("differential") < 0.02 * 50 * 20


def test_grafts_come_also_from_the_corners_of_the_box():
    infill = fed(ParetoJanus(sources=("graft",), fraction=1.0, adaptive=False, edge="reflect", rng=1))
    X = infill.propose(box_frame(6), 200).X
    corner = ((X == 0.0) | (X == 1.0)).any(axis=1)
    assert 0.04 < corner.mean() < 0.2  # leaps, half of the rows, do not stop at a bound
    free = Frame(np.zeros(6), 1.0, np.ones(6), np.full(6, -np.inf), np.full(6, np.inf))
    assert np.isfinite(infill.propose(free, 50).X).all()


def test_infill_waits_for_the_front_to_grow():
    def proposed(rows_on_the_front):
        t = np.linspace(0.0, 1.0, 100)
        F = np.column_stack([t, 1.0 - t])
        F[rows_on_the_front:] += 1.0
        infill = ParetoJanus(sources=("differential",), rng=1)
        infill.observe(np.random.default_rng(0).random((100, 6)), told(F))
        return len(infill.propose(box_frame(6), 100))

    few, half, all_of_them = (proposed(n) for n in (10, 50, 100))
    assert few == pytest.approx(half / 5, abs=1)
    assert half == all_of_them > 20


@pytest.mark.parametrize("edge", ["clip", "reflect"])
def test_rows_that_leave_the_box_come_back_as_the_edge_says(edge):
    infill = fed(ParetoJanus(sources=("random",), edge=edge, fraction=1.0, adaptive=False, rng=1))
    X = infill.propose(box_frame(6, centre=0.9), 50).X
    assert ((X >= 0.0) & (X <= 1.0)).all()
    assert (X == 1.0).any() == (edge == "clip")


def test_snapped_rows_are_front_rows_with_one_to_three_coordinates_on_a_bound():
    infill = fed(ParetoJanus(sources=("snap",), fraction=1.0, adaptive=False, rng=1))
    X = infill.propose(box_frame(6), 50).X
    moved = (X[:, None] != infill.front.X).sum(axis=2).min(axis=1)
    assert set(moved) == {1, 2, 3}
    np.testing.assert_array_equal(((X == 0.0) | (X == 1.0)).sum(axis=1), moved)


def quadratic_model(m=2, d=4, n=120, quadratic=True, seed=0):
    rng = np.random.default_rng(seed)
    X = 0.5 + 0.1 * rng.standard_normal((n, d))
    frame = Frame(np.full(d, 0.5), 1.0, np.full(d, 0.1), np.full(d, -9.0), np.full(d, 9.0))
    anchor = np.full(d, 0.8)
    model = local_model(frame, anchor, X, spheres(X, m), ridge=1e-6, quadratic=quadratic, work=Workspace())
    assert isinstance(model, LocalModel)
    return model, X


def test_a_local_model_explains_quadratics_and_knows_their_slopes():
    model, _ = quadratic_model()
    assert model.loo > 0.999
    for row, centre in zip(model.J, (0.2, 0.7), strict=True):
        slope = model.anchor - centre
        assert row @ slope / np.linalg.norm(row) / np.linalg.norm(slope) > 0.99


def test_z_maps_there_and_back():
    model, X = quadratic_model()
    np.testing.assert_allclose(model.to_x(model.to_z(X)), X)
    np.testing.assert_allclose(model.to_z(model.anchor[None]), 0.0)


def test_the_newton_step_improves_every_objective():
    model, _ = quadratic_model()
    made = newton(model, 5, np.random.default_rng(0))
    assert made.shape == (5, 4)
    assert nondominated(spheres(made)).all()
    assert (spheres(made[:1]) < spheres(model.anchor[None])).all()


def test_the_gauss_newton_step_improves_what_it_is_asked_to():
    model, _ = quadratic_model(quadratic=False)
    made = gn(model, np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), damping=0.1, kappa=1.0)
    before = spheres(model.anchor[None])[0]
    assert spheres(made)[0, 0] < before[0]
    assert spheres(made)[1, 1] < before[1]
    assert (spheres(made)[2] < before).all()
    assert (np.linalg.norm(model.to_z(made), axis=1) <= 2.0 + 1e-9).all()


def test_cmix_samples_keep_the_spread_and_avoid_the_steep_directions():
    model, _ = quadratic_model(quadratic=False)
    Z = model.to_z(cmix(model, 4000, 0.9, 1e-3 * float((model.J**2).sum()), np.random.default_rng(0)))
    assert (Z**2).sum(axis=1).mean() == pytest.approx(4.0, rel=0.1)
    steep = model.J[0] / np.linalg.norm(model.J[0])
    assert np.var(Z @ steep) < 0.5


def test_a_model_on_flat_values_is_refused():
    X = np.random.default_rng(0).random((20, 3))
    flat = np.column_stack([X[:, 0], np.zeros(20)])
    assert local_model(box_frame(3), X[0], X, flat, ridge=1e-3, quadratic=True, work=Workspace()) is None


def test_settings_are_checked():
    assert ParetoJanus(ParetoConfig.paper()).config.sources == ("gn", "cmix")
    for wrong in ({"fraction": 1.5}, {"sources": ()}, {"sources": ("magic",)}, {"window": 3}, {"edge": "wrap"}):
        with pytest.raises(InputError):
            ParetoJanus(**wrong)
    with pytest.raises(InputError, match="unknown setting 'fractoin'"):
        ParetoJanus(fractoin=0.1)
