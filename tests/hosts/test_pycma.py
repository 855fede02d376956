"""pycma behind the contract, with its three samplers."""

from __future__ import annotations

import pickle

import cma
import numpy as np
import pytest
from cma.restricted_gaussian_sampler import GaussVkDSampler
from hypothesis import given
from hypothesis import strategies as st

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.metric import Metric
from janusopt.errors import InputError
from janusopt.hosts.pycma import Fold, Normal, PycmaHost
from janusopt.testing import Bounds, HostConformance

SAMPLERS = ("full", "diagonal", "vkd")
NOTHING = np.empty((0, 5))


def make(d=5, seed=1, half=5.0, **options):
    return PycmaHost(np.zeros(d), np.ones(d), np.full(d, -half), np.full(d, half), seed=seed, **options)


def sphere(X: Rows) -> Evaluations:
    return Evaluations(((X - 1.0) ** 2).sum(axis=1), np.zeros(len(X), dtype=bool))


def advanced(host, generations=5):
    for _ in range(generations):
        X = host.ask(np.empty((0, host.frame().d)))
        host.tell(X, sphere(X))
    return host


class PycmaConformance(HostConformance):
    sampler = "full"

    def make_host(self, seed: int, bounds: Bounds | None) -> PycmaHost:
        d = self.dimension
        lower, upper = bounds if bounds is not None else (np.full(d, -np.inf), np.full(d, np.inf))
        return PycmaHost(np.zeros(d), np.full(d, 1.5), lower, upper, seed=seed, sampler=self.sampler)

    def options(self, seed: int) -> dict[str, object]:
        """pycma's own options for the same start and stream."""
        lower, upper = self.box
        randn = Normal(np.random.SeedSequence(seed))
        chosen = {"seed": np.nan, "randn": randn, "verbose": -9, "verb_log": 0, "bounds": [list(lower), list(upper)]}
        if self.sampler == "diagonal":
            chosen["CMA_diagonal"] = True
        if self.sampler == "vkd":
            chosen |= GaussVkDSampler.extend_cma_options({"CMA_sampler_options": {"randn": randn}})
        return chosen

    def bare_run(self, seed: int, generations: int) -> list[Rows]:
        """``cma.CMAEvolutionStrategy`` as its own documentation drives it."""
        es = cma.CMAEvolutionStrategy(np.zeros(self.dimension), 1.5, self.options(seed))
        run = []
        for _ in range(generations):
            X = es.ask()
            es.tell(X, self.objective(np.array(X)).tolist())
            run.append(np.array(X))
        return run


class TestFull(PycmaConformance):
    sampler = "full"


class TestDiagonal(PycmaConformance):
    sampler = "diagonal"


class TestVkD(PycmaConformance):
    sampler = "vkd"


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_frame_is_the_strategys_own_distribution(sampler):
    host = make(sampler=sampler)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((5, 5)))[0]
    for _ in range(80):
        X = host.ask(NOTHING)
        f = ((X @ turn) ** 2) @ np.array([1.0, 1.0, 1.0, 1.0, 1e4])
        host.tell(X, Evaluations(f, np.zeros(len(X), dtype=bool)))
    es, frame = host.strategy, host.frame()
    width = es.sigma * np.asarray(es.sigma_vec.scaling) * np.ones(5)
    root = width[:, None] * np.array([es.sm.transform(unit) for unit in np.eye(5)]).T  # what pycma samples with
    Lt = frame.sigma * frame.color(np.eye(5))
    np.testing.assert_allclose(Lt.T @ Lt, root @ root.T, rtol=1e-6, atol=1e-9 * np.trace(root @ root.T))
    assert sampler != "vkd" or frame.basis is not None
    np.testing.assert_array_equal(frame.mean, es.mean)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_far_infill_row_is_clipped_to_the_hosts_own_length(sampler):
    host = advanced(make(half=1e6, sampler=sampler))
    frame = host.frame()
    X = host.ask(np.full((1, 5), 1e5))
    assert frame.length(X[0]) == pytest.approx(frame.reach * np.sqrt(5), rel=1e-6)
    toward = frame.whiten(np.full(5, 1e5) - frame.mean)
    z = frame.to_z(X[0])
    np.testing.assert_allclose(z / np.linalg.norm(z), toward / np.linalg.norm(toward), atol=1e-4)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_infill_does_not_move_the_hosts_stream(sampler):
    bare, filled = advanced(make(sampler=sampler)), advanced(make(sampler=sampler))
    X, Y = bare.ask(NOTHING), filled.ask(filled.frame().from_z(np.full((1, 5), 0.1)))
    np.testing.assert_allclose(Y[1:], X[: len(Y) - 1], rtol=1e-9)
    assert not np.array_equal(X[0], Y[0])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_row_on_the_mean_itself_is_survived(sampler):
    host = advanced(make(sampler=sampler))
    for _ in range(5):
        X = host.ask(host.frame().from_z(np.zeros((2, 5))))
        host.tell(X, sphere(X))
    assert np.isfinite(host.ask(NOTHING)).all()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_each_coordinate_starts_with_its_own_deviation_inside_unequal_sides(sampler):
    lower, upper = np.array([0.0, -10.0, -1e3]), np.array([1.0, 10.0, 1e3])
    sigma0 = 0.2 * (upper - lower)
    host = PycmaHost((lower + upper) / 2.0, sigma0, lower, upper, seed=1, sampler=sampler)
    frame = host.frame().axes()
    np.testing.assert_allclose(frame.sigma * frame.scale, sigma0, rtol=1e-3)  # pycma keeps eigenvalues apart
    for _ in range(20):
        X = host.ask(host.frame().from_z(np.full((1, 3), 0.4)))
        assert ((lower <= X) & (upper >= X)).all()
        host.tell(X, Evaluations(((X / sigma0) ** 2).sum(axis=1), np.zeros(len(X), dtype=bool)))


def test_bounds_may_be_one_sided_or_missing_coordinate_by_coordinate():
    lower, upper = np.array([0.0, -np.inf, -np.inf, -1.0]), np.array([np.inf, 0.0, np.inf, 1.0])
    host = PycmaHost(np.array([1.0, -1.0, 0.0, 0.0]), np.ones(4), lower, upper, seed=3)
    for _ in range(40):
        frame = host.frame()
        X = host.ask(frame.from_z(np.full((1, 4), -0.5)))
        assert ((lower <= X) & (upper >= X)).all()
        np.testing.assert_allclose(frame.from_z(frame.to_z(X)), X, atol=1e-6)
        host.tell(X, Evaluations((X * [1.0, -1.0, 1.0, 1.0]).sum(axis=1) + X[:, 2] ** 2, np.zeros(len(X), dtype=bool)))


box_sides = st.tuples(st.floats(-5.0, 5.0), st.floats(0.1, 20.0)).map(lambda t: (t[0], t[0] + t[1]))


def transform(sides):
    lower, upper = zip(*sides, strict=True)
    handler = cma.boundary_handler.BoundTransform([list(lower), list(upper)])
    handler.bounds_tf.initialize(len(sides))
    return handler, np.array(lower), np.array(upper)


@given(st.lists(box_sides, min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_the_genotype_of_a_point_is_pycmas_own_inverse(sides, seed):
    handler, lower, upper = transform(sides)
    X = np.random.default_rng(seed).uniform(lower, upper, (6, len(lower)))
    X[0], X[1] = lower, upper
    fold = Fold(handler.bounds_tf, (lower + upper) / 2.0)
    np.testing.assert_allclose(fold.inward(X), [handler.inverse(x) for x in X], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fold.inward(X[2]), handler.inverse(X[2]), rtol=1e-9, atol=1e-9)


@given(st.lists(box_sides, min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_a_genotype_maps_back_to_its_point_in_whatever_copy_of_the_box_the_mean_is(sides, seed):
    handler, lower, upper = transform(sides)
    rng = np.random.default_rng(seed)
    mean = rng.uniform(lower - 3.0 * (upper - lower), upper + 3.0 * (upper - lower))
    fold = Fold(handler.bounds_tf, mean)
    X = rng.uniform(lower, upper, (6, len(lower)))
    G = fold.inward(X)
    np.testing.assert_allclose(fold.outward(G), X, atol=1e-6 * (upper - lower).max())
    np.testing.assert_allclose([handler.repair(g) for g in G], X, atol=1e-6 * (upper - lower).max())
    own = handler.bounds_tf
    width = (own._ub + own._au) - (own._lb - own._al)
    assert (np.abs(G - mean) <= width * (1 + 1e-9)).all()


@pytest.mark.parametrize("upper", [5.0, np.inf])
def test_the_fold_is_the_same_object_while_the_mean_stays_in_its_copy_of_the_box(upper):
    host = PycmaHost(np.zeros(3), np.ones(3), np.full(3, -5.0), np.full(3, upper), seed=1)
    first = host.frame()
    advanced(host, 2)
    assert host.frame().warp is first.warp
    host.strategy.mean[0] = -30.0
    host.refresh()
    away = host.frame()
    assert away.warp is not first.warp
    assert away.shape_id != first.shape_id


def test_reshape_keeps_c_b_and_d_consistent():
    host = advanced(make(), 20)
    sm = host.strategy.sm
    rng = np.random.default_rng(1)
    for _ in range(5):
        V = np.linalg.qr(rng.standard_normal((5, 2)))[0]
        before = float(np.trace(sm.C))
        host.reshape(Metric(V, np.array([5.0, 0.1]), 1.0), 0.4)
        np.testing.assert_allclose(np.trace(sm.C), before, rtol=1e-9)
        np.testing.assert_allclose((sm.B * sm.D**2) @ sm.B.T, sm.C, atol=1e-12 * before)
        np.testing.assert_allclose(sm.B.T @ sm.B, np.eye(5), atol=1e-12)
        assert (np.diff(sm.D) >= 0).all()
        assert sm.D.min() > 0
    advanced(host, 20)


def test_reshape_is_eq_3_where_its_limits_do_not_bind():
    host = advanced(make(), 20)
    host.reshape(Metric(np.eye(5, 1), np.ones(1), 1.0), 0.5)
    sm = host.strategy.sm
    V = np.linalg.qr(np.random.default_rng(1).standard_normal((5, 2)))[0]
    root, C = sm.B * sm.D, sm.C.copy()
    T = root @ (np.eye(5) + V @ np.diag([0.5, -0.3]) @ V.T) @ root.T  # T in x, given in whitened coordinates
    host.reshape(Metric(V, np.array([1.5, 0.7]), 1.0), 0.4)
    unit = (3.0 + 1.5 + 0.7) / 5.0
    expected = 0.6 * C + 0.4 / unit * T
    np.testing.assert_allclose(sm.C, expected * np.trace(C) / np.trace(expected), rtol=1e-9, atol=1e-12)


def test_a_strategy_of_vkd_is_never_reshaped():
    host = advanced(make(sampler="vkd"))
    before = pickle.dumps(host.strategy.sm)
    host.reshape(Metric(np.eye(5, 1), np.array([9.0]), 1.0), 0.5)
    assert pickle.dumps(host.strategy.sm) == before
    assert not host.frame().owns_covariance


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_restart_doubles_the_population_elsewhere_on_a_stream_of_its_own(sampler):
    host = advanced(make(sampler=sampler))
    once, twice = host.restarted(2.0), host.restarted(2.0)
    assert once.rows == 2 * host.rows
    assert not np.array_equal(once.frame().mean, twice.frame().mean)
    assert not np.array_equal(once.ask(NOTHING), twice.ask(NOTHING))
    other = advanced(make(sampler=sampler)).restarted(2.0)
    np.testing.assert_array_equal(other.frame().mean, make(sampler=sampler).restarted(2.0).frame().mean)
    assert once.restarted(2.0).rows == 4 * host.rows


def test_a_restart_without_a_box_starts_at_x0_again_and_keeps_the_users_options():
    free = np.full(3, np.inf)
    host = PycmaHost(np.ones(3), np.ones(3), -free, free, seed=1, options={"popsize": 10, "CMA_active": False})
    fresh = host.restarted(2.0)
    np.testing.assert_array_equal(fresh.frame().mean, np.ones(3))
    assert fresh.rows == 20
    assert not fresh.strategy.opts["CMA_active"]


def test_a_strategy_of_somebody_else_can_be_wrapped_and_does_not_restart():
    es = cma.CMAEvolutionStrategy(5 * [0.5], 0.3, {"bounds": [0, 1], "verbose": -9, "seed": 3})
    host = PycmaHost.wrap(es)
    frame = host.frame()
    np.testing.assert_array_equal(frame.lower, 0.0)
    np.testing.assert_array_equal(frame.upper, 1.0)
    assert host.ask(NOTHING).shape == (es.popsize, 5)
    assert host.restarted(2.0) is None


def test_a_strategy_with_integers_or_fixed_variables_offers_no_slot():
    es = cma.CMAEvolutionStrategy(5 * [0.5], 0.3, {"integer_variables": [1], "verbose": -9, "seed": 3})
    assert PycmaHost.wrap(es).slots == 0
    assert make().slots > 0


def test_failed_rows_are_told_as_worse_than_everything_so_far():
    host = make()
    X = host.ask(NOTHING)
    host.tell(X, Evaluations(np.full(len(X), 1e6), np.zeros(len(X), dtype=bool)))
    X = host.ask(NOTHING)
    failed = np.arange(len(X)) == 2
    host.tell(X, Evaluations(np.where(failed, np.nan, 1.0 + np.arange(len(X))), failed))
    assert 1e6 < max(host.strategy.fit.fit) < 2e6


def test_a_single_coordinate_in_a_box_works_although_pycma_cannot_limit_its_deviation():
    for seed in range(10):
        host = PycmaHost(np.array([0.9]), np.array([0.6]), np.array([-1.0]), np.array([1.0]), seed=seed)
        for _ in range(15):
            X = host.ask(np.empty((0, 1)))
            host.tell(X, Evaluations(-X[:, 0], np.zeros(len(X), dtype=bool)))


def test_a_lone_long_coordinate_is_shortened_to_what_the_diagonal_update_can_bear(recwarn):
    d = 100
    host = make(d=d, half=np.inf, sampler="diagonal")
    row = np.zeros((1, d))
    row[0, 3] = 9.5  # standard deviations, within the clip length of 10
    X = host.ask(row)
    assert X[0, 3] == pytest.approx(7.0)
    assert make(d=d, half=np.inf).ask(row)[0, 3] == pytest.approx(9.5)
    host.tell(X, Evaluations(-X[:, 3], np.zeros(len(X), dtype=bool)))
    assert not [str(warning.message) for warning in recwarn]


def test_a_sampler_without_a_name_here_is_refused():
    with pytest.raises(InputError, match="'full', 'diagonal' or 'vkd', got 'fancy'"):
        make(sampler="fancy")


def test_the_users_options_win():
    assert make(options={"popsize": 17, "tolx": 1e-3}).strategy.opts["tolx"] == 1e-3
    assert make(options={"popsize": 17}).rows == 17


@given(st.integers(0, 2**31), st.sampled_from(SAMPLERS), st.floats(0.01, 30.0), st.integers(0, 8))
def test_what_pycma_is_given_is_within_the_clip_in_its_own_coordinates_whichever_copy_its_mean_is_in(
    seed, sampler, sigma, generations
):
    """A mean outside the box, beyond several copies of it, happens with steps as wide as the box."""
    host = PycmaHost(
        np.full(4, 0.9), np.full(4, sigma), np.full(4, -1.0), np.full(4, 1.0), seed=seed, sampler=sampler
    )  # fmt: skip
    advanced(host, generations)
    frame = host.frame()
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 4))
    host.inject(X)
    given_rows = np.array(host.strategy.pop_injection_solutions)
    Z = frame.whiten(given_rows - frame.mean) / frame.sigma
    assert len(Z) == 3
    assert np.all(np.linalg.norm(Z, axis=1) <= frame.reach * np.sqrt(4) * (1 + 1e-9))
