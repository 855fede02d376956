"""The long window: against the dense twin, on a curvature that stands out, and on landscapes that change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reference
from cases import close, orthonormal
from janusopt.config import JanusConfig
from janusopt.core.atlas import fitted_rows
from janusopt.core.dual import Workspace
from janusopt.core.evaluations import Evaluations
from janusopt.core.evidence import partial_correlations
from janusopt.core.frame import Frame
from janusopt.core.hindsight import Hindsight, Stretch
from janusopt.hosts.pycma import PycmaHost
from janusopt.infills import make_infill
from janusopt.loop import Loop

D, SMALL, USUAL = 40, JanusConfig(window=60), JanusConfig(window=150)
STIFF = np.ones(D) / np.sqrt(D)


def owner(d=D, sigma=1.0, roots=None):
    free = np.full(d, np.inf)
    roots = np.ones(d) if roots is None else roots
    return Frame(np.zeros(d), sigma, np.ones(d), -free, free, np.eye(d), roots, owns_covariance=True, decomposes=True)


def spiked(X, height=1e4):
    return (X**2).sum(axis=1) + height * (X @ STIFF) ** 2 + X[:, 0]


def fed(frame, fun=spiked, rows=200, config=SMALL, seed=1):
    looking = Hindsight(config)
    X = frame.from_z(np.random.default_rng(seed).standard_normal((rows, frame.d)))
    looking.record(X, Evaluations(fun(X), np.zeros(rows, dtype=bool)))
    return looking


def dense(geometry):
    return (geometry.Vt.T * geometry.curvature) @ geometry.Vt


def test_a_stretch_is_its_matrix_and_keeps_the_mean_size():
    rng = np.random.default_rng(1)
    V, r = orthonormal(rng, 9, 3).T, np.array([1.5, 3.0, 10.0])
    S = Stretch(V, r)
    matrix = S(np.eye(9))
    Z = rng.standard_normal((5, 9))
    close(S(Z), Z @ matrix)
    assert np.trace(matrix @ matrix) == pytest.approx(9.0)
    close(matrix @ V.T, V.T * (r * S.s))
    plain = Stretch(np.empty((0, 9)), np.empty(0))
    assert plain.s == 1.0
    assert plain(Z) is Z


@pytest.mark.parametrize("stretched", [False, True])
def test_a_fit_is_the_dense_twins_in_stretched_coordinates(stretched, monkeypatch):
    frame = owner(12, sigma=0.3, roots=np.linspace(0.5, 2.0, 12))
    config = JanusConfig(window=20, ridge=1e-2)
    looking = fed(frame, lambda X: np.cos(X).sum(axis=1) + (X @ np.arange(12.0)) ** 2, rows=40, config=config)
    looking._work = Workspace()  # in float64
    V = orthonormal(np.random.default_rng(2), 12, 2).T if stretched else np.empty((0, 12))
    stretch = Stretch(V, np.array([2.0, 5.0]) if stretched else np.empty(0))
    monkeypatch.setattr(looking, "_stretch", lambda frame: stretch)
    geometry = looking.fit(frame, 0)
    window = looking._trace.window()
    rows, weights = fitted_rows(window.f, window.age, config.recency, 0.0)
    S = stretch(np.eye(12))
    twin = reference.Quadratic(frame.to_z(window.X[rows]) @ S, reference.heights(window.f[rows]), weights, 1e-2, 1.0)
    H = S @ twin.hessian() @ S
    close(dense(geometry), reference.absolute(H), rtol=1e-6)
    Z = np.random.default_rng(3).standard_normal((5, 12))
    close(looking._last(frame.from_z(Z), frame.mean), np.einsum("nd,de,ne->n", Z, H, Z), rtol=1e-6)


def test_what_stood_out_is_not_spread_over_the_rest_again():
    frame = owner()
    looking = fed(frame, rows=200, config=USUAL)
    errors = []
    for _ in range(3):
        H = dense(looking.fit(frame, 0))
        H /= STIFF @ H @ STIFF
        rest = np.eye(D) - np.outer(STIFF, STIFF)
        errors.append(np.linalg.norm(rest @ H @ rest))
    assert errors[2] < 0.5 * errors[0]


def test_what_is_handed_on_follows_the_hosts_shape():
    first = owner()
    looking = fed(first, rows=300, config=USUAL)
    for _ in range(3):
        looking.fit(first, 0)
    before = looking._stretch(first)
    same = looking._stretch(replace(first, sigma=7.0))
    close(same.r, before.r, rtol=1e-6)
    V = np.linalg.qr(np.column_stack([STIFF, np.eye(D)[:, 1:]]))[0]
    roots = np.ones(D)
    roots[0] = 0.5
    shrunk = looking._stretch(replace(first, basis=V, roots=roots))
    assert abs(before.V[-1] @ STIFF) > 0.99
    assert shrunk.r[-1] == pytest.approx(0.5 * before.r[-1], rel=0.1)
    roots[0] = 1e-3
    assert (looking._stretch(replace(first, basis=V, roots=roots)).r < 0.5 * before.r[-1]).all()
    roots[0] = np.inf
    assert len(looking._stretch(replace(first, basis=V, roots=roots)).r) == 0


def watched(changes):
    """Whether the long window came out better where the landscape stands still or ``changes``, and its uses."""
    frame, rng = owner(), np.random.default_rng(3)
    looking = Hindsight(SMALL)
    weights, used = np.logspace(0, 2, D), 0
    for generation in range(300):
        looking.look(frame, generation)
        if looking.better:
            used += looking.fit(frame, generation) is not None
        if changes and generation % 4 == 0:
            weights = rng.permutation(weights)
        X = frame.from_z(rng.standard_normal((15, D)))
        f = (X**2) @ weights
        truth = 0.5 if changes else 0.2  # what the short window scores
        for score in partial_correlations(f, looking.curved(X, frame.mean), np.empty((0, 15))):
            looking.score(score, truth)
        looking.record(X, Evaluations(f, np.zeros(15, dtype=bool)))
    return looking.better, used


def test_the_long_window_is_used_where_it_predicts_better():
    better, used = watched(changes=False)
    assert better
    assert used > 200


def test_it_is_looked_at_now_and_then_while_it_is_not_better_after_a_fit_for_eq_3_as_well(monkeypatch):
    frame = owner()
    looking, seen = fed(frame, rows=70), []
    fit = looking.fit

    def counted(frame, generation):
        seen.append(generation)
        return fit(frame, generation)

    monkeypatch.setattr(looking, "fit", counted)
    for generation in range(5, 90):
        looking.look(frame, generation)
        if generation == 52:
            looking.fit(frame, generation)
    assert seen == [5, 25, 45, 52, 72]


def test_and_not_used_where_it_does_not():
    better, used = watched(changes=True)
    assert not better
    assert used < 30  # before the scores were known


def test_nothing_is_fitted_before_it_has_more_rows_than_the_window_and_a_flat_one_has_no_fit():
    frame = owner()
    looking = fed(frame, rows=60)
    looking.look(frame, 100)
    assert looking._last is None
    flat = fed(frame, lambda X: np.ones(len(X)))
    assert flat.fit(frame, 0) is None
    assert not flat.better


@pytest.mark.parametrize(
    ("config", "frame"),
    [
        (JanusConfig(), owner(30)),  # the window knows most of the curvatures
        (JanusConfig(), owner(201)),  # twice the rows are still few
        (JanusConfig(cmix="off"), owner(100)),
        (JanusConfig(cmix="sample"), owner(100)),
        (JanusConfig(chart="linear"), owner(100)),
        (JanusConfig(weight_rule="dimension"), owner(100)),
        (JanusConfig(blocks=[range(100)]), owner(100)),
        (JanusConfig(), replace(owner(100), owns_covariance=False)),
        (JanusConfig(), replace(owner(100), basis=None, roots=None)),
    ],
)
def test_who_does_not_look_back(config, frame):
    assert Hindsight.of(config, frame) is None
    assert Hindsight.of(JanusConfig(), owner(100)) is not None


def run(components):
    d = 36
    box = np.full(d, 4.0)
    host = PycmaHost(np.full(d, 1.0), np.full(d, 0.5), -box, box, seed=3)
    infill = make_infill("janus", d=d, scalar=True, rng=np.random.default_rng(3))
    weights = np.logspace(0, 4, d)

    def evaluate(X):
        terms = X**2 * weights
        return Evaluations(terms.sum(axis=1), np.zeros(len(X), dtype=bool), terms if components else None)

    Loop(host, infill, evaluate, 3000, lambda *_: None).run()
    return infill


def test_a_run_on_a_quadratic_looks_back_and_says_so():
    infill = run(components=False)
    looked = [record for record in infill.records if record.looked_back]
    assert len(looked) >= 5  # of about fifteen chances: one reshape in ten generations, once the long window is full
    assert all(record.weight > 0.0 for record in looked)
    infill.restart()
    assert infill._hindsight is None


def test_observed_components_have_no_hindsight():
    infill = run(components=True)
    assert infill._hindsight is None
    assert not any(record.looked_back for record in infill.records)
