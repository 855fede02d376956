"""White balance: angles as by hand, scenes by seed, others to validate on."""

from __future__ import annotations

import time

import numpy as np
import pytest

from janusopt.bench.suites import awb, build
from janusopt.bench.task import Task
from janusopt.errors import InputError


@pytest.fixture(scope="module")
def small():
    return build(Task("awb", "transfer", 119, 1))


def _naive_angles(camera, x):
    """Scene by scene, pixel by pixel."""
    entries = camera.side**2
    matrix = np.eye(3) + 0.1 * x[entries + camera.steps :][:9].reshape(3, 3)
    angles = []
    for scene, light in enumerate(camera.light):
        total, weights = np.zeros(3), 0.0
        for pixel, rgb in enumerate(camera.pixels[scene, :, :3]):
            luma, zone = divmod(int(camera.place[scene, pixel]), awb.ZONES)
            w = np.exp(x[camera.chroma[scene, pixel]] + x[entries + luma] + x[entries + camera.steps + 9 + zone])
            total, weights = total + w * rgb, weights + w
        white = light / np.maximum(matrix @ (total / weights), 1e-6)
        angles.append(np.degrees(np.arccos(white.sum() / (np.sqrt(3) * np.linalg.norm(white)))))
    return np.array(angles)


def test_angles_are_those_of_the_naive_pipeline(small):
    x = np.random.default_rng(0).normal(0.0, 0.5, 119)
    f, components = small.fun(x[None, :])
    few = 4
    camera = awb.WhiteBalance(
        9, 8, *(getattr(small.fun, name)[:few] for name in ("light", "pixels", "chroma", "place"))
    )
    assert components[0, :few] == pytest.approx(_naive_angles(camera, x), rel=1e-9)
    assert f[0] == pytest.approx(components.mean())


@pytest.mark.parametrize("dimension", [119, 1135])
def test_every_size_has_111_scenes_and_takes_less_than_a_millisecond(dimension):
    problem = build(Task("awb", "fit", dimension, 1))
    X = np.random.default_rng(0).uniform(problem.lower, problem.upper, (8, dimension))
    assert problem.fun(X)[1].shape == (8, 111)
    seconds = []
    for _ in range(8):
        start = time.perf_counter()
        problem.fun(X)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) / len(X) < 1e-3


def test_held_out_scenes_are_others_of_the_same_kind(small):
    x = np.zeros((1, 119))
    fitted, judged = small.fun(x)[0][0], small.judge(x)[0]
    assert fitted != judged
    assert 0.5 < fitted / judged < 2.0


def test_an_instance_is_the_same_every_time_and_unlike_the_next(small):
    again, other = build(Task("awb", "fit", 119, 1)), build(Task("awb", "fit", 119, 2))
    x = np.zeros((1, 119))
    assert np.array_equal(small.fun(x)[1], again.fun(x)[1])
    assert not np.allclose(small.fun(x)[1], other.fun(x)[1])
    assert again.judge is None


def test_a_camera_that_sees_only_the_light_has_no_error(small):
    camera = small.fun
    grey = np.concatenate([np.repeat(camera.light[:, None, :], 512, axis=1), np.ones((111, 512, 1))], axis=2)
    perfect = awb.WhiteBalance(camera.side, camera.steps, camera.light, grey, camera.chroma, camera.place)
    assert perfect(np.zeros((1, 119)))[0] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(("problem", "dimension"), [("fit", 120), ("test", 119)])
def test_a_size_or_problem_that_is_not_there_is_refused(problem, dimension):
    with pytest.raises(InputError, match=r"119|transfer"):
        build(Task("awb", problem, dimension, 1))
