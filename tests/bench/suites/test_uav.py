"""UAV paths cost what the formulas say, over terrains that are the same everywhere and can be flown."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import numpy as np
import pytest

from janusopt.bench.suites import build, terrain, uav
from janusopt.bench.suites.flight import Flight
from janusopt.bench.suites.terrain import Terrain
from janusopt.bench.task import Task
from janusopt.errors import InputError


def _hills(threats):
    """A small analytic stand-in for a relief: no test but those of the generator needs the real one."""
    y, x = np.mgrid[1:901, 1:901]
    heights = (100.0 + 60.0 * np.sin(x / 70.0) * np.cos(y / 50.0)).astype(np.float32)
    return Terrain(heights, np.array(threats), np.array([100.0, 120.0]), np.array([800.0, 780.0]))


HILLS = _hills([[300.0, 320.0, 70.0], [520.0, 500.0, 85.0], [650.0, 700.0, 60.0]])
EMPTY = _hills([[450.0, 30.0, 60.0]])


def _ground(land, x, y):
    column, row = min(max(x - 1.0, 0.0), 898.999), min(max(y - 1.0, 0.0), 898.999)
    j, i = int(column), int(row)
    u, v, (a, b, c, d) = column - j, row - i, map(float, land.heights[i : i + 2, j : j + 2].ravel())
    return (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * c + u * d)


def _naive_path(flight, x):
    land, n = flight.terrain, flight.waypoints
    points, here = [(*land.start, 150.0)], [*land.start, x[-1] if flight.cruise else 150.0]
    for i in range(n):
        r, psi, phi = x[3 * i : 3 * i + 3]
        step = (r * math.cos(psi) * math.cos(phi), r * math.cos(psi) * math.sin(phi), r * math.sin(psi))
        limits = ((1, 900), (1, 900), (100, 200))
        here = [min(max(a + b, low), high) for a, b, (low, high) in zip(here, step, limits, strict=True)]
        points.append(tuple(here))
    return [*points, (*land.goal, 150.0)]


def _distance(p, q, centre):
    ux, uy, dx, dy = q[0] - p[0], q[1] - p[1], centre[0] - p[0], centre[1] - p[1]
    square = ux * ux + uy * uy
    t = 0.0 if square == 0.0 else min(max((dx * ux + dy * uy) / square, 0.0), 1.0)
    return math.hypot(dx - t * ux, dy - t * uy)


def _turn(p, q, r):
    a, b = (q[0] - p[0], q[1] - p[1]), (r[0] - q[0], r[1] - q[1])
    return abs(math.degrees(math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])))


def naive_cost(flight, x):
    """F = 5 J1 + J2 + 10 J3 + J4 + J5, one term after the other."""
    land, share = flight.terrain, 11 / (flight.waypoints + 1)
    points = _naive_path(flight, x)
    solid = [(px, py, pz + _ground(land, px, py)) for px, py, pz in points]
    pairs = list(pairwise(solid))
    J1 = sum(math.dist(p, q) for p, q in pairs)
    J2, whole = 0.0, sum(math.dist(p[:2], q[:2]) for p, q in pairs)
    for p, q in pairs:
        weight = 11 * math.dist(p[:2], q[:2]) / whole if flight.waypoints > 10 else share
        for *centre, R in land.threats:
            d = _distance(p, q, centre)
            J2 += weight * (0.0 if d > R + 11 else R + 11 - d if d >= R + 1 else 1e4)
    J3 = sum(abs(z - 150) for _, _, z in points[1:-1])
    climbs = [math.degrees(math.atan2(q[2] - p[2], math.hypot(q[0] - p[0], q[1] - p[1]))) for p, q in pairs]
    J4 = sum(max(_turn(*solid[i : i + 3]) - 45, 0) for i in range(len(pairs) - 1))
    J4 += sum(max(abs(b - a) - 45, 0) for a, b in pairwise(climbs))
    samples = [[p[k] + t / 13 * (q[k] - p[k]) for k in range(3)] for p, q in pairs for t in range(1, 13)]
    J5 = 1e4 if any(z <= _ground(land, px, py) for px, py, z in samples) else 0.0
    return 5 * J1 + J2 + share * (10 * J3 + J4) + J5


def test_a_long_way_through_a_threat_costs_as_much_with_many_waypoints_as_with_few():
    threat = np.array([[450.0, 450.0, 80.0]])
    land = Terrain(EMPTY.heights, threat, np.array([100.0, 100.0]), np.array([800.0, 800.0]))
    costs = []
    for waypoints in (10, 378):
        flight = Flight(land, waypoints)
        bunched = np.tile([0.0, 0.0, np.pi / 4.0], waypoints)  # all waypoints at the start, one segment to the goal
        costs.append(float(flight(bunched[None])[0][0]))
    assert min(costs) > 1e4


@pytest.mark.parametrize(("waypoints", "cruise"), [(10, False), (24, True), (1, False)])
def test_the_vectorized_cost_is_the_naive_one(waypoints, cruise):
    flight = Flight(HILLS, waypoints, cruise)
    lower, upper = flight.box
    X = np.random.default_rng(3).uniform(lower, upper, (40, len(lower)))
    X[:5, ::3] = 0.0  # waypoints on top of each other
    f, _ = flight(X)
    assert f == pytest.approx([naive_cost(flight, x) for x in X], rel=1e-10)


def test_a_clear_path_costs_the_sum_of_its_components():
    flight = Flight(EMPTY, 10)
    lower, upper = flight.box
    straight = np.tile([np.hypot(700.0, 660.0) / 11, 0.0, (lower[2] + upper[2]) / 2], 10)
    X = straight + np.random.default_rng(0).normal(0.0, [2.0, 0.05, 0.05] * 10, (20, 30))
    f, components = flight(X)
    assert f.max() < 1e4
    assert f == pytest.approx(components.sum(axis=1))
    assert components.shape == (20, 11 + 10 + 20 + 1 + 1)


def test_the_component_of_a_threat_grows_without_steps_from_the_edge_of_its_danger_zone():
    land = _hills([[450.0, 450.0, 70.0]])
    flight = Flight(land, 1)
    aims = np.linspace(0.0, 0.6, 400)
    bearing = flight.box[0][2] + np.pi / 4
    f, components = flight(np.column_stack([np.full(400, 480.0), np.zeros(400), bearing + aims]))
    inside = components[:, -2]
    assert np.abs(np.diff(f)).max() > 5e3
    assert np.abs(np.diff(inside)).max() < 0.05 * inside.max()
    assert np.all(np.diff(inside) <= 1e-9)
    assert inside[-1] == 0.0


def test_flying_into_a_hill_costs_a_crash_and_shows_its_depth():
    y, x = np.mgrid[1:901, 1:901]
    wall = np.where(np.abs(x + y - 900) < 60, 900.0, 0.0).astype(np.float32)
    flight = Flight(Terrain(wall, EMPTY.threats, EMPTY.start, EMPTY.goal), 10)
    x0 = np.tile([0.0, 0.0, flight.box[0][2] + np.pi / 4], 10)[None, :]
    f, components = flight(x0)
    assert components[0, -1] > 1e4
    assert f[0] - components[0, :-1].sum() == pytest.approx(1e4)


def test_a_path_takes_at_most_a_fifth_of_a_millisecond(capsys):
    flight = Flight(_hills(np.random.default_rng(0).uniform(60, 850, (30, 3)) * [1, 1, 0.1]), 10)
    X = np.random.default_rng(1).uniform(*flight.box, (14, 30))

    def seconds():
        start = time.perf_counter()
        flight(X)
        return time.perf_counter() - start

    best = min(seconds() for _ in range(30)) / len(X)
    with capsys.disabled():
        print(f" {1e3 * best:.3f} ms a path", end="")
    assert best < 2e-4


def test_every_terrain_has_a_clear_route_and_clear_ends(monkeypatch):
    monkeypatch.setattr(terrain, "relief", lambda seed: np.zeros((900, 900), np.float32))
    terrain.terrain.cache_clear()
    for name in uav.TERRAINS:
        land = uav.flight(name, 30).terrain
        assert len(land.threats) == (15 if uav.TERRAINS.index(name) < 28 else 30)
        assert np.all((land.threats[:, 2] >= 60.0) & (land.threats[:, 2] <= 90.0))
        for end in (land.start, land.goal):
            gap = np.hypot(*(land.threats[:, :2] - end).T) - land.threats[:, 2]
            assert gap.min() > 11.0
        assert terrain._passable(land.threats, land.start, land.goal)
    terrain.terrain.cache_clear()


def test_a_wall_of_threats_is_not_passable():
    wall = np.array([[x, 900.0 - x, 90.0] for x in range(0, 901, 60)], dtype=float)
    assert not terrain._passable(wall, np.array([100.0, 100.0]), np.array([800.0, 800.0]))


def test_a_relief_is_the_same_on_every_machine():
    """To the centimetre, here and wherever this runs."""
    heights = terrain.relief(2)
    assert heights.shape == (900, 900)
    assert heights[[0, 123, 450, 899], [0, 456, 450, 899]] == pytest.approx(PINNED, abs=0.011)


PINNED = [919.14, 493.79, 453.75, -817.32]


def test_both_published_and_large_paths_build_with_their_components():
    for dimension, m in ((30, 57), (1135, 56)):
        problem = build(Task("uav", "t03", dimension, 1))
        f, components = problem.fun(np.random.default_rng(0).uniform(problem.lower, problem.upper, (3, dimension)))
        assert problem.d == dimension
        assert f.shape == (3,)
        assert components.shape == (3, m)
        assert components.min() >= 0.0


def test_odd_terrains_are_held_out_with_maps_that_tuning_never_sees():
    assert uav.HELD_OUT[:2] == ("t01", "t03")
    assert len(uav.HELD_OUT) == len(uav.TUNING) == 28

    def maps(names):
        return {uav.TERRAINS.index(name) % uav.MAPS for name in names}

    assert not maps(uav.HELD_OUT) & maps(uav.TUNING)


@pytest.mark.parametrize(("name", "dimension"), [("t57", 30), ("t01", 32), ("t01", 2)])
def test_a_terrain_or_size_that_is_not_there_is_refused(name, dimension):
    with pytest.raises(InputError, match=r"t01|3n"):
        uav.flight(name, dimension)
