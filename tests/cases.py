"""What the properties quantify over: rank-deficient and badly scaled, m > d and m < d, n > d and n < d."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from janusopt.core.frame import Frame

seeds = st.integers(0, 2**32 - 1)
dimensions = st.integers(1, 7)
dampings = st.floats(-3.0, 3.0).map(lambda power: 10.0**power)


def close(a, b, rtol=1e-7):
    """Equal up to ``rtol`` of the largest entry: what a sum of badly scaled terms can promise."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    np.testing.assert_allclose(a, b, rtol=0.0, atol=rtol * max(np.abs(b).max(initial=0.0), 1e-300))


def spread(rng, n, decades):
    """(n,) positive numbers over so many decades."""
    return 10.0 ** rng.uniform(-decades / 2.0, decades / 2.0, n)


def orthonormal(rng, d, k):
    """(d, k) orthonormal columns."""
    return np.linalg.qr(rng.standard_normal((d, d)))[0][:, :k]


@st.composite
def jacobians(draw, max_decades=6):
    """J (m, d) of rank 0 to min(m, d), rows and columns scaled apart, with residuals s_b (m,)."""
    m, d = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    rank = draw(st.integers(0, min(m, d)))
    rng = np.random.default_rng(draw(seeds))
    decades = draw(st.integers(0, max_decades)) / 2.0
    J = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, d))
    J = spread(rng, m, decades)[:, None] * J * spread(rng, d, decades)
    return J, rng.standard_normal(m)


@st.composite
def frames(draw, d=None, box=False):
    """A frame of one of the three forms, scales over up to six decades; with a box the mean lies inside it."""
    d = draw(dimensions) if d is None else d
    rng = np.random.default_rng(draw(seeds))
    form = draw(st.sampled_from(["diagonal", "rotated", "low rank"]))
    mean, scale = rng.standard_normal(d), spread(rng, d, draw(st.integers(0, 6)))
    basis = roots = None
    if form == "rotated":
        basis, roots = orthonormal(rng, d, d), spread(rng, d, 3)
    elif form == "low rank" and d > 1:
        k = draw(st.integers(1, d - 1))
        basis, roots = orthonormal(rng, d, k), spread(rng, k, 3)
    lower, upper = np.full(d, -np.inf), np.full(d, np.inf)
    if box:
        lower, upper = mean - scale * rng.random(d), mean + scale * rng.random(d)
    sigma = draw(st.floats(-3.0, 3.0).map(lambda power: 10.0**power))
    return Frame(mean, sigma, scale, lower, upper, basis, roots)


@st.composite
def windows(draw, max_n=14, max_d=5):
    """Z (n, d), f (n,), weights (n,): n above or below d, with or without rows of low rank, f in any unit."""
    n, d = draw(st.integers(5, max_n)), draw(st.integers(1, max_d))
    rng = np.random.default_rng(draw(seeds))
    Z = rng.standard_normal((n, d))
    if d > 1 and draw(st.booleans()):
        Z[:, -1] = Z[:, 0]
    A = rng.standard_normal((d, d))
    f = np.einsum("ni,ij,nj->n", Z, A, Z) + Z @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n)
    f = f * 10.0 ** draw(st.integers(-6, 6)) + draw(st.sampled_from([0.0, 3.0]))
    return Z, f, rng.uniform(0.2, 2.0, n)
