"""Classical fits of a curve to data: rows X (n, d) to residuals (n, m), as in Moré, Garbow and Hillstrom (1981)."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows

_BARD = [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39]
_KOWALIK = [0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246]
_KOWALIK_U = [4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625]
_MEYER = [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872]
_GAUSSIAN = [0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989]
_OSBORNE_1 = [
    0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603,
    0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411,
    0.406,
]  # fmt: skip
_OSBORNE_2 = [
    1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655, 0.616, 0.606,
    0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.500, 0.423,
    0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668,
    0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098,
    0.054,
]  # fmt: skip


def bard(X: Rows) -> Rows:
    """y − (x_1 + u/(v x_2 + w x_3)), u = i, v = 16 − i, w = min(u, v)."""
    u = np.arange(1.0, 16.0)
    v = 16.0 - u
    below = X[:, 1:2] * v + X[:, 2:] * np.minimum(u, v)
    return np.asarray(_BARD - (X[:, :1] + u / _apart(below)))


def _apart(divisor: Rows) -> Rows:
    """A divisor that a corner of the box may bring to zero, kept 1e-6 away from it."""
    return np.where(np.abs(divisor) < 1e-6, np.copysign(1e-6, divisor), divisor)


def kowalik_osborne(X: Rows) -> Rows:
    """y − x_1 u(u + x_2)/(u(u + x_3) + x_4)."""
    u = np.array(_KOWALIK_U)
    a, b, c, d = X.T[:, :, None]
    return np.asarray(_KOWALIK - a * u * (u + b) / _apart(u * (u + c) + d))


def meyer(X: Rows) -> Rows:
    """x_1 exp(x_2/(t + x_3)) − y, t = 45 + 5i."""
    return np.asarray(X[:, :1] * np.exp(X[:, 1:2] / (45.0 + 5.0 * np.arange(1, 17) + X[:, 2:])) - _MEYER)


def box(X: Rows) -> Rows:
    """exp(−t x_1) − exp(−t x_2) − x_3(exp(−t) − exp(−10t)), t = i/10."""
    t = np.arange(1.0, 11.0) / 10.0
    return np.asarray(np.exp(-t * X[:, :1]) - np.exp(-t * X[:, 1:2]) - X[:, 2:] * (np.exp(-t) - np.exp(-10.0 * t)))


def jennrich_sampson(X: Rows) -> Rows:
    """2 + 2i − exp(i x_1) − exp(i x_2)."""
    i = np.arange(1.0, 11.0)
    return np.asarray(2.0 + 2.0 * i - np.exp(i * X[:, :1]) - np.exp(i * X[:, 1:]))


def osborne_1(X: Rows) -> Rows:
    """y − (x_1 + x_2 exp(−t x_4) + x_3 exp(−t x_5)), t = 10(i − 1)."""
    t = 10.0 * np.arange(33)
    a, b, c, d, e = X.T[:, :, None]
    return np.asarray(_OSBORNE_1 - (a + b * np.exp(-t * d) + c * np.exp(-t * e)))


def osborne_2(X: Rows) -> Rows:
    """y minus a decay and three bells, t = (i − 1)/10."""
    t = np.arange(65) / 10.0
    x = X.T[:, :, None]
    bells = sum(x[i] * np.exp(-((t - x[i + 7]) ** 2) * x[i + 4]) for i in (1, 2, 3))
    return np.asarray(_OSBORNE_2 - (x[0] * np.exp(-t * x[4]) + bells))


def biggs(X: Rows) -> Rows:
    """x_3 exp(−t x_1) − x_4 exp(−t x_2) + x_6 exp(−t x_5) − y of (1, 10, 1, 5, 4, 3), t = i/10."""
    t = np.arange(1.0, 14.0) / 10.0
    a, b, c, d, e, f = X.T[:, :, None]
    y = np.exp(-t) - 5.0 * np.exp(-10.0 * t) + 3.0 * np.exp(-4.0 * t)
    return np.asarray(c * np.exp(-t * a) - d * np.exp(-t * b) + f * np.exp(-t * e) - y)


def gaussian(X: Rows) -> Rows:
    """x_1 exp(−x_2(t − x_3)²/2) − y, t = (8 − i)/2."""
    t = (8.0 - np.arange(1.0, 16.0)) / 2.0
    y = np.array([*_GAUSSIAN, *_GAUSSIAN[-2::-1]])
    return np.asarray(X[:, :1] * np.exp(-0.5 * X[:, 1:2] * (t - X[:, 2:]) ** 2) - y)
