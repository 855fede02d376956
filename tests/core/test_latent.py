"""The latent residual: found from a few rows a variable, against its naive twin, and not where there is none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import reference
from cases import close
from janusopt.core.latent import Residual, _solver, fit_latent, floors, polish, search

D = 40
A = np.random.default_rng(7).standard_normal(D) / np.sqrt(D)


def cloud(n=5 * D, seed=1, centre=0.0, spread=1.0):
    return centre + spread * np.random.default_rng(seed).standard_normal((n, D))


def spiked(X, height=1e4, offset=0.5):
    return 3.0 + height * (X @ A - offset) ** 2 + (X**2).sum(axis=1)


def alike(a, b):
    return abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.mark.parametrize("offset", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_five_rows_a_variable_find_the_stiff_direction(offset, seed):
    X = cloud(seed=seed)
    fit = fit_latent(X, spiked(X, offset=offset))
    assert alike(fit.residual.a, A) > 0.999
    assert np.corrcoef(np.abs(fit.residual(X)), np.abs(X @ A - offset))[0, 1] > 0.999
    assert fit.misfit < 0.1
    assert fit.doubt < 0.01


def test_a_single_squared_residual_is_found_in_a_few_rounds_to_three_digits():
    X, found = cloud(), None
    f = 2.0 + (X @ A - 0.3) ** 2
    for _ in range(6):
        found = fit_latent(X, f, found, cold=found is None).residual
    sign = np.sign(found.a @ A)
    close(sign * found.a, A, rtol=1e-3)
    assert sign * found.b == pytest.approx(-0.3, rel=1e-2)


def test_the_floor_may_fall_along_the_run():
    X = cloud()
    falling = 50.0 * np.linspace(1.0, 0.0, len(X)) ** 2
    fit = fit_latent(X, 100.0 * (X @ A) ** 2 + falling)
    assert alike(fit.residual.a, A) > 0.995


def test_a_start_is_refined_without_a_search(monkeypatch):
    X = cloud()
    monkeypatch.setattr("janusopt.core.latent.search", None)  # would raise
    near = Residual(100.0 * (A + 0.02 * np.random.default_rng(3).standard_normal(D)), -45.0)
    fit = fit_latent(X, spiked(X), near, cold=False)
    assert alike(fit.residual.a, A) > 0.9995 > alike(near.a, A)


def test_doubt_is_large_where_new_rows_vary_by_less_than_the_error():
    old = cloud(4 * D)
    new = cloud(D, seed=2)
    new -= np.outer(new @ A, A) / (A @ A) * 0.999
    rng = np.random.default_rng(4)
    X = np.concatenate([old, new])
    f = spiked(X, offset=0.0) * (1.0 + 0.3 * rng.standard_normal(len(X)))
    fit = fit_latent(X, f, Residual(100.0 * A, 0.0), cold=False)
    wide = fit_latent(cloud(), spiked(cloud(), offset=0.0), Residual(100.0 * A, 0.0), cold=False)
    assert fit.doubt > 10.0 * wide.doubt


def test_least_squares_are_the_naive_twins():
    rng = np.random.default_rng(5)
    design, weights, target = rng.standard_normal((30, 6)), rng.uniform(0.1, 2.0, 30), rng.standard_normal(30)
    solve, _ = _solver(design, weights, 1e-2)
    close(solve(target), reference.ridge_solution(design, weights, target, 1e-2), rtol=1e-9)


def test_polishing_a_residual_that_fits_changes_it_by_the_ridge_only():
    X = cloud()
    design = np.append(X, np.ones((len(X), 1)), axis=1)
    right = np.append(2.0 * A, -0.6)
    v, misfit, _ = polish(design, np.square(design @ right), right)
    close(v, right, rtol=3e-3)
    assert misfit < 0.02


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_search_gives_up_where_many_directions_matter(seed):
    X = cloud(seed=seed)
    design = np.append(X, np.ones((len(X), 1)), axis=1).astype(np.float32)
    for f in ((X**2).sum(axis=1), (X**2) @ np.logspace(0, 3, D)):
        assert search(design, f - f.min()) is None
        assert fit_latent(X, f) is None


@pytest.mark.parametrize(
    "f",
    [
        np.zeros(200),
        np.append(np.zeros(150), np.ones(50)),
        np.append(np.zeros(50), np.full(150, 1e300)),
        np.resize([-1.7e308, 1.7e308], 200),
    ],
    ids=["flat", "half flat", "huge", "the largest"],
)
def test_a_window_that_cannot_carry_a_fit_gives_none(f):
    assert fit_latent(cloud(), f) is None
    assert fit_latent(np.ones((200, D)), np.arange(200.0)) is None


def test_repeated_rows_do_no_harm():
    X = np.repeat(cloud(20), 10, axis=0)
    fit_latent(X, spiked(X))
    X = cloud()
    X[:, 3] = 1.0
    assert fit_latent(X, spiked(X)).residual.a.shape == (D,)


def test_a_floor_is_below_its_own_block_and_the_next():
    f = np.random.default_rng(8).uniform(size=107)
    low = floors(f, 20)
    assert (low <= f).all()
    blocks = np.array_split(np.arange(107), 5)
    for here, following in pairwise(blocks):
        assert (low[here] == f[np.concatenate([here, following])].min()).all()
    assert (low[blocks[-1]] == f[blocks[-1]].min()).all()
    assert (floors(f[:7], 20) == f[:7].min()).all()
