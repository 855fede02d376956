"""A quadratic about one row, in a region of its own: for hosts that keep a population and no covariance.

The rows of such a population are spread widely, so that a fit in its own scale says little of where one of them, x_b,
lies. Here the fit reads what lies near, in

    z = L⁻¹ (x − x_b)/σ,

as everywhere (:mod:`janusopt.core.dual`), with weights that fall with rank and distance. One row is the Newton step
from x_b, no longer than a sample of the region, ‖z‖ ≤ √d; σ follows what it brought of what it promised. The others are
CMIX samples about x_b: they keep the region sampled, which nobody else does. L begins as the population's spread by
axis; with fewer variables than rows in a window, Eq. 3 shapes it,

    L Lᵀ ← L ((1 − w) I + w d/tr(T) T) Lᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Index, Mask, Rows, Vec, norm
from janusopt.core.box import boxed_step
from janusopt.core.charts import NewtonChart, newton_chart
from janusopt.core.dual import Workspace, fit_dual
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.metric import Metric
from janusopt.core.proposals import cmix_metric, cmix_rows, in_box

_FIRST, _WIDEST = 0.5, 2.0  # σ in units of the population's spread: to begin with, and at most
_CLOSED = 1e-12  # σ at which the region is opened anew
_GOOD, _POOR = 0.5, 0.1  # of the promised decrease: the region grows from the one on, shrinks below the other
_GROW, _SHRINK = 1.5, 0.85
_NEAR, _FEW = 30.0, 60  # ‖z‖²/d up to which a row is near; rows without which there is only sampling
_APART = 3.0  # lengths of a sample at which a better row of the host's lies outside the region
_RESHAPE, _WEIGHT, _LEAST, _MOST = 3, 0.9, 0.1, 10.0  # fits between two reshapes, w, bounds of one
_SAMPLE_WEIGHT = 0.5
_BEST, _WORST = 2.0, 0.2  # regression weight of the best and the worst row
_ENOUGH = 3  # rows for each variable that no trimming takes away
_DENSE = 300  # variables up to which d×d matrices are formed


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The Newton step z (d,) from the centre, the decrease of f that it promises, its length over a sample's."""

    z: Vec
    promised: float
    length: float


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """What a region has to offer: its step, where a fit promises one, and samples Z (k, d), both in ``frame``."""

    frame: Frame
    step: Step | None
    Z: Rows


class Region:
    """Where it lies, how wide it is, and what shape it has."""

    def __init__(self, config: JanusConfig) -> None:
        self._config = config
        self._work = Workspace(single=True)
        self._here: Frame | None = None
        self._fits = 0

    @property
    def sigma(self) -> float:
        """Its width in units of the population's; NaN before it was opened."""
        return float("nan") if self._here is None else self._here.sigma

    def judge(self, brought: float, step: Step) -> None:
        """By what the step brought of what it had promised."""
        if brought > _GOOD * step.promised:
            self._resize(max(1.0, _GROW * step.length))
        elif not brought > _POOR * step.promised:
            self._resize(_SHRINK * min(1.0, 1.5 * step.length))

    def move(self, x: Vec, *, theirs: bool) -> None:
        """To a better row; where it is the host's and lies outside the region, that widens."""
        if self._here is None:
            return
        apart = self._here.length(x) / sqrt(len(x)) / _APART
        self._here = replace(self._here, mean=x)
        if theirs and apart > 1.0:
            self._resize(max(min(apart, _FIRST / self._here.sigma), 1.0))

    @property
    def here(self) -> Frame | None:
        """Where it lies; None before it was opened."""
        return self._here

    def offer(
        self, frame: Frame, x: Vec, X: Rows, f: Vec, count: int, rng: np.random.Generator, Z: Rows | None = None
    ) -> Offer:
        """A step and ``count`` − 1 samples about x (d,), from rows X (n, d) with values f (n,).

        Z (n, d): the rows in :attr:`here`, where the caller knows them already.
        """
        before = self._here
        here = self._opened(frame, x)
        xi = rng.standard_normal((2, count - 1, frame.d))
        chart = self._chart(here, whitened(here, X) if Z is None or here is not before else Z, f)
        if chart is None:
            return Offer(here, None, xi[0])
        step = _step(here, chart)
        middle = max(_median(chart.geometry.curvature), 1e-300)
        Z = cmix_rows(chart.geometry, np.zeros(frame.d), xi, weight=_SAMPLE_WEIGHT, damping=middle)
        if self._reshapes(frame.d):
            self._here = shaped(here, cmix_metric(chart.geometry, self._config.mix_damping))
        finite = np.isfinite(Z)
        return Offer(here, step, Z if finite.all() else Z[finite.all(axis=1)])

    def _resize(self, factor: float) -> None:
        if self._here is not None:
            self._here = replace(self._here, sigma=min(factor * self._here.sigma, _WIDEST))

    def _opened(self, frame: Frame, x: Vec) -> Frame:
        """Where rows are sampled now: opened anew where it has closed; by axis where variables outnumber rows."""
        last = self._here
        if last is None or last.sigma < _CLOSED:
            last = replace(frame, mean=x, sigma=_FIRST)
        elif frame.d > self._config.window:
            last = replace(frame, mean=x, sigma=last.sigma)
        self._here = last
        return last

    def _reshapes(self, d: int) -> bool:
        return d <= self._config.window and self._fits % _RESHAPE == 0

    def _chart(self, here: Frame, Z: Rows, f: Vec) -> NewtonChart | None:
        """The quadratic on the near rows of Z (n, d); None where they are too few, or flat."""
        config = self._config
        squares = np.einsum("nd,nd->n", Z, Z) / here.d
        rows, weights = near_rows(f, squares, config.window, config.trim, _ENOUGH * here.d)
        if len(rows) <= min(_FEW, here.d // 2) or len(rows) < 4:
            return None
        fit = fit_dual(
            Z[rows],
            f[rows],
            weights,
            ridge=config.ridge,
            q=config.curvature,
            score=False,
            work=self._work,
            squares=squares[rows],
        )
        if fit is None:
            return None
        self._fits += 1
        return newton_chart(fit, float("nan"), self._reshapes(here.d))


def whitened(here: Frame, X: Rows) -> Rows:
    """``L⁻¹ (x − x_b)/σ`` for the rows of X (n, d): the factors of L⁻¹/σ as one, as they are fewer than the rows."""
    unfold = None if here.basis is None else _unfolded(here)
    return here.to_z(X) if unfold is None else (X - here.mean) @ unfold


def is_near(Z: Rows) -> Mask:
    """(n,): which rows of Z (n, d) a fit may read."""
    return np.asarray(np.einsum("nd,nd->n", Z, Z) <= _NEAR * Z.shape[1])


def _unfolded(here: Frame) -> Rows | None:
    """``L⁻ᵀ/σ`` (d, d); None where that is not so simple: of a low rank, in a host's own coordinates, or too large."""
    if here.warp is not None or here.d > _DENSE:
        return None
    if here.basis is None or here.roots is None:
        return np.diag(1.0 / (here.scale * here.sigma))
    return here.basis / (here.scale[:, None] * (here.roots * here.sigma)) if len(here.roots) == here.d else None


def _step(here: Frame, chart: NewtonChart) -> Step | None:
    """The Newton step from the centre, and what it promises; None where that is nothing."""
    reach = sqrt(here.d)
    slope = chart.slope(np.zeros(here.d))
    z, damping = chart.geometry.step_within(slope, reach)
    z = boxed(here, z, slope, chart.geometry, damping)
    promised = float(chart.fit.beta[0] - chart.predict(z[None, :])[0]) * chart.fit.unit
    if not promised > 0.0 or not np.isfinite(z).all():
        return None
    return Step(z, promised, norm(z) / reach)


def boxed(here: Frame, z: Vec, slope: Vec, geometry: Geometry, damping: float) -> Vec:
    """The step z (d,) from the centre reduced to the box.

    Where it leaves, by the model's Hessian in x as one matrix: conjugate gradients ask for many products.
    """
    move = here.sigma * here.color(z)
    trial = here.mean + move
    if here.warp is not None or not ((trial < here.lower) | (trial > here.upper)).any():
        return z
    W = _unfolded(here)
    if W is None:
        return in_box(here, np.zeros(here.d), z, slope, geometry, damping)
    Q = geometry.Vt @ W.T
    A = (Q.T * (geometry.curvature - geometry.rest)) @ Q + (geometry.rest + damping) * (W @ W.T)
    return boxed_step(here.mean, move, W @ slope, A.__matmul__, here.lower, here.upper) @ W


def _median(values: Vec) -> float:
    """Of a few numbers, without numpy's preparations for many."""
    ordered, half = np.sort(values), len(values) // 2
    return float(ordered[half] if len(values) % 2 else 0.5 * (ordered[half - 1] + ordered[half]))


def near_rows(f: Vec, squares: Vec, most: int, trim: float, enough: int) -> tuple[Index, Vec]:
    """Which rows a local fit reads, best first, and their weights (k,): falling with the rank of f and with ‖z‖²/d.

    The ``most`` nearest rows as far as they are near, without the worst ``trim`` of them while ``enough`` remain.
    """
    nearest = np.argsort(squares)[:most]
    nearest = nearest[squares[nearest] <= _NEAR]
    n = len(nearest)
    kept = min(max(ceil((1.0 - trim) * n), enough), n)
    rows = nearest[np.argsort(f[nearest], kind="stable")[:kept]]
    falling = np.arange(kept) * ((_WORST - _BEST) / max(n - 1, 1)) + _BEST
    return rows, falling / (1.0 + squares[rows])


def shaped(frame: Frame, metric: Metric) -> Frame:
    """The frame with L M Lᵀ for L Lᵀ, M = (1 − w) I + w d/tr(T) T within bounds (Eq. 3).

    O(d³): only asked for while a d×d matrix is no larger than the window.
    """
    M = metric.blended(_WEIGHT, _LEAST, _MOST)
    root = sqrt(M.rest)
    half = root * np.eye(M.d) + (M.V * (np.sqrt(M.values) - root)) @ M.V.T
    basis, roots, _ = np.linalg.svd((frame.color(half) / frame.scale).T)
    return replace(frame, basis=basis, roots=np.maximum(roots, 1e-12 * roots[0]))
