"""Neighbouring variables that act alike: learned from the spectrum of a Jacobian along the index.

Where variables are a path, a control signal, a profile or a table, neighbours act alike, and rows of independent
deviations hardly move what they share: it averages out. From few rows each entry of J is noise; its power by frequency
along the index is not, because that is a mean over m components and d variables:

    Ĵ = Σ_g γ^(G−g) S_gᵀ Z_g        P(ω) = Σ_k |Σ_j Ĵ_kj e^(−iωj)|²        e(ω) = P̄(ω)/median(P̄) − 1 where sure, else 0

with S_g, Z_g the host's own rows of generation g about their mean and P̄ a mean over neighbouring frequencies. Where the
order of the variables means nothing, P is flat and e is zero. Interleaved kinds of variables show as a peak at 2π over
their number; nobody has to say so. A smooth row has the spectrum e,

    z = a √d u/‖u‖,        u_j = Re Σ_ω √e(ω) ξ_ω e^(iωj),        ξ complex normal.

What else a start drew and selection never judged stays in the mean as noise. With Σ the covariance of u, of unit
variance, the mean's own smooth part is E = Σ(Σ + τI)⁻¹ m, as Gaussian process regression has it; half of the rows
start from somewhere between m and E.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import matmul_toeplitz, solve_toeplitz

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame

_KEPT = 0.95  # γ: of what was learned, from one generation to the next
_BAND = 9  # frequencies, of d + 1 up to ½, in the mean P̄
_SURE, _LIKELY = 5.0, 3.0  # standard errors of P̄: of the highest peak, and of all that then counts
_WIDE = 20_000  # variables beyond which neighbours are not looked for, to save memory
_SHARE = 0.45  # of a generation that smooth rows may have: all but the slots that a step may need
_BLIND, _SEES = 0.1, 0.5  # skill of the components' fit up to which smooth rows are wanted, and from which they are not
_SHORTEST, _LONGEST = 0.3, 1.0  # a: as long as the host's own rows, or somewhat shorter
_CALM = 0.5  # of the smooth rows start from a mean that is smoothed itself
_NOISE = 0.1  # τ: variance of what is not smooth, over that of what is


class Neighbours:
    """Remembers Ĵ (m, d), in units of the host's standard deviations."""

    def __init__(self, frame: Frame, rng: np.random.Generator, kappa: float = 1.0) -> None:
        self._rng, self._kappa = rng, kappa
        self._J: Rows = np.empty((0, 0))
        self._excess: Vec | None = None
        self.look(frame)

    @classmethod
    def of(cls, config: JanusConfig, frame: Frame, rng: np.random.Generator) -> Neighbours | None:
        """Where a host draws its rows from a covariance, and a window has fewer of them than variables.

        ``rng`` is only spawned from: where no smooth row is drawn, all other draws are what they were.
        """
        asked = config.neighbours and config.cmix != "off" and config.chart in ("auto", "components")
        fits = frame.owns_covariance and config.window < frame.d <= _WIDE
        return cls(frame, rng.spawn(1)[0], config.kappa) if asked and fits else None

    def look(self, frame: Frame) -> None:
        """Where the host samples now."""
        self._frame = frame

    def observe(self, X: Rows, evals: Evaluations, ours: int) -> None:
        """A generation (n, d); the first ``ours`` rows are infill, which would only confirm what is known."""
        if evals.components is None:
            return
        theirs = np.flatnonzero(~evals.failed[ours:]) + ours
        R = evals.components[theirs]
        if len(R) < 3 or not np.all(np.isfinite(R)):
            return
        Z, spread = self._frame.axes().to_z(X[theirs]), R.std(axis=0)
        varies = spread > 1e-12 * np.abs(R).max(axis=0)
        S = np.where(varies, R - R.mean(axis=0), 0.0) / np.where(varies, spread, 1.0)
        J = S.T @ (Z - Z.mean(axis=0))
        self._J = J if self._J.shape != J.shape else _KEPT * self._J + J
        self._excess = None

    @property
    def excess(self) -> Vec:
        """e (d + 1,) at the frequencies 0, 1/2d, …, ½ cycles a variable."""
        if self._excess is None:
            self._excess = excess_power(self._J) if self._J.any() else np.zeros(self._frame.d + 1)
        return self._excess

    def candidates(self, population: int, chance: float) -> list[tuple[str, Vec]]:
        """Smooth rows (d,) about the mean, with probability ``chance``; none where no neighbourhood is seen."""
        if chance <= 0.0 or not self.excess.any() or self._rng.random() >= chance:
            return []
        a = np.exp(self._rng.uniform(np.log(_SHORTEST), np.log(_LONGEST), round(_SHARE * population)))
        frame, longest = self._frame, self._kappa * np.sqrt(self._frame.d)
        Z, calm = self.rows(longest * a), round(_CALM * len(a))
        Z[:calm] += self._rng.uniform(size=(calm, 1)) * self.rest()
        Z *= np.minimum(longest / np.sqrt(np.einsum("kd,kd->k", Z, Z)), 1.0)[:, None]
        return [("smooth", x) for x in frame.from_z(Z)]

    def rest(self) -> Vec:
        """From the mean to its own smooth part (d,), in the host's z."""
        frame, scale = self._frame, self._frame.axes().scale
        return frame.whiten(smoothed(frame.mean / scale, self.excess) * scale - frame.mean) / frame.sigma

    def rows(self, lengths: Vec) -> Rows:
        """Smooth displacements (k, d) in the host's z, of the whitened ``lengths`` (k,)."""
        frame, root = self._frame, np.sqrt(self.excess)
        xi = self._rng.standard_normal((2, len(lengths), len(root)))
        U = np.fft.irfft(root * (xi[0] + 1j * xi[1]), 2 * frame.d, axis=1)[:, : frame.d]
        Z = frame.whiten(U * frame.axes().scale)
        return np.asarray(Z * (lengths / np.sqrt(np.einsum("kd,kd->k", Z, Z)))[:, None])


def wanted(skill: float) -> float:
    """In [0, 1]: samples are for where a fit of the components predicts nothing; where it does, Eq. 3 knows better."""
    return 1.0 - min(max((skill - _BLIND) / (_SEES - _BLIND), 0.0), 1.0)


def excess_power(J: Rows) -> Vec:
    """e (d + 1,) of the rows of J (m, d), freed of their means: those do not depend on the order of the variables."""
    d = J.shape[1]
    J = J - J.mean(axis=1, keepdims=True)
    P = np.zeros(d + 1)
    for row in J:
        P += np.abs(np.fft.rfft(row, 2 * d)) ** 2
    mean = _running_mean(P)
    median = float(np.median(mean))
    G = J @ J.T
    total = float((G**2).sum())
    if not median > 0.0 or not total > 0.0:
        return np.zeros(d + 1)
    rows = float(np.trace(G)) ** 2 / total  # so many of the m components are independent
    excess, error = mean / median - 1.0, float(np.sqrt(2.0 / (rows * _BAND)))
    return np.where(excess > _LIKELY * error, excess, 0.0) if excess.max() > _SURE * error else np.zeros(d + 1)


def smoothed(v: Vec, excess: Vec) -> Vec:
    """E (d,): the part of v (d,) with the spectrum ``excess`` (d + 1,)."""
    covariance = np.fft.irfft(excess, 2 * len(v))[: len(v)]
    covariance /= covariance[0]
    noisy = covariance.copy()
    noisy[0] += _NOISE
    return np.asarray(matmul_toeplitz(covariance, solve_toeplitz(noisy, v)))


def _running_mean(P: Vec) -> Vec:
    """Over ``_BAND`` frequencies, mirrored at both ends as a spectrum is."""
    half = _BAND // 2
    return np.convolve(np.pad(P, half, mode="reflect"), np.full(_BAND, 1.0 / _BAND), mode="valid")
