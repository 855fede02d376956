"""The mathematics once more, dense and naive, as a reader with the paper would write it down.

Everything here forms the matrices that janusopt.core never forms: G and T as d×d, the covariance as d×d, the quadratic
fit with all its d + d² features, leave-one-out by leaving one out. It is the oracle of the tests, and an explanation.
"""

from __future__ import annotations

import itertools

import numpy as np
import scipy.stats

# ---------------------------------------------------------------------------------------------- Eq. 2: Gauss–Newton


def gn_step(J, s_b, damping):
    """``−(JᵀJ + λI)⁻¹ Jᵀ s_b``."""
    d = J.shape[1]
    return -np.linalg.solve(J.T @ J + damping * np.eye(d), J.T @ s_b)


def normal_matrix(curvature, Vt, rest):
    """``G = rest (I − VVᵀ) + V diag(curvature) Vᵀ`` (d, d)."""
    d = Vt.shape[1]
    return rest * (np.eye(d) - Vt.T @ Vt) + Vt.T @ np.diag(curvature) @ Vt


def inverse_metric(G, damping):
    """``T = (G + λI)⁻¹`` (d, d)."""
    return np.linalg.inv(G + damping * np.eye(len(G)))


def symmetric_root(T):
    """``T^½``, the symmetric positive one."""
    values, E = np.linalg.eigh(T)
    return E @ np.diag(np.sqrt(values)) @ E.T


def block_diagonal(G, groups):
    """G with every entry between two different groups set to zero."""
    kept = np.zeros_like(G)
    for group in groups:
        for i, j in itertools.product(group, group):
            kept[i, j] = G[i, j]
    return kept


# ------------------------------------------------------------------------------------------------- Eq. 3 and 4: CMIX


def mix(C, T, weight):
    """``(1−w) C + w · tr(C)/tr(T) · T`` (Eq. 3)."""
    return (1.0 - weight) * C + weight * np.trace(C) / np.trace(T) * T


def mixing_weight(m, n, d, base, low, high):
    """``w = w_base · min(m, n)/d`` within [w_min, w_max] (Eq. 4)."""
    return min(max(base * min(m, n) / d, low), high)


# ------------------------------------------------------------------------------------------------------------ frames


def factor(frame):
    """L (d, d) of ``x = mean + sigma · L z``, from its three written forms."""
    d = len(frame.mean)
    scale = np.diag(frame.scale)
    if frame.basis is None:
        return scale
    B, roots = frame.basis, np.diag(frame.roots)
    if B.shape[1] == d:
        return scale @ B @ roots
    return scale @ (np.eye(d) + B @ (roots - np.eye(len(frame.roots))) @ B.T)


def clip(x, mean, sigma, L, kappa):
    """Bounded injection (Prop. 3): x on the segment to the mean, no further than κ√d whitened."""
    y = np.linalg.solve(L, x - mean) / sigma
    limit = kappa * np.sqrt(len(x))
    return mean + (x - mean) * min(1.0, limit / np.linalg.norm(y)) if y.any() else x


# --------------------------------------------------------------------------------------------- the ridge Jacobian


def ridge_jacobian(Z, S, weights, ridge, rank=None):
    """``s ≈ b + J z``: weighted ridge with a free intercept, in the basis of the first ``rank`` principal axes."""
    root = np.sqrt(weights)
    z_bar = np.average(Z, axis=0, weights=weights)
    s_bar = np.average(S, axis=0, weights=weights)
    Zw, Sw = root[:, None] * (Z - z_bar), root[:, None] * (S - s_bar)
    U = np.linalg.eigh(Zw.T @ Zw)[1][:, ::-1][:, : rank if rank is not None else Z.shape[1]]
    Zr = Zw @ U
    B = np.linalg.solve(Zr.T @ Zr + ridge * np.eye(U.shape[1]), Zr.T @ Sw)
    J = B.T @ U.T
    return J, s_bar - J @ z_bar


def ridge_solution(A, weights, target, ridge):
    """``(AᵀWA + μ tr(AᵀWA)/p I)⁻¹ AᵀW t``, column by column of a dense normal matrix."""
    W = np.diag(weights)
    K = A.T @ W @ A
    return np.linalg.solve(K + ridge * np.trace(K) / len(K) * np.eye(len(K)), A.T @ W @ target)


def ridge_loo(Z, S, weights, ridge):
    """Weighted R² of predicting each row from all the others."""
    error = 0.0
    for i in range(len(Z)):
        others = np.arange(len(Z)) != i
        J, b = ridge_jacobian(Z[others], S[others], weights[others], ridge)
        error += weights[i] * ((S[i] - b - J @ Z[i]) ** 2).sum()
    s_bar = np.average(S, axis=0, weights=weights)
    return 1.0 - error / (weights @ ((S - s_bar) ** 2).sum(axis=1))


def relevant_jacobian(Z, S, weights, tau, ridge):
    """``s ≈ b + J z`` with a ridge ρ/τ_j² on column j, written out with a d×d matrix."""
    root = np.sqrt(weights)
    z_bar, s_bar = np.average(Z, axis=0, weights=weights), np.average(S, axis=0, weights=weights)
    Zw, Sw = root[:, None] * (Z - z_bar), root[:, None] * (S - s_bar)
    J = np.linalg.solve(Zw.T @ Zw + ridge * np.diag(1.0 / tau**2), Zw.T @ Sw).T
    return J, s_bar - J @ z_bar


def local_jacobian(Z, S, radius, ridge):
    """``s ≈ J z`` through the origin, rows weighted by 1/(‖z‖² + Δ²)² and the largest of them by one."""
    weights = 1.0 / ((Z**2).sum(axis=1) + radius**2) ** 2
    W = np.diag(weights / weights.max())
    top = np.linalg.eigvalsh(Z.T @ W @ Z)[-1]
    return np.linalg.solve(Z.T @ W @ Z + ridge * top * np.eye(Z.shape[1]), Z.T @ W @ S).T


# ---------------------------------------------------------------------------------------------- the quadratic fit


class Quadratic:
    """``f̂(z) = β₀ + β₁‖z‖²/d + θᵀφ(z)`` by weighted ridge on θ, with every monomial of degree one and two in φ.

    φ(z) = (z_i/√d for each i, √q z_i z_j/d for each ordered pair), so that φ(z)ᵀφ(z') = p + q p² with p = zᵀz'/d.
    """

    def __init__(self, Z, y, weights, ridge, q):
        self.d, self.q = Z.shape[1], q
        free = np.column_stack([np.ones(len(Z)), (Z**2).sum(axis=1) / self.d])
        A = np.column_stack([free, self.features(Z)])
        penalty = np.diag([0.0, 0.0] + [ridge] * (A.shape[1] - 2))
        W = np.diag(weights)
        self.theta = np.linalg.solve(A.T @ W @ A + penalty, A.T @ W @ y)

    def features(self, Z):
        linear = Z / np.sqrt(self.d)
        pairs = [np.sqrt(self.q) * Z[:, i] * Z[:, j] / self.d for i, j in itertools.product(range(self.d), repeat=2)]
        return np.column_stack([linear, *pairs])

    def predict(self, Z):
        free = np.column_stack([np.ones(len(Z)), (Z**2).sum(axis=1) / self.d])
        return np.column_stack([free, self.features(Z)]) @ self.theta

    def gradient(self, z):
        """Term by term."""
        slope = 2.0 * self.theta[1] * z / self.d + self.theta[2 : 2 + self.d] / np.sqrt(self.d)
        return slope + (self._pairs() + self._pairs().T) @ z

    def hessian(self):
        return 2.0 * self.theta[1] / self.d * np.eye(self.d) + self._pairs() + self._pairs().T

    def _pairs(self):
        return np.sqrt(self.q) / self.d * self.theta[2 + self.d :].reshape(self.d, self.d)


def quadratic_loo(Z, y, weights, ridge, q):
    """Weighted R² of predicting each row by a fit that never saw it."""
    error = 0.0
    for i in range(len(Z)):
        others = np.arange(len(Z)) != i
        fit = Quadratic(Z[others], y[others], weights[others], ridge, q)
        error += weights[i] * (y[i] - fit.predict(Z[i : i + 1])[0]) ** 2
    return 1.0 - error / (weights @ (y - np.average(y, weights=weights)) ** 2)


def heights(f):
    """Heights above the best value, in units of the middle one."""
    above = f - min(f)
    return above / sorted(above)[len(f) // 2]


def absolute(H):
    """``|H|``: the same eigenvectors, every eigenvalue by its size."""
    values, E = np.linalg.eigh(H)
    return E @ np.diag(np.abs(values)) @ E.T


def saddle_free_step(H, gradient, damping):
    """``−(|H|/2 + λI)⁻¹ ∇f̂/2``: the damped Newton step that descends from saddles too."""
    return -np.linalg.solve(absolute(H) / 2.0 + damping * np.eye(len(H)), gradient / 2.0)


# ----------------------------------------------------------------------------------------------------------- L-BFGS


def bfgs_inverse(pairs, C):
    """The inverse Hessian (d, d) that BFGS makes of ``γC`` by pairs (s, t), oldest first; γ from the newest."""
    s, t = pairs[-1]
    H = C * (s @ t) / (t @ C @ t)
    eye = np.eye(len(C))
    for s, t in pairs:
        rho = 1.0 / (s @ t)
        H = (eye - rho * np.outer(s, t)) @ H @ (eye - rho * np.outer(t, s)) + rho * np.outer(s, s)
    return H


# ------------------------------------------------------------------------------------------------------------- box


def model(A, g, p):
    """``gᵀp + ½ pᵀAp``."""
    return float(g @ p + 0.5 * p @ A @ p)


def box_minimizer(A, g, low, high):
    """The minimizer of the model in the box ``low ≤ p ≤ high``, by trying every set of active bounds (small d)."""
    d = len(g)
    best, lowest = np.clip(np.zeros(d), low, high), np.inf
    for sides in itertools.product((-1, 0, 1), repeat=d):
        side = np.array(sides)
        p = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        p = face_minimizer(A, g, p, side != 0)
        if (p >= low - 1e-9).all() and (p <= high + 1e-9).all() and model(A, g, p) < lowest:
            best, lowest = p, model(A, g, p)
    return best


def face_minimizer(A, g, p, fixed):
    """The minimizer of the model over the coordinates that are not fixed; the fixed ones stay as in p."""
    p = p.copy()
    free = ~fixed
    if free.any():
        right = -(g + A @ np.where(fixed, p, 0.0))[free]
        p[free] = np.linalg.solve(A[np.ix_(free, free)], right)
    return p


# ------------------------------------------------------------------------------------------------------------ ranks


def spearman(a, b):
    """Spearman's ρ; what ties there are, are broken by order as the library breaks them."""
    return float(
        scipy.stats.spearmanr(scipy.stats.rankdata(a, "ordinal"), scipy.stats.rankdata(b, "ordinal")).statistic
    )


def ahead_of_niche(new, F, k):
    """By which share of its length each row of ``new`` is shorter than the k rows of F at the least angles to it."""
    ideal, middle = F.min(axis=0), np.median(F, axis=0)
    span = np.where(middle > ideal, middle - ideal, 1.0)
    worth = []
    for row in (new - ideal) / span:
        others = (F - ideal) / span
        cosines = [row @ s / max(np.linalg.norm(row) * np.linalg.norm(s), 1e-300) for s in others]
        niche = others[np.argsort(cosines)[::-1][:k]]
        worth.append(max(0.0, 1.0 - np.linalg.norm(row) / max(np.linalg.norm(niche, axis=1).min(), 1e-300)))
    return np.array(worth)


# ------------------------------------------------------------------------------------------------------------ gains


def discounted(values, rate, start):
    """``(1 − rate)ⁿ start + Σ rate (1 − rate)^(n − 1 − i) v_i``."""
    n = len(values)
    return (1 - rate) ** n * start + sum(rate * (1 - rate) ** (n - 1 - i) * v for i, v in enumerate(values))


def gains_share(generations, rate, counts, ago):
    """The share of the slots after generations of (our values, the host's values, best value before), none empty."""
    mine = [max(best - min(ours), 0.0) / len(ours) for ours, _, best in generations]
    host = [max(best - min(theirs), 0.0) / len(theirs) for _, theirs, best in generations]
    heights = [np.median(theirs) - best for _, theirs, best in generations]
    counted = [len(ours) * m > counts * h for (ours, _, _), m, h in zip(generations, mine, heights, strict=True)]
    below = [
        np.mean(np.array(theirs) < np.median(old))
        for (_, old, _), (_, theirs, _) in zip(generations, generations[ago:], strict=False)
    ]
    often, falling = discounted(counted, rate, 1.0), discounted(below, rate, 1.0)
    falls = min(max((falling - 0.5) / 0.1, 0.0), 1.0)
    ours, theirs, _ = generations[-1]
    p = counts * max(heights[-1], 0.0) / (len(ours) + len(theirs))
    a, b = discounted(mine, rate, 0.0) + p, discounted(host, rate, 0.0)
    return (a / (a + b) if a + b > 0.0 else 1.0) * (1.0 - falls * (1.0 - min(1.0, 2.0 * often)))


# --------------------------------------------------------------------------------- neighbours that act alike, ours


def excess_power(J, band, sure, likely):
    """e of ``core/neighbours.py``, frequency by frequency: power over its median, less one, where that is certain."""
    m, d = J.shape
    J = J - J.mean(axis=1, keepdims=True)
    P = [sum(abs(J[k] @ np.exp(-1j * np.pi * w * np.arange(d) / d)) ** 2 for k in range(m)) for w in range(d + 1)]
    half = band // 2
    mean = np.array([np.mean([P[d - abs(d - abs(w + s))] for s in range(-half, half + 1)]) for w in range(d + 1)])
    G = J @ J.T
    error = np.sqrt(2.0 / (band * np.trace(G) ** 2 / np.trace(G @ G)))
    e = mean / np.median(mean) - 1.0
    return np.where(e > likely * error, e, 0.0) if e.max() > sure * error else np.zeros(d + 1)


def smoothed(v, e, noise):
    """E of ``core/neighbours.py``: the posterior mean of a process with the spectrum e, entry by entry of its Σ."""
    d = len(v)
    waves = np.array([1.0] + [2.0] * (d - 1) + [1.0]) * e
    c = [sum(waves[w] * np.cos(np.pi * w * lag / d) for w in range(d + 1)) for lag in range(d)]
    Sigma = np.array([[c[abs(i - j)] for j in range(d)] for i in range(d)]) / c[0]
    return Sigma @ np.linalg.solve(Sigma + noise * np.eye(d), v)


# --------------------------------------------------------------------------------- when a descent is over, ours


def descent_is_over(generations, d):
    """``encore.py``: half of the last generation is flat, and the last third of all has brought next to nothing."""
    n = len(generations)
    least = min(f.min() for f in generations)
    before = min(f.min() for f in generations[: 2 * n // 3 + 1])
    begun = n >= 10 and sum(map(len, generations)) >= 10 * d
    return bool(begun and np.median(generations[-1]) - least <= 0.05 * least and before <= 1.03 * least)
