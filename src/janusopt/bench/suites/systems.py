"""Residual systems without data, from their published formulas: rows X (n, d) to residuals (n, m).

Moré, Garbow and Hillstrom, Testing unconstrained optimization software (1981); bdqrtic, cube, mancino and heart8 as in
Moré and Wild, Benchmarking derivative-free optimization algorithms (2009).
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows


def _columns(*residuals: Rows) -> Rows:
    return np.stack(residuals, axis=1)


def linear_full_rank(X: Rows) -> Rows:
    """5d residuals: x_i − 2Σx/m − 1, and −2Σx/m − 1 for the rest."""
    n, d = X.shape
    R = np.repeat(-0.4 / d * X.sum(axis=1, keepdims=True) - 1.0, 5 * d, axis=1)
    R[:, :d] += X
    return np.asarray(R.reshape(n, 5 * d))


def linear_rank_1(X: Rows) -> Rows:
    """5d residuals: i Σ jx_j − 1."""
    d = X.shape[1]
    return np.outer(X @ np.arange(1.0, d + 1), np.arange(1.0, 5 * d + 1)) - 1.0


def linear_rank_1_zeros(X: Rows) -> Rows:
    """The same with zero columns and rows: (i − 1) Σ_{j=2}^{d−1} jx_j − 1, first and last −1."""
    d = X.shape[1]
    factors = np.arange(0.0, 5 * d)
    factors[-1] = 0.0
    return np.outer(X[:, 1:-1] @ np.arange(2.0, d), factors) - 1.0


def rosenbrock(X: Rows) -> Rows:
    """10(x_2 − x_1²), 1 − x_1, for each pair of variables."""
    odd, even = X[:, ::2], X[:, 1::2]
    return np.hstack([10.0 * (even - odd**2), 1.0 - odd])


def helical_valley(X: Rows) -> Rows:
    """A valley that winds about the third axis."""
    x, y, z = X.T
    theta = np.arctan2(y, x) / (2.0 * np.pi)
    theta = np.where(theta < -0.25, theta + 1.0, theta)  # the published branch: 1/2 added for x < 0
    return _columns(10.0 * (z - 10.0 * theta), 10.0 * (np.hypot(x, y) - 1.0), z)


def powell_singular(X: Rows) -> Rows:
    """Singular Jacobian at the minimum."""
    a, b, c, d = X.T
    return _columns(a + 10.0 * b, np.sqrt(5.0) * (c - d), (b - 2.0 * c) ** 2, np.sqrt(10.0) * (a - d) ** 2)


def freudenstein_roth(X: Rows) -> Rows:
    """Two basins: 0 at (5, 4) and a local minimum."""
    x, y = X.T
    return _columns(-13.0 + x + ((5.0 - y) * y - 2.0) * y, -29.0 + x + ((y + 1.0) * y - 14.0) * y)


def watson(X: Rows) -> Rows:
    """A polynomial fit to a differential equation, 31 residuals."""
    d = X.shape[1]
    t = np.arange(1.0, 30.0) / 29.0
    j = np.arange(d)
    value = X @ t ** j[:, None]
    slope = X[:, 1:] @ (j[1:, None] * t ** (j[1:, None] - 1))
    return np.hstack([slope - value**2 - 1.0, X[:, :1], X[:, 1:2] - X[:, :1] ** 2 - 1.0])


def brown_dennis(X: Rows) -> Rows:
    """20 residuals, large at the minimum."""
    t = np.arange(1.0, 21.0) / 5.0
    a, b, c, d = X.T[:, :, None]
    return np.asarray((a + t * b - np.exp(t)) ** 2 + (c + d * np.sin(t) - np.cos(t)) ** 2)


def chebyquad(X: Rows) -> Rows:
    """d residuals: the mean of shifted Chebyshev polynomials minus their integrals."""
    d = X.shape[1]
    Y = 2.0 * X - 1.0
    before, here = np.ones_like(Y), Y
    means = []
    for _ in range(d):
        means.append(here.mean(axis=1))
        before, here = here, 2.0 * Y * here - before
    i = np.arange(1.0, d + 1)
    integrals = np.where(i % 2 == 0, -1.0 / np.where(i == 1, 1.0, i**2 - 1.0), 0.0)
    return _columns(*means) - integrals


def brown_almost_linear(X: Rows) -> Rows:
    """x_i + Σx − (d + 1), and Πx − 1."""
    d = X.shape[1]
    linear = X[:, :-1] + X.sum(axis=1, keepdims=True) - (d + 1.0)
    return np.hstack([linear, X.prod(axis=1, keepdims=True) - 1.0])


def bdqrtic(X: Rows) -> Rows:
    """2(d − 4) residuals."""
    k = X.shape[1] - 4
    S = X**2
    quartic = S[:, :k] + 2.0 * S[:, 1 : k + 1] + 3.0 * S[:, 2 : k + 2] + 4.0 * S[:, 3 : k + 3] + 5.0 * S[:, -1:]
    return np.hstack([3.0 - 4.0 * X[:, :k], quartic])


def cube(X: Rows) -> Rows:
    """x_1 − 1, 10(x_i − x_{i−1}³)."""
    return np.hstack([X[:, :1] - 1.0, 10.0 * (X[:, 1:] - X[:, :-1] ** 3)])


def mancino(X: Rows) -> Rows:
    """1400 x_i + (i − 50)³ + Σ_j v(sin⁵ log v + cos⁵ log v), v = √(x_i² + i/j)."""
    i = np.arange(1.0, X.shape[1] + 1)
    v = np.sqrt(X[:, :, None] ** 2 + i[:, None] / i)
    return np.asarray(
        1400.0 * X + (i - 50.0) ** 3 + (v * (np.sin(np.log(v)) ** 5 + np.cos(np.log(v)) ** 5)).sum(axis=2)
    )


def heart8(X: Rows) -> Rows:
    """The dipole model of the heart in eight variables."""
    a, b, c, d, t, u, v, w = X.T
    p, q, r, s = t**2 - v**2, u**2 - w**2, t**2 - 3.0 * v**2, u**2 - 3.0 * w**2
    y, z = v**2 - 3.0 * t**2, w**2 - 3.0 * u**2
    return _columns(
        a + b + 0.69,
        c + d + 0.044,
        t * a + u * b - v * c - w * d + 1.57,
        v * a + w * b + t * c + u * d + 1.31,
        a * p - 2.0 * c * t * v + b * q - 2.0 * d * u * w + 2.65,
        c * p + 2.0 * a * t * v + d * q + 2.0 * b * u * w - 2.0,
        a * t * r + c * v * y + b * u * s + d * w * z + 12.6,
        c * t * r - a * v * y + d * u * s - b * w * z - 9.48,
    )


def wood(X: Rows) -> Rows:
    """Two coupled valleys."""
    a, b, c, d = X.T
    root = np.sqrt(10.0)
    pair, gap = root * (b + d - 2.0), (b - d) / root
    return _columns(10.0 * (b - a**2), 1.0 - a, np.sqrt(90.0) * (d - c**2), 1.0 - c, pair, gap)


def beale(X: Rows) -> Rows:
    """y_i − x_1(1 − x_2^i)."""
    return np.asarray([1.5, 2.25, 2.625] - X[:, :1] * (1.0 - X[:, 1:] ** np.arange(1, 4)))


def variably_dimensioned(X: Rows) -> Rows:
    """x_i − 1, Σ j(x_j − 1) and its square."""
    total = (X - 1.0) @ np.arange(1.0, X.shape[1] + 1)
    return np.hstack([X - 1.0, total[:, None], total[:, None] ** 2])


def broyden_tridiagonal(X: Rows) -> Rows:
    """(3 − 2x_i)x_i − x_{i−1} − 2x_{i+1} + 1."""
    R = (3.0 - 2.0 * X) * X + 1.0
    R[:, 1:] -= X[:, :-1]
    R[:, :-1] -= 2.0 * X[:, 1:]
    return np.asarray(R)


def broyden_banded(X: Rows) -> Rows:
    """x_i(2 + 5x_i²) + 1 − Σ x_j(1 + x_j) over five neighbours below and one above."""
    d = X.shape[1]
    gap = np.arange(d)[:, None] - np.arange(d)
    band = (gap != 0) & (gap <= 5) & (gap >= -1)
    return np.asarray(X * (2.0 + 5.0 * X**2) + 1.0 - (X * (1.0 + X)) @ band.T)


def discrete_boundary(X: Rows) -> Rows:
    """2x_i − x_{i−1} − x_{i+1} + h²(x_i + t_i + 1)³/2 with zero ends."""
    d = X.shape[1]
    h = 1.0 / (d + 1)
    R = 2.0 * X + 0.5 * h**2 * (X + h * np.arange(1.0, d + 1) + 1.0) ** 3
    R[:, 1:] -= X[:, :-1]
    R[:, :-1] -= X[:, 1:]
    return np.asarray(R)


def trigonometric(X: Rows) -> Rows:
    """d − Σ cos x + i(1 − cos x_i) − sin x_i."""
    d = X.shape[1]
    C = np.cos(X)
    return np.asarray(d - C.sum(axis=1, keepdims=True) + np.arange(1.0, d + 1) * (1.0 - C) - np.sin(X))
