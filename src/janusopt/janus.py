"""JANUS for one objective: reads the host's own evaluations, proposes GN and CMIX candidates.

Per generation: open the atlas on the window (:mod:`janusopt.core.atlas`), take GN steps from the anchor, and either sample CMIX
candidates or hand Eq. 3's metric to a host that owns a covariance. Nothing is proposed from a chart that leave-one-out error
speaks against; each source keeps its slot only while its candidates come out on top.
"""

from __future__ import annotations

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec
from janusopt.core.atlas import Atlas, Page
from janusopt.core.charts import NewtonChart
from janusopt.core.evaluations import Evaluations
from janusopt.core.evidence import Smoothed, Success, rank_correlation
from janusopt.core.frame import Frame
from janusopt.core.lbfgs import GradientMemory
from janusopt.core.metric import Metric
from janusopt.core.proposals import (
    cmix_metric,
    cmix_rows,
    evidence_weight,
    gn_candidate,
    in_box,
    mixing_weight,
    shortened,
)
from janusopt.core.trace import Trace, Window
from janusopt.infill import Proposals, Recorder, StepRecord, relative_ranks

_MEMORY, _SPACING = 20, 1.0  # L-BFGS pairs, and evaluations between two in units of d
_MIN_GENERATIONS = 3  # of rows before the first fit


class Janus:
    """GN and CMIX infill behind the :class:`~janusopt.infill.Infill` protocol.

    ``Janus()`` is the default; ``Janus(JanusConfig(cmix="off"))`` is JANUS-GN, ``Janus(JanusConfig(gn=False, lbfgs=False))``
    CMIX alone. ``rng`` feeds CMIX samples and the draw of sources; it never touches the host's stream.
    """

    def __init__(self, config: JanusConfig | None = None, *, rng: np.random.Generator | int | None = None) -> None:
        self.config = config or JanusConfig()
        self._rng = np.random.default_rng(rng)
        self._recorder = Recorder()
        self._success = Success()
        self.restart()

    @property
    def records(self) -> list[StepRecord]:
        return self._recorder.records

    def restart(self) -> None:
        self._trace = Trace(self.config.window)
        self._atlas = Atlas(self.config)
        self._gradients = GradientMemory(_MEMORY, _SPACING)
        self._evidence = Smoothed(0.2)
        self._pages: list[Page] = []
        self._generation = 0
        self._population = 0
        self._residuals = False

    def observe(self, X: Rows, evals: Evaluations) -> None:
        good = ~evals.failed
        if self._pages and int(good.sum()) > 2 and np.ptp(evals.f[good]) > 0.0:
            page = self._pages[-1]
            predicted = page.chart.predict(page.frame.to_z(X[good]))
            self._evidence.add(rank_correlation(predicted, evals.f[good]))
        sources = self._recorder.sources
        if sources:
            ranks = relative_ranks(evals)[: len(sources)]
            self._recorder.complete(ranks)
            self._success.add(sources[: len(ranks)], ranks)
        self._residuals = evals.residuals
        self._trace.record(X, evals)
        self._generation += 1
        self._population = len(X)

    def propose(self, frame: Frame, slots: int) -> Proposals:
        reason = self._not_ready(slots)
        mix = self._mixes(frame)
        if not reason and (not self._pages or self._generation % self.config.refit_every == 0):
            reason = self._refit(frame, mix)
        if reason:
            self._recorder.note(reason=reason)
            return Proposals.none(frame.d)
        named = self._candidates(frame, slots)
        metric, weight = self._metric() if mix else (None, 0.0)
        rows = [(name, frame.clip(x, self.config.kappa)) for name, x in named if np.all(np.isfinite(x))][:slots]
        chart = self._pages[0].chart
        self._recorder.note(
            chart=chart.name,
            score=chart.score,
            evidence=self._evidence.value,
            rank=chart.geometry.rank,
            weight=weight,
            sources=tuple(name for name, _ in rows),
            reason="" if rows or metric is not None else "no source drew a slot",
        )
        X = np.array([x for _, x in rows]) if rows else np.empty((0, frame.d))
        return Proposals(X, tuple(name for name, _ in rows), metric, weight)

    def _not_ready(self, slots: int) -> str:
        if slots <= 0:
            return "the host has no slot"
        if len(self._trace) < max(_MIN_GENERATIONS * self._population, 4):
            return "too few rows"
        return ""

    def _refit(self, frame: Frame, complete: bool) -> str:
        self._pages = []  # frees the old window in z before the new one is made
        self._pages, reason = self._atlas.open(
            self._trace.window(), frame, residuals=self._residuals, complete=complete
        )
        return reason

    def _mixes(self, frame: Frame) -> bool:
        """Whether this generation may reshape the host's covariance."""
        config = self.config
        if config.cmix not in ("auto", "mix") or not (frame.owns_covariance and frame.decomposes) or config.blocks:
            return False
        cadence = max(config.mix_every, frame.d // 25)
        if self._generation % cadence:
            return False
        return config.weight_rule == "dimension" or self._evidence_weight() > 0.0

    def _evidence_weight(self) -> float:
        return evidence_weight(self._evidence.value, self.config.w_base, self.config.w_min)

    def _metric(self) -> tuple[Metric | None, float]:
        """Eq. 3's T and w."""
        config, page = self.config, self._pages[-1]
        geometry = page.chart.geometry
        if config.weight_rule == "evidence":
            return cmix_metric(geometry, config.mix_damping), self._evidence_weight()
        weight = mixing_weight(page.chart.m, len(self._trace), page.frame.d, config.w_base, config.w_min, config.w_max)
        return geometry.metric(config.mix_damping), weight

    def _candidates(self, frame: Frame, slots: int) -> list[tuple[str, Vec]]:
        named: list[tuple[str, Vec]] = []
        if self.config.gn:
            for page in self._pages:
                if self._draws(_SOURCE[page.chart.name]):
                    named.append((_SOURCE[page.chart.name], self._gn(page)))
        if self.config.lbfgs:
            named += self._quasi_newton(frame)
        if self.config.cmix == "sample" or (self.config.cmix == "auto" and not frame.owns_covariance):
            named += self._samples(frame, slots)
        return named

    def _draws(self, source: str) -> bool:
        return bool(self._rng.random() < self._success.chance(source))

    def _gn(self, page: Page) -> Vec:
        config = self.config
        damping = None if config.damping == "auto" else float(config.damping)
        anchor = page.frame.mean if config.anchor == "mean" else self._best(self._trace.window())
        return gn_candidate(page.chart, page.frame, anchor, damping=damping, step=config.step, kappa=config.kappa)

    @staticmethod
    def _best(window: Window) -> Vec:
        return window.X[int(np.argmin(window.f))]

    def _quasi_newton(self, frame: Frame) -> list[tuple[str, Vec]]:
        """The L-BFGS candidate from the newton chart's gradients."""
        page = self._pages[-1]
        chart = page.chart
        if not isinstance(chart, NewtonChart):
            return []
        slope = chart.slope(np.zeros(frame.d))
        gradient = page.frame.covector(slope) * (chart.fit.unit / page.frame.sigma)
        self._gradients.record(page.frame.mean, gradient, self._trace.count)
        if len(self._gradients) == 0 or not self._draws("lbfgs"):
            return []
        delta = self._gradients.step(gradient, lambda v: page.frame.color(page.frame.pullback(v)))
        if delta is None:
            return []
        delta = shortened(page.frame, delta, self.config.kappa)
        damping = chart.geometry.damping_for(slope, self.config.kappa * float(np.sqrt(frame.d)))
        return [("lbfgs", page.frame.mean + in_box(page.frame, page.frame.mean, delta, slope, chart.geometry, damping))]

    def _samples(self, frame: Frame, slots: int) -> list[tuple[str, Vec]]:
        """CMIX candidates in slots: nothing written."""
        count = max(1, round(self.config.fraction * slots))
        if not self._draws("cmix"):
            return []
        config, page = self.config, self._pages[-1]
        if config.weight_rule == "evidence":
            weight = max(self._evidence_weight(), config.w_min)
        else:
            weight = mixing_weight(page.chart.m, len(self._trace), frame.d, config.w_base, config.w_min, config.w_max)
        anchor = page.frame.mean if config.anchor == "mean" else self._best(self._trace.window())
        xi = self._rng.standard_normal((2, count, frame.d))
        rows = cmix_rows(page.chart.geometry, page.frame, anchor, xi, weight=weight, damping=config.mix_damping)
        return [("cmix", row) for row in rows]


_SOURCE = {"newton": "newton", "linear": "linear", "quadratic": "gn", "components": "gn"}
