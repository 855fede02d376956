"""The quadratic about the best row, in a region of its own: for hosts that keep a population and no covariance.

The rows of such a population are spread widely, so that a fit in its own scale says little of where the best row lies.
Here the window is what lies near: of a longer memory those rows that are nearest to the best one x_b, in

    z = L⁻¹ (x − x_b)/σ,

fitted as everywhere (:mod:`janusopt.core.dual`), with weights that fall with rank and distance. One row is the Newton
step from x_b, no longer than a sample of the region, ‖z‖ ≤ √d; σ follows what it brought of what it promised. The
others are CMIX samples about x_b: they keep the region sampled, which nobody else does. L begins as the population's
spread by axis; with fewer variables than rows in a window, Eq. 3 shapes it,

    L Lᵀ ← L ((1 − w) I + w d/tr(T) T) Lᵀ.

How many rows there are is a matter of what they gain (:mod:`janusopt.core.gains`).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Index, Rows, Vec, norm
from janusopt.core.charts import NewtonChart, newton_chart
from janusopt.core.dual import Workspace, fit_dual
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.gains import Gains
from janusopt.core.metric import Metric
from janusopt.core.proposals import cmix_metric, cmix_rows, in_box
from janusopt.core.trace import Trace, Window

SOURCES = ("local", "around")  # the step and the samples

_MEMORY, _NUMBERS = 5, 1_000_000  # windows to look for near rows in, as long as they hold no more numbers than that
_WIDE = 20_000  # variables beyond which there is no memory for it
_SHARE = 0.3  # of the slots, at most
_SLACK = 0.1  # least chance of rows, which can revive them
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


class Vicinity:
    """Rows about the best one, and what came of them."""

    def __init__(self, config: JanusConfig, d: int) -> None:
        self._config = config
        most = max(min(_MEMORY * config.window, _NUMBERS // d), config.window)
        self._trace = Trace(most)
        self._work = Workspace(single=True)
        self._gains = Gains()
        self._best: tuple[Vec, float] | None = None
        self._here: Frame | None = None
        self._asked: tuple[float, float] | None = None  # promised decrease of f, length of the step over a sample's
        self._fits = 0

    @classmethod
    def of(cls, config: JanusConfig, frame: Frame) -> Vicinity | None:
        """None where the host has a distribution of its own, or a setting asks for less than both uses of a fit."""
        asked = config.gn and config.trust_region and config.cmix in ("auto", "sample") and config.blocks is None
        fits = config.chart in ("auto", "newton") and frame.d <= _WIDE
        return cls(config, frame.d) if frame.population and asked and fits else None

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...]) -> None:
        """Rows (n, d) with values; the first are ours, from ``sources``."""
        f = np.where(evals.failed | np.isnan(evals.f), np.inf, evals.f)
        ours = np.zeros(len(f), dtype=bool)
        ours[: len(sources)] = [source in SOURCES for source in sources[: len(f)]]
        if self._best is not None:
            self._gains.add(f, ours, self._best[1])
            if self._asked is not None and "local" in sources[: len(f)]:
                self._judge(self._best[1] - float(f[sources.index("local")]), *self._asked)
        self._asked = None
        b = int(np.argmin(f))
        if np.isfinite(f[b]) and (self._best is None or f[b] < self._best[1]):
            self._move(X[b].copy(), float(f[b]), theirs=not ours[b])
        self._trace.record(X, evals)

    def _judge(self, brought: float, promised: float, length: float) -> None:
        if self._here is None:
            return
        if brought > _GOOD * promised:
            self._resize(max(1.0, _GROW * length))
        elif not brought > _POOR * promised:
            self._resize(_SHRINK * min(1.0, 1.5 * length))

    def _move(self, x: Vec, f: float, *, theirs: bool) -> None:
        """To a better row; where it is the host's and lies outside the region, that widens."""
        self._best = x, f
        if self._here is not None:
            apart = self._here.length(x) / sqrt(len(x)) / _APART
            self._here = replace(self._here, mean=x)
            if theirs and apart > 1.0:
                self._resize(max(min(apart, _FIRST / self._here.sigma), 1.0))

    def _resize(self, factor: float) -> None:
        if self._here is not None:
            self._here = replace(self._here, sigma=min(factor * self._here.sigma, _WIDEST))

    def candidates(self, frame: Frame, slots: int, rng: np.random.Generator) -> list[tuple[str, Vec]]:
        """Rows (d,) with their sources, at most a share of the slots, fewer or none where they gain little."""
        chance = max(_SLACK, self._gains.share)
        if self._best is None or rng.random() >= chance:
            return []
        here = self._region(frame, self._best[0])
        count = min(max(round(_SHARE * chance * slots), 2), slots)
        xi = rng.standard_normal((2, count - 1, frame.d))
        chart = self._chart(here, self._trace.window())
        if chart is None:
            return [("around", here.from_z(z)) for z in xi[0]]
        step = self._step(here, chart)
        middle = max(float(np.median(chart.geometry.curvature)), 1e-300)
        rows = cmix_rows(chart.geometry, np.zeros(frame.d), xi, weight=_SAMPLE_WEIGHT, damping=middle)
        if self._reshapes(frame.d):
            self._here = shaped(here, cmix_metric(chart.geometry, self._config.mix_damping))
        found = ([] if step is None else [("local", step)]) + [("around", z) for z in rows]
        return [(source, here.from_z(z)) for source, z in found if np.isfinite(z).all()]

    def _region(self, frame: Frame, x: Vec) -> Frame:
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

    def _chart(self, here: Frame, window: Window) -> NewtonChart | None:
        """The quadratic on the near rows; None where they are too few, or flat."""
        config = self._config
        Z = here.to_z(window.X)
        squares = np.einsum("nd,nd->n", Z, Z) / here.d
        rows, weights = near_rows(window.f, squares, config.window, config.trim, _ENOUGH * here.d)
        if len(rows) <= min(_FEW, here.d // 2) or len(rows) < 4:
            return None
        fit = fit_dual(
            Z[rows],
            window.f[rows],
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

    def _step(self, here: Frame, chart: NewtonChart) -> Vec | None:
        """The Newton step from the best row in z (d,), and what it promises; None where that is nothing."""
        origin, reach = np.zeros(here.d), sqrt(here.d)
        slope = chart.slope(origin)
        step, damping = chart.geometry.step_within(slope, reach)
        step = in_box(here, origin, step, slope, chart.geometry, damping)
        now, then = chart.predict(np.array([origin, step]))
        promised = float(now - then) * chart.fit.unit
        if not promised > 0.0 or not np.isfinite(step).all():
            return None
        self._asked = promised, norm(step) / reach
        return step


def near_rows(f: Vec, squares: Vec, most: int, trim: float, enough: int) -> tuple[Index, Vec]:
    """Which rows a local fit reads, best first, and their weights (k,): falling with the rank of f and with ‖z‖²/d.

    The ``most`` nearest rows as far as they are near, without the worst ``trim`` of them while ``enough`` remain.
    """
    nearest = np.argsort(squares, kind="stable")[:most]
    nearest = nearest[squares[nearest] <= _NEAR]
    n = len(nearest)
    kept = min(max(ceil((1.0 - trim) * n), enough), n)
    rows = nearest[np.argsort(f[nearest], kind="stable")[:kept]]
    return rows, np.linspace(_BEST, _WORST, n)[:kept] / (1.0 + squares[rows])


def shaped(frame: Frame, metric: Metric) -> Frame:
    """The frame with L M Lᵀ for L Lᵀ, M = (1 − w) I + w d/tr(T) T within bounds (Eq. 3).

    O(d³): only asked for while a d×d matrix is no larger than the window.
    """
    M = metric.blended(_WEIGHT, _LEAST, _MOST)
    root = sqrt(M.rest)
    half = root * np.eye(M.d) + (M.V * (np.sqrt(M.values) - root)) @ M.V.T
    basis, roots, _ = np.linalg.svd((frame.color(half) / frame.scale).T)
    return replace(frame, basis=basis, roots=np.maximum(roots, 1e-12 * roots[0]))
