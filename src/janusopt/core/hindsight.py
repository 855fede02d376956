"""Eq. 3's metric from a longer window, where looking back farther predicts better.

A window that is short enough for a step knows little of d(d + 1)/2 curvatures: where one of them is far stiffer than
the others, the fit smears it over all of them. Twice the rows know more, if the landscape is the same there. Whether it
is, new generations tell: the curved parts of both fits are scored on rows that neither has seen, and on a landscape
that changes on the way the longer window scores no better. There Eq. 3 has nothing to go by, and C is left to the host.

What stood out in the last fit need not be learned again. The next one is made in ``z̃ = S z`` with

    S² ∝ I + Vᵀ (diag(m) − 1) V,     m_i = λ_i/doubt > 1,     H = S H̃ S

where curvatures along V are expected to be m_i times as large as elsewhere, so that those are not spread over the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.atlas import fitted_rows, near_rows
from janusopt.core.dual import Workspace, fit_dual
from janusopt.core.evaluations import Evaluations
from janusopt.core.evidence import Smoothed
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.spectrum import doubted, signed
from janusopt.core.trace import Trace
from janusopt.core.whitening import HostRows, Pass

_LONG = 2  # windows to look back
_KNOWN = 0.5  # share of all curvatures that a window can know, from which nobody looks back
_ENOUGH = 3  # rows for each variable that the long window has at least
_GLANCE = 20  # generations from any fit to one that is only scored
_RATE = 0.02  # of a smoothed score: the two windows differ by little more than one generation's noise
_BETTER, _LEAST = 1.2, 0.005  # score over that of the short window, and that beyond, from which the long one is used
_MOST = 20  # directions that a fit hands on to the next


def knows(n: int, d: int) -> bool:
    """Whether n rows can know half of the d(d + 1)/2 curvatures."""
    return 2 * n >= _KNOWN * d * (d + 1)


def mixes(config: JanusConfig, frame: Frame) -> bool:
    """Whether Eq. 3 goes by the evidence of a fit to f, on a host with a full covariance of its own."""
    newton = config.chart in ("auto", "newton") and config.weight_rule == "evidence" and config.blocks is None
    return newton and config.cmix in ("auto", "mix") and frame.owns_covariance and frame.basis is not None


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """``S = s (I + Vᵀ(diag(r) − 1)V)``: V (k, d) orthonormal rows, r = √m (k,), s so that S² is 1 on average."""

    V: Rows
    r: Vec

    @property
    def s(self) -> float:
        k, d = self.V.shape
        return float(np.sqrt(d / (d - k + self.r @ self.r)))

    def __call__(self, Z: Rows, out: Rows | None = None) -> Rows:
        """``S z`` for the rows of Z (n, d), in their precision; into ``out`` where that is given."""
        if not len(self.V):
            return Z
        V = self.V.astype(Z.dtype, copy=False)
        along = Z @ V.T
        along *= (self.r - 1.0).astype(Z.dtype, copy=False)
        stretched = np.matmul(along, V, out=out)
        stretched += Z
        stretched *= self.s
        return stretched


@dataclass(frozen=True, slots=True, eq=False)
class Curved:
    """``zᵀHz`` of a fit in the z of ``frame``; H is ``values`` (r,) along the rows of Vt (r, d), ``rest`` elsewhere."""

    frame: Frame
    values: Vec
    Vt: Rows
    rest: float

    def __call__(self, X: Rows, mean: Vec) -> Vec:
        """(n,) at rows X (n, d), about the host's ``mean`` (d,) of now."""
        Z = self.frame.whiten(self.frame.host(X) - mean)
        along = Z @ self.Vt.T
        along *= along
        form = along @ (self.values - self.rest) + self.rest * np.einsum("nd,nd->n", Z, Z)
        return np.asarray(form / self.frame.sigma**2)


class Hindsight:
    """The long window of a host that owns a covariance, its last fit and that fit's score."""

    def __init__(self, config: JanusConfig) -> None:
        self._config = config
        self._trace = Trace(_LONG * config.window)
        self._work = Workspace(single=True)
        self._ours, self._theirs = Smoothed(_RATE), Smoothed(_RATE)
        self._hosted, self._pass = HostRows(), Pass()
        self._Z: Rows = np.empty((0, 0))
        self._stretched: Rows = np.empty((0, 0))
        self._last: Curved | None = None
        self._looked = -_GLANCE
        self._handed: tuple[Rows, Vec, float] | None = None  # directions in the host's coordinates, λ, doubt

    @classmethod
    def of(cls, config: JanusConfig, frame: Frame) -> Hindsight | None:
        """None where Eq. 3 by evidence is off, the window knows enough by itself, or twice the rows are too few."""
        d, n = frame.d, config.window
        enough = not knows(n, d) and _LONG * n >= _ENOUGH * d
        return cls(config) if enough and mixes(config, frame) else None

    def record(self, X: Rows, evals: Evaluations) -> None:
        self._trace.record(X, evals)

    def look(self, frame: Frame, generation: int) -> None:
        """Fit now and then while the long window is not the better one, so that it can be scored."""
        if len(self._trace) > self._config.window and not self.better and generation - self._looked >= _GLANCE:
            self.fit(frame, generation)

    def fit(self, frame: Frame, generation: int) -> Geometry | None:
        """|H| in the z of ``frame`` from all rows, or None where they cannot carry a fit."""
        config, window = self._config, self._trace.window()
        self._last, self._looked = None, generation
        _, weights = fitted_rows(window.f, window.age, config.recency, trim=0.0)
        if self._Z.shape != window.X.shape:
            self._Z, self._stretched = np.empty((2, *window.X.shape), np.float32)
        Z = self._pass(self._hosted(window, frame), frame, self._Z)
        near = near_rows(np.einsum("nd,nd->n", Z, Z) / frame.d)
        stretch = self._stretch(frame)
        Z, f = Z[near], window.f[near]
        Z = stretch(Z, out=self._stretched[: len(Z)])
        fit = fit_dual(Z, f, weights[near], ridge=config.ridge, q=config.curvature, score=False, work=self._work)
        if fit is None:
            return None
        isotropic = fit.h0 * stretch.s**2
        A = np.concatenate([stretch(fit.Z), stretch.V], dtype=fit.Z.dtype, casting="same_kind")
        values, Vt = signed(A, np.concatenate([fit.curvature, isotropic * (stretch.r**2 - 1.0)]), isotropic)
        self._last = Curved(frame, values, Vt, isotropic)
        geometry = doubted(values, Vt, isotropic)
        self._hand_on(frame, geometry)
        return geometry

    def _hand_on(self, frame: Frame, geometry: Geometry) -> None:
        """Remember what stands out."""
        order = np.argsort(geometry.curvature)
        middle = geometry.curvature[order[(len(order) - 1) // 2 : len(order) // 2 + 1]]  # one, or two
        doubt = max(geometry.doubt, float(middle.sum()) / len(middle), 1e-300)
        top = order[: -_MOST - 1 : -1]
        top = top[geometry.curvature[top] > doubt]
        self._handed = frame.covector(geometry.Vt[top]), geometry.curvature[top], doubt

    def _stretch(self, frame: Frame) -> Stretch:
        """From what stood out in the last fit, in the host's shape of now; σ² is in both λ and doubt."""
        if self._handed is None or not len(self._handed[1]):
            return Stretch(np.empty((0, frame.d)), np.empty(0))
        directions, curvature, doubt = self._handed
        A = np.sqrt(curvature)[:, None] * frame.pullback(directions)  # AᵀA is what stood out
        G = A @ A.T
        if not np.isfinite(G).all():
            return Stretch(np.empty((0, frame.d)), np.empty(0))
        values, E = np.linalg.eigh(G)
        more = values > doubt
        return Stretch((E[:, more] / np.sqrt(values[more])).T @ A, np.sqrt(values[more] / doubt))

    def curved(self, X: Rows, mean: Vec) -> Rows:
        """The last fit's ``zᵀHz`` (1, n) at rows X (n, d) about the host's mean (d,); (0, n) without a fit."""
        return np.empty((0, len(X))) if self._last is None else self._last(X, mean)[None]

    def score(self, ours: float, theirs: float) -> None:
        """How well the last fit's curved part explained rows that it had not seen, and the short window's."""
        self._ours.add(ours)
        self._theirs.add(theirs)

    @property
    def better(self) -> bool:
        """Whether the long window predicts better than the short one: on a quadratic √2 times, with twice the rows."""
        return self._last is not None and self._ours.value > _BETTER * max(self._theirs.value, 0.0) + _LEAST
