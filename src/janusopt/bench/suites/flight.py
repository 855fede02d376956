"""A flight: variables to a path over a terrain, and what the path costs.

    F = 5·J1 + J2 + 10·J3 + J4 + J5

J1 length over n + 1 segments, in absolute heights. J2 per threat and segment, d the plan distance to the axis:
0 beyond R + 11, R + 11 − d down to R + 1, 1e4 below. J3 Σ|z − 150| of the waypoints. J4 degrees beyond 45 of turn, and
of change of climb, at the waypoints. J5 1e4 if any of 12 samples a segment is at or under the ground.

Variables: r ≥ 0, ψ, φ per waypoint (spherical steps from the start, clipped to the map and to 100 … 200 above ground);
the last point is the goal. Ours: with more than ten waypoints, so that costs stay comparable, J3 and J4 count by
11/(n + 1) and J2 by eleven times a segment's share of the path's length in plan (by number a long segment through a
threat would cost next to nothing); components are sums over tenths of the path; and one more variable may set the
height from which climbs are counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.bench.suites.terrain import DANGER, SIZE, Terrain
from janusopt.core.arrays import Rows, Vec

CRASH = 1e4
LOW, CRUISE, HIGH = 100.0, 150.0, 200.0  # metres above ground
_SAMPLES = 12
_RESPECT = 10.0  # metres over the ground below which the ground's component grows
_SCALE = 50.0  # metres under that at which it is worth a crash


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """Paths of ``waypoints`` over a terrain; with ``cruise`` the last variable is the height that climbs start from."""

    terrain: Terrain
    waypoints: int
    cruise: bool = False

    @property
    def box(self) -> tuple[Vec, Vec]:
        """Lower and upper (d,)."""
        across = self.terrain.goal - self.terrain.start
        bearing, quarter = float(np.arctan2(across[1], across[0])), np.pi / 4.0
        reach = 2.0 * float(np.hypot(*across)) / self.waypoints
        lower = np.tile([0.0, -quarter, bearing - quarter], self.waypoints)
        upper = np.tile([reach, quarter, bearing + quarter], self.waypoints)
        return (np.append(lower, LOW), np.append(upper, HIGH)) if self.cruise else (lower, upper)

    def path(self, X: Rows) -> Rows:
        """Rows (k, d) as points (k, n + 2, 3) from start to goal: x, y, height above ground."""
        n = self.waypoints
        r, psi, phi = np.moveaxis(X[:, : 3 * n].reshape(len(X), n, 3), 2, 0)
        plan = r * np.cos(psi)
        moves = np.stack([plan * np.cos(phi), plan * np.sin(phi), r * np.sin(psi)], axis=2)
        P = np.empty((len(X), n + 2, 3))
        P[:, 0], P[:, -1] = [*self.terrain.start, CRUISE], [*self.terrain.goal, CRUISE]
        least, most = np.array([1.0, 1.0, LOW]), np.array([SIZE, SIZE, HIGH])
        here = P[:, 0].copy()
        if self.cruise:
            here[:, 2] = X[:, -1]
        for i in range(n):
            here = np.minimum(np.maximum(here + moves[:, i], least), most)
            P[:, i + 1] = here
        return P

    def __call__(self, X: Rows) -> tuple[Vec, Rows]:
        """Cost (k,) and components (k, m) of rows X (k, d); m = 42 + threats at ten waypoints, 41 + threats above.

        Components are the weighted terms of the cost, but for collisions: there a step has no slope, and the squared
        depth of penetration stands for it, 1e4 at the axis of a threat.
        """
        P = self.path(X)
        absolute = P[..., 2] + self.terrain.ground(P[..., 0], P[..., 1])
        D = np.diff(P[..., :2], axis=1)
        climb, plan = np.diff(absolute, axis=1), np.hypot(D[..., 0], D[..., 1])
        share = 11.0 / (self.waypoints + 1)
        length = 5.0 * np.hypot(plan, climb)
        heights = 10.0 * share * np.abs(P[:, 1:-1, 2] - CRUISE)
        turns, pitches = self._bends(D, plan, climb)
        bends = share * (turns + pitches)
        gap = self._gaps(P[:, :-1, :2], D)
        weight = self._weights(plan)[..., None]
        hits = (weight * np.where(gap < 1.0, CRASH, np.maximum(DANGER - gap, 0.0))).sum(axis=(1, 2))
        clearance = self._clearance(P, D, absolute, climb)
        crash = np.where(clearance.min(axis=(1, 2)) <= 0.0, CRASH, 0.0)
        f = length.sum(axis=1) + hits + heights.sum(axis=1) + bends.sum(axis=1) + crash
        radius = self.terrain.threats[:, 2] + DANGER
        inside = CRASH * (weight * (np.maximum(DANGER - gap, 0.0) / radius) ** 2).sum(axis=1)
        under = CRASH * (weight * (np.maximum(_RESPECT - clearance, 0.0) / _SCALE) ** 2).sum(axis=(1, 2))
        terms = (length, heights, share * turns, share * pitches)
        return f, np.hstack([*(_pooled(term) for term in terms), inside, under[:, None]])

    def _weights(self, plan: Vec) -> Rows:
        """(k, n + 1): what a collision of each segment counts, by its plan length (k, n + 1) beyond ten waypoints."""
        if self.waypoints <= 10:
            return np.full_like(plan, 11.0 / (self.waypoints + 1))
        return np.asarray(11.0 * plan / np.maximum(plan.sum(axis=1, keepdims=True), 1e-300))

    @staticmethod
    def _bends(D: Rows, plan: Vec, climb: Vec) -> tuple[Rows, Rows]:
        """Degrees beyond 45 of turn and of change of climb at each waypoint, (k, n) both."""
        before, after = D[:, :-1], D[:, 1:]
        cross = before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]
        turn = np.abs(np.arctan2(cross, (before * after).sum(axis=2)))
        pitch = np.abs(np.diff(np.arctan2(climb, plan), axis=1))
        return np.maximum(np.degrees(turn) - 45.0, 0.0), np.maximum(np.degrees(pitch) - 45.0, 0.0)

    def _gaps(self, P: Rows, D: Rows) -> Rows:
        """Plan distance of each segment (from P along D) to the wall of each threat (k, n + 1, threats)."""
        x, y, radius = self.terrain.threats.T
        dx, dy = x - P[..., 0, None], y - P[..., 1, None]
        ux, uy = D[..., 0, None], D[..., 1, None]
        t = np.clip((dx * ux + dy * uy) / np.maximum(ux * ux + uy * uy, 1e-300), 0.0, 1.0)
        return np.asarray(np.hypot(dx - t * ux, dy - t * uy) - radius)

    def _clearance(self, P: Rows, D: Rows, absolute: Vec, climb: Vec) -> Rows:
        """Height over the ground at 12 samples of each segment (k, n + 1, 12)."""
        t = np.arange(1, _SAMPLES + 1) / (_SAMPLES + 1)
        x, y = (P[:, :-1, i, None] + t * D[..., i, None] for i in (0, 1))
        return np.asarray(absolute[:, :-1, None] + t * climb[..., None] - self.terrain.ground(x, y))


def _pooled(terms: Rows) -> Rows:
    """Terms along the path (k, n or n + 1), more than 11 of them as ten sums of neighbours."""
    count = terms.shape[1]
    return terms if count <= 11 else np.add.reduceat(terms, np.arange(10) * count // 10, axis=1)
