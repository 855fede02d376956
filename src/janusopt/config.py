"""The hyperparameter table, checked once. ``JanusConfig()`` is ours; ``JanusConfig.paper()`` is the paper's.

Names follow docs/NOTATION.md. Every field says what it does; fields marked (paper) stand in its Table of
hyperparameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from janusopt.errors import InputError

ChartName = Literal["auto", "newton", "quadratic", "linear", "components"]
ComponentScale = Literal["auto", "sqrt", "level", "shifted", "standardized", "raw"]
Cmix = Literal["auto", "mix", "sample", "off"]
WeightRule = Literal["evidence", "dimension"]
Anchor = Literal["mean", "best"]
Aspiration = Literal["clip", "origin"]

_CHOICES: dict[str, tuple[object, ...]] = {
    "chart": ("auto", "newton", "quadratic", "linear", "components"),
    "component_scale": ("auto", "sqrt", "level", "shifted", "standardized", "raw"),
    "cmix": ("auto", "mix", "sample", "off"),
    "weight_rule": ("evidence", "dimension"),
    "anchor": ("mean", "best"),
    "aspiration": ("clip", "origin"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JanusConfig:
    """All settings of :class:`~janusopt.janus.Janus`; two presets, everything else by ``replace``."""

    window: int = 300  #: most recent rows that a fit reads (paper)
    ridge: float = 1e-3  #: ridge of the regressions (paper: μ)
    kappa: float = 1.0  #: longest infill step: κ√d whitened (paper)
    step: float = 1.0  #: GN step length factor (paper: η)
    damping: float | Literal["auto"] = "auto"  #: λ of the GN step (paper: 1 to 10); auto: the least that fits κ√d
    #: generations between refits (paper: assembly period); auto: 1, on a CMA host 2 or 4 in many variables (Cadence)
    refit_every: int | Literal["auto"] = "auto"
    chart: ChartName = "auto"  #: residual coordinates; auto: by leave-one-out error
    component_scale: ComponentScale = "auto"  #: how observed components become residuals; auto: √r, or level, for r ≥ 0
    aspiration: Aspiration = (
        "clip"  #: where the linear chart's residual is zero: at the clip length downhill, or the origin (paper)
    )
    curvature: float = 1.0  #: weight q of the quadratic kernel against the linear one
    recency: float = 1.0  #: regression weights fall by exp(-recency) over the window
    trim: float = 0.2  #: share of worst rows that a fit leaves out
    trust: float = 0.0  #: least smoothed leave-one-out R² of a chart that is used
    anchor: Anchor = "mean"  #: where GN steps start (paper: best)
    gn: bool = True  #: GN candidates on
    trust_region: bool = True  #: GN from the best row too, in a region of its own: with components, or on a population
    prelude: bool = True  #: with residuals and an x0, first a narrow descent about it
    encore: bool = True  #: with observed components: other descents once one is over, with half of what is left
    relevance: bool = True  #: with observed components and few rows: learn which variables matter, and scale by level
    neighbours: bool = True  #: with components and few rows: samples in which neighbouring variables move alike
    lbfgs: bool = True  #: a second GN slot: L-BFGS on the fitted gradients
    cmix: Cmix = "auto"  #: Eq. 3 on hosts that own a covariance (mix), candidates elsewhere (sample)
    weight_rule: WeightRule = "evidence"  #: w by out-of-sample rank correlation, or Eq. 4 (dimension)
    w_base: float = 0.5  #: Eq. 4's base (paper); by evidence the weight goes up to twice that
    w_min: float = 0.02  #: least weight that is used (paper)
    w_max: float = 0.6  #: most (paper)
    mix_damping: float = 0.5  #: λ inside T, relative to the median curvature
    mix_every: int = 5  #: generations between two reshapes
    fraction: float = 0.05  #: share of slots for CMIX candidates where they are sampled (paper: ρ)
    blocks: Sequence[Sequence[int]] | None = None  #: coordinate groups: JᵀJ is kept block diagonal

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(f"{name} must be one of {', '.join(map(repr, choices))}, got {getattr(self, name)!r}")
        _whole(self, ("window", 10), ("mix_every", 1))
        if self.refit_every != "auto":
            _whole(self, ("refit_every", 1), otherwise=" or 'auto'")
        _positive(self, "ridge", "kappa", "step", "mix_damping")
        if self.damping != "auto" and not (isinstance(self.damping, (int, float)) and self.damping > 0):
            raise InputError(f"damping must be positive or 'auto', got {self.damping!r}")
        if not 0 <= self.w_min <= self.w_max <= 1 or not 0 <= self.w_base <= 1:
            raise InputError(
                "mixing weights must satisfy 0 ≤ w_min ≤ w_max ≤ 1 and 0 ≤ w_base ≤ 1, got "
                f"w_min={self.w_min}, w_max={self.w_max}, w_base={self.w_base}"
            )
        if not 0 <= self.trim < 0.9 or not 0 <= self.recency < 50 or not self.curvature >= 0 or not self.trust < 1:
            raise InputError(
                "expected 0 ≤ trim < 0.9, 0 ≤ recency < 50, curvature ≥ 0 and trust < 1, got "
                f"trim={self.trim}, recency={self.recency}, curvature={self.curvature}, trust={self.trust}"
            )
        if not 0 <= self.fraction <= 1:
            raise InputError(f"fraction must lie in [0, 1], got {self.fraction}")

    @classmethod
    def paper(cls, d: int, *, scalar: bool = True) -> JanusConfig:
        """The paper's table: damping 1, anchor best, chart as printed, Eq. 4, cadence 5 (50 if scalar with d ≤ 100)."""
        return cls(
            damping=1.0,
            mix_damping=1.0,
            refit_every=50 if scalar and d <= 100 else 5,
            chart="quadratic" if scalar else "components",
            anchor="best",
            trust_region=False,
            prelude=False,
            encore=False,
            relevance=False,
            neighbours=False,
            lbfgs=False,
            aspiration="origin",
            recency=0.0,
            trim=0.0,
            weight_rule="dimension",
        )

    def replace(self, **changes: Any) -> JanusConfig:
        """A copy with some fields changed, checked again."""
        known = {f.name for f in fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise InputError(f"unknown setting {unknown[0]!r}; the settings are: {', '.join(sorted(known))}")
        return replace(self, **changes)


def _whole(config: JanusConfig, *least: tuple[str, int], otherwise: str = "") -> None:
    for name, low in least:
        value = getattr(config, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise InputError(f"{name} must be a whole number of at least {low}{otherwise}, got {value!r}")


def _positive(config: JanusConfig, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise InputError(f"{name} must be positive and finite, got {value!r}")
