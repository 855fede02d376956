"""The atlas: which chart describes this window, and is any of them to be trusted?

With ``chart="auto"`` there is a newton chart and, while its smoothed leave-one-out R² says that a quadratic does not
explain the window, a linear chart beside it. Observed components get a chart of their own before these.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Index, Rows, Selection, Vec, norm
from janusopt.core.blocks import blockwise, read_groups
from janusopt.core.charts import (
    Chart,
    NewtonChart,
    ResidualChart,
    components_chart,
    linear_chart,
    moderate,
    newton_chart,
    quadratic_chart,
    residual_coordinates,
)
from janusopt.core.dual import DualFit, Workspace, fit_dual
from janusopt.core.evidence import Smoothed
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.jacobian import JacobianFit, fit_jacobian
from janusopt.core.relevance import Relevance
from janusopt.core.trace import Window
from janusopt.core.whitening import Whitener

_BEST, _WORST = 2.0, 0.2  # regression weight of the best and the worst row
_FAR, _FEW = 30.0, 60  # ‖z‖²/d beyond which a row says nothing of here, unless so few rows would be left
_ENOUGH = 3  # rows for each variable that no trimming takes away
_SCORE_EVERY = 10  # refits between two leave-one-out scores
_WIDE = 20_000  # variables beyond which columns are not told apart, to save memory
_QUADRATIC_RANK = 50  # cap of the printed quadratic chart


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One chart and the frame whose z it lives in."""

    chart: Chart
    frame: Frame

    def origin(self, now: Frame) -> Vec:
        """The host's mean of ``now`` in the z of this page, which may be older."""
        if self.frame is now:
            return np.zeros(now.d)
        return self.frame.whiten(now.mean - self.frame.mean) / self.frame.sigma


class Atlas:
    """Builds and selects charts; remembers only scores, caches and work arrays."""

    def __init__(self, config: JanusConfig) -> None:
        self._config = config
        self._whitener, self._work, self._spare = Whitener(), Workspace(single=True), Workspace(single=True)
        self._relevance = Relevance()
        self._newton, self._linear = Smoothed(0.3, 0.5), Smoothed(0.3, 0.5)
        self._fits = 0
        self._groups: list[Index] | None = None

    @property
    def score(self) -> float:
        """Smoothed leave-one-out R² of the quadratic fit."""
        return self._newton.value

    def open(self, window: Window, frame: Frame, *, residuals: bool, complete: bool) -> tuple[list[Page], str]:
        """Charts to propose from, or none with the reason. ``complete`` asks newton for its whole spectrum."""
        config = self._config
        if config.blocks is not None:
            frame = frame.axes()
            self._groups = self._groups or read_groups(config.blocks, frame.d)
        rows, weights = fitted_rows(window.f, window.age, config.recency, config.trim, _ENOUGH * frame.d)
        Z = self._whitener.to_z(window, frame, rows)
        squares = np.einsum("nd,nd->n", Z, Z)
        squares /= frame.d
        near = near_rows(squares)
        if not isinstance(near, slice):
            if not np.isfinite(Z[-1]).all():
                return [], "the window is not finite in the host's coordinates"
            rows = np.arange(len(window))[rows][near]
            Z, weights, squares = Z[near], weights[near], squares[near]
        charts: list[Chart] = []
        reason = ""
        if window.S is not None and config.chart in ("auto", "components"):
            observed = self._observed(Z, window, rows, weights, frame, residuals)
            charts += [observed] if observed is not None else []
            reason = "the components do not vary"
        if config.chart != "components":
            scalar, reason = self._scalar(Z, window.f[rows], weights, squares, complete)
            charts += scalar
        if self._groups is not None:
            charts = [self._blocked(chart) for chart in charts]
        return [Page(chart, frame) for chart in charts], "" if charts else reason

    def _observed(
        self, Z: Rows, window: Window, rows: Selection, weights: Vec, frame: Frame, residuals: bool
    ) -> Chart | None:
        """The chart of the components; with fewer rows than variables by those variables that matter."""
        if window.S is None:
            return None
        scale = "raw" if residuals else self._config.component_scale
        few = self._config.relevance and len(Z) < frame.d <= _WIDE
        if few and scale == "auto" and window.S.min() >= 0.0:
            scale = "level"
        S = moderate(residual_coordinates(window.S[rows], scale))
        if not few:
            fit = fit_jacobian(Z, S, weights, ridge=self._config.ridge)
        else:
            axes = frame.axes()
            fit = self._relevance.fit(axes.to_z(window.X[rows]), S, weights, axes.sigma * axes.scale)
            if fit is not None and axes is not frame:
                fit = JacobianFit(frame.pullback(axes.covector(fit.J)), fit.b, fit.loo)
        return None if fit is None else components_chart(fit)

    def _scalar(self, Z: Rows, f: Vec, weights: Vec, squares: Vec, complete: bool) -> tuple[list[Chart], str]:
        """The charts of f alone."""
        config = self._config
        scored = self._fits % _SCORE_EVERY == 0
        self._fits += 1
        charts: list[Chart] = []
        if config.chart != "linear":
            fit = self._fit(Z, f, weights, squares, config.curvature, scored, self._work)
            if fit is None:
                return [], "the window is flat"
            if scored:
                self._newton.add(float(np.clip(fit.loo, -1.0, 1.0)))
            if config.chart == "quadratic":
                return [quadratic_chart(fit, self.score, _QUADRATIC_RANK)], ""
            chart = newton_chart(fit, self.score, complete)
            charts += [chart] if chart is not None else []
        if config.chart == "linear" or (config.chart == "auto" and self.score < config.trust):
            slope = self._slope(Z, f, weights, squares, scored)
            charts += [slope] if slope is not None else []
        return charts, "" if charts else "the window is flat"

    def _slope(self, Z: Rows, f: Vec, weights: Vec, squares: Vec, scored: bool) -> Chart | None:
        """The linear chart."""
        config = self._config
        fit = self._fit(Z, f, weights, squares, 0.0, scored, self._spare)
        if fit is None or not norm(fit.gradient()) > 0.0:
            return None
        if scored:
            self._linear.add(float(np.clip(fit.loo, -1.0, 1.0)))
        reach = 0.0 if config.aspiration == "origin" else config.kappa * float(np.sqrt(fit.d))
        return linear_chart(fit.gradient(), self._linear.value, reach)

    def _fit(
        self, Z: Rows, f: Vec, weights: Vec, squares: Vec, q: float, scored: bool, work: Workspace
    ) -> DualFit | None:
        ridge = self._config.ridge
        return fit_dual(Z, f, weights, ridge=ridge, q=q, score=scored, work=work, squares=squares)

    def _blocked(self, chart: Chart) -> Chart:
        geometry: Geometry = blockwise(chart.geometry, self._groups or [])
        if isinstance(chart, NewtonChart):
            return NewtonChart(chart.fit, chart.score, given=geometry)
        if isinstance(chart, ResidualChart):
            return ResidualChart(chart.name, chart.J, chart.b, chart.score, geometry)
        return chart


def near_rows(squares: Vec) -> Selection:
    """Which rows, by ‖z‖²/d (n,), are near enough to say something of here; all of them if too few are."""
    if squares.max() <= _FAR:
        return slice(None)
    near = np.flatnonzero(squares <= _FAR)
    return near if len(near) > _FEW else np.arange(len(squares))


def fitted_rows(f: Vec, age: Vec, recency: float, trim: float, enough: int = 2) -> tuple[Selection, Vec]:
    """Which rows a fit reads, and their weights (k,): falling with the rank of f and with age.

    The worst ``trim`` of the rows are left out, as long as ``enough`` remain: far up a hill a landscape says little
    about its bottom, but where rows are few the steep directions show only there. Where none are, they stay in the
    order they have, and nothing is copied; else the best is the first.
    """
    n = len(f)
    best = np.argsort(f, kind="stable")
    weights = np.empty(n)
    weights[best] = _BEST + (_WORST - _BEST) / max(n - 1, 1) * np.arange(n)
    weights *= np.exp(-recency * age)
    kept = max(ceil((1.0 - trim) * n), enough)
    if kept >= n:
        return slice(None), weights
    return best[:kept], weights[best[:kept]]
