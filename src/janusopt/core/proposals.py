"""From one geometry to candidates: the GN step, CMIX samples, and the mixing weight."""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.core.box import boxed_step
from janusopt.core.charts import Chart
from janusopt.core.frame import Frame
from janusopt.core.geometry import Geometry
from janusopt.core.metric import Metric


def gn_candidate(chart: Chart, frame: Frame, z_a: Vec, *, damping: float | None, step: float, kappa: float) -> Vec:
    """``z_a + η Δ`` with ``Δ = −(G + λI)⁻¹ Jᵀ s_a`` (Eq. 2), inside the box with active bounds held.

    damping None takes the least λ whose step fits the clip length κ√d.
    """
    slope = chart.slope(z_a)
    if damping is None:
        delta, damping = chart.step_within(slope, kappa * frame.d**0.5)
    else:
        delta = chart.geometry.descend(slope, damping)
    delta = step * delta
    return z_a + (in_box(frame, z_a, delta, slope, chart.geometry, damping) if frame.boxed else delta)


def in_box(frame: Frame, z_a: Vec, delta: Vec, slope: Vec, geometry: Geometry, damping: float) -> Vec:
    """The step ``delta`` (d,) from z_a reduced to the box by the chart's own curvature."""
    if not frame.boxed:
        return delta

    def product(v: Vec) -> Vec:
        return frame.covector(geometry.product(frame.whiten(v), damping)) / frame.sigma**2

    x_a = np.clip(frame.mean + frame.sigma * frame.color(z_a), frame.lower, frame.upper)
    move = frame.sigma * frame.color(delta)
    inside = boxed_step(x_a, move, frame.covector(slope) / frame.sigma, product, frame.lower, frame.upper)
    return delta if inside is move else frame.whiten(inside) / frame.sigma


def mixing_weight(m: int, n: int, d: int, base: float, low: float, high: float) -> float:
    """``w = w_base · min(m, n)/d`` clipped to [w_min, w_max] (Eq. 4)."""
    return min(max(base * min(m, n) / d, low), high)


def evidence_weight(evidence: float, base: float, low: float, none: float, full: float) -> float:
    """w by evidence: 0 up to ``none``, ``base`` from ``full`` on; below ``low`` not worth a write."""
    weight = base * min(max((evidence - none) / (full - none), 0.0), 1.0)
    return weight if weight >= low else 0.0


_DOUBT = 8.0  # λ of Eq. 3 in units of a fit's most negative curvature


def cmix_metric(geometry: Geometry, damping: float) -> Metric:
    """``T = (G/median + λ I)⁻¹``: curvature in units of its median, so that λ_mix means the same everywhere.

    λ is λ_mix, or more where the fit doubts its curvatures: those of the size of its errors then leave C as it is,
    and only what stands out reshapes it.
    """
    rest = max(geometry.d - geometry.rank, 0)
    spectrum = np.sort(geometry.curvature)
    middle = geometry.d // 2
    below = int(np.searchsorted(spectrum, geometry.rest))
    if below <= middle < below + rest:
        median = geometry.rest
    else:
        median = float(spectrum[middle if middle < below else middle - rest])
    if median <= 0.0:  # fewer residuals than half of the variables: the median of what curves at all
        positive = spectrum[spectrum > 0.0]
        median = float(positive[len(positive) // 2]) if len(positive) else 1.0
    unit = max(median, 1e-300)
    scaled = Geometry(geometry.curvature / unit, geometry.Vt, geometry.rest / unit)
    return scaled.metric(max(damping, _DOUBT * geometry.doubt / unit))


def cmix_rows(geometry: Geometry, z_a: Vec, xi: Rows, *, weight: float, damping: float) -> Rows:
    """CMIX in the form that writes nothing: ``√(1−w) C^½ξ₁ + √(w·tr C/tr T) T^½ξ₂`` about the anchor, in z (k, d).

    xi (2, k, d) standard normal. In whitened coordinates C is the identity, tr C = d.
    """
    ratio = geometry.d / geometry.inverse_trace(damping)
    rows = np.sqrt(1.0 - weight) * xi[0] + np.sqrt(weight * ratio) * geometry.sample(xi[1], damping)
    return np.asarray(z_a + rows)
