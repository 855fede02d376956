"""x ↔ z against the dense factor L."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, frames, seeds
from janusopt.core.frame import Frame


@given(frames(), seeds)
def test_every_map_of_a_frame_is_its_dense_factor(frame, seed):
    L = reference.factor(frame)
    V = np.random.default_rng(seed).standard_normal((4, frame.d))
    close(frame.color(V), V @ L.T)
    close(frame.pullback(V), V @ L)
    close(frame.whiten(V), np.linalg.solve(L, V.T).T)
    close(frame.covector(V), np.linalg.solve(L.T, V.T).T)


@given(frames(), seeds)
def test_to_z_and_from_z_undo_each_other(frame, seed):
    Z = np.random.default_rng(seed).standard_normal((4, frame.d))
    X = frame.from_z(Z)
    close(X, frame.mean + frame.sigma * Z @ reference.factor(frame).T)
    far = max(1.0, np.abs(X).max() / (frame.sigma * frame.scale.min()))  # digits that the mean's size takes away
    np.testing.assert_allclose(frame.to_z(X), Z, atol=1e-12 * far * 1e3)


@given(frames(), seeds, st.floats(0.1, 3.0))
def test_the_clip_is_the_dense_one(frame, seed, kappa):
    x = frame.mean + frame.sigma * frame.color(5.0 * np.random.default_rng(seed).standard_normal(frame.d))
    close(frame.clip(x, kappa), reference.clip(x, frame.mean, frame.sigma, reference.factor(frame), kappa), rtol=1e-6)


@given(frames(box=True), seeds)
def test_a_clipped_row_lies_in_the_box(frame, seed):
    rng = np.random.default_rng(seed)
    far = frame.from_z(100.0 * rng.standard_normal(frame.d))
    for x in (far, frame.clip(far, 0.1)):
        assert ((frame.lower <= x) & (x <= frame.upper)).all()
    assert frame.boxed


def test_a_row_within_the_clip_length_is_left_alone():
    frame = Frame(np.zeros(3), 1.0, np.ones(3), np.full(3, -np.inf), np.full(3, np.inf))
    x = np.array([1.0, 1.0, 0.5])
    np.testing.assert_array_equal(frame.clip(x, 1.0), x)
    assert not frame.boxed


@given(frames(), seeds, st.floats(0.1, 3.0))
def test_shortened_steps_keep_their_direction_and_fit_the_clip(frame, seed, kappa):
    z = 3.0 * np.random.default_rng(seed).standard_normal(frame.d)
    short = frame.shorten(z, kappa)
    length = np.linalg.norm(short)
    np.testing.assert_allclose(length, min(np.linalg.norm(z), kappa * np.sqrt(frame.d)))
    np.testing.assert_allclose(short / length, z / np.linalg.norm(z))
    np.testing.assert_array_equal(frame.shorten(np.zeros(frame.d), kappa), np.zeros(frame.d))


class Cube:
    """A warp for the tests: g = x³."""

    def inward(self, X):
        return np.asarray(X) ** 3

    def outward(self, G):
        return np.cbrt(G)


@given(frames(), seeds)
def test_with_a_warp_z_lives_in_the_hosts_coordinates(frame, seed):
    warped = replace(frame, warp=Cube(), lower=np.full(frame.d, -9.0), upper=np.full(frame.d, 9.0))
    X = np.random.default_rng(seed).uniform(-2.0, 2.0, (3, frame.d))
    close(warped.to_z(X), frame.to_z(X**3))
    np.testing.assert_allclose(warped.from_z(warped.to_z(X)), X, atol=1e-3)
    assert not warped.boxed


@given(frames())
def test_axes_keep_each_coordinates_own_deviation(frame):
    L = reference.factor(frame)
    axes = frame.axes()
    assert axes.basis is None
    close(axes.scale**2, np.diag(L @ L.T))
    assert axes.sigma == frame.sigma
