"""JANUS for one objective: reads the host's own evaluations, proposes GN and CMIX candidates.

Per generation: open the atlas on the window (:mod:`janusopt.core.atlas`), take GN steps from the anchor, and either
sample CMIX candidates or hand Eq. 3's metric to a host that owns a covariance. Nothing is proposed from a chart that
leave-one-out error speaks against; each source keeps its slot only while its candidates come out on top.
"""

from __future__ import annotations

from itertools import compress
from math import inf

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.atlas import Atlas, Page
from janusopt.core.cadence import Cadence
from janusopt.core.charts import NewtonChart
from janusopt.core.evaluations import Evaluations
from janusopt.core.evidence import Curvature, Smoothed, Success, partial_correlations, rank_correlation
from janusopt.core.frame import Frame
from janusopt.core.hindsight import Hindsight, knows
from janusopt.core.lbfgs import GradientMemory
from janusopt.core.metric import Metric
from janusopt.core.neighbours import Neighbours, wanted
from janusopt.core.promise import Promises
from janusopt.core.proposals import (
    cmix_metric,
    cmix_rows,
    evidence_weight,
    gn_candidate,
    in_box,
    mixing_weight,
)
from janusopt.core.trace import Trace
from janusopt.core.trust import TrustRegion
from janusopt.core.valley import REST, Valley
from janusopt.core.vicinity import Vicinity
from janusopt.infill import Proposals, Recorder, StepRecord, relative_ranks

Candidate = tuple[str, Page, Vec]  # source, page, z

_MEMORY, _SPACING = 20, 1.0  # L-BFGS pairs, and evaluations between two in units of d
_MIX = {
    "newton": (0.12, 0.45, 2.0, 25),
    "quadratic": (0.3, 0.8, 1.0, 25),
    "components": (0.1, 0.5, 1.8, 100),
}  # evidence from which Eq. 3 has a weight, and its full one; that one over w_base; variables a generation of rest
_EASY = 5  # entries of a covariance for each row of the window, up to which the host itself learns it soon
_SKILL = (0.05, 0.2)  # rank correlation below which a chart has no say, and from which it has all of it
_COMPLETE = 10_000  # variables up to which Eq. 3 gets the whole spectrum; beyond, only its Krylov part, to save memory
_CALM = 2  # times as long, at least, between two reshapes by the long window, whose fit changes half as fast
_REVIVE = 0.1  # least chance of a slot
_MIN_GENERATIONS = 3  # of rows before the first fit


class Janus:
    """GN and CMIX infill behind the :class:`~janusopt.infill.Infill` protocol.

    ``Janus()`` is the default; ``Janus(JanusConfig(cmix="off"))`` is JANUS-GN, ``Janus(JanusConfig(gn=False,
    lbfgs=False))`` CMIX alone. ``rng`` feeds CMIX samples and the draw of sources; it never touches the host's
    stream.
    """

    def __init__(self, config: JanusConfig | None = None, *, rng: np.random.Generator | int | None = None) -> None:
        self.config = config or JanusConfig()
        self._rng = np.random.default_rng(rng)
        self.encores = self.config.encore
        self._recorder, self._success = Recorder(), Success()
        self.restart()

    @property
    def records(self) -> list[StepRecord]:
        return self._recorder.records

    @property
    def settled(self) -> bool:
        """Whether this descent has been hurried into one basin of many; a valley's walls break promises as well."""
        return self._promises.hurried and not self._valley.found

    def rest(self) -> None:
        """Propose nothing until the next restart: this descent is the host's alone."""
        self._rests = True

    def restart(self) -> None:
        self._rests = False
        self._promises = Promises()
        self._trace = Trace(self.config.window)
        self._atlas = Atlas(self.config)
        self._gradients = GradientMemory(_MEMORY, _SPACING)
        self._evidence: dict[str, Smoothed] = {}
        self._curvature = Curvature()
        self._hindsight: Hindsight | None = None
        self._valley = Valley()
        self._pages: list[Page] = []
        self._generation = self._mixed = 0
        self._cadence = Cadence(self.config)
        self._population = 0
        self._regions = {"trust": TrustRegion(), "merit": TrustRegion(merit=True)}
        self._residuals = False
        self._vicinity: Vicinity | None = None
        self._neighbours: Neighbours | None = None

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...] | None = None) -> None:
        ours = self._recorder.sources if sources is None else sources
        if self._cadence.scores(self._generation):
            good = ~evals.failed
            if good.all():
                self._examine(X, evals.f, ours[: len(X)])
            else:
                self._examine(X[good], evals.f[good], tuple(compress(ours, good)))
        if ours:
            ranks = relative_ranks(evals)[: len(ours)]
            self._success.add(ours[: len(ranks)], ranks)
            if sources is None:
                self._recorder.complete(ranks)
        for source, region in self._regions.items():
            region.observe(X, evals, ours.index(source) if source in ours else None)
        self._residuals = evals.residuals
        if self._neighbours is not None and sources is None:
            self._neighbours.observe(X, evals, len(ours))
        self._trace.record(X, evals)
        if self._trace.has_components:
            self._hindsight, self._vicinity, self._valley = None, None, Valley()
        if self._vicinity is not None:
            self._vicinity.observe(X, evals, ours)
        if self._hindsight is not None:
            self._hindsight.record(X, evals)
        self._valley.record(X, evals)
        self._generation += 1
        self._population = len(X)

    def _examine(self, X: Rows, f: Vec, sources: tuple[str, ...]) -> None:
        """Score the charts on rows they have not seen; the first are their own candidates, from ``sources``."""
        ours = len(sources)
        if len(f) <= 2 or not f.max() > f.min():
            return
        self._valley.examine(X[ours:], f[ours:])
        f = self._valley.floor(X, f)
        for page in self._pages:
            chart, Z = page.chart, page.frame.to_z(X)
            if isinstance(chart, NewtonChart):
                slope, curved, squares = chart.fit.parts(Z)
                predicted = chart.fit.total(slope, curved, squares)
                if "newton" in sources and len(f) > ours:
                    self._promises.compare(f, predicted, chart.fit.unit, sources.index("newton"), ours)
                if len(f) - ours > 5:
                    parts = curved[None, ours:]
                    if self._hindsight is not None:
                        parts = np.concatenate([parts, self._hindsight.curved(X[ours:], page.frame.mean)])
                    score, *longer = partial_correlations(f[ours:], parts, np.array([slope[ours:], squares[ours:]]))
                    self._curvature.add(score)
                    if self._hindsight is not None and longer:
                        self._hindsight.score(longer[0], score)
            else:
                predicted = chart.predict(Z)
            self._evidence.setdefault(chart.name, Smoothed(0.36)).add(rank_correlation(predicted, f))

    def propose(self, frame: Frame, slots: int) -> Proposals:
        if self._trace.count == 0:
            self._hindsight, self._vicinity = Hindsight.of(self.config, frame), Vicinity.of(self.config, frame)
            self._valley, self._neighbours = Valley.of(self.config, frame), Neighbours.of(self.config, frame, self._rng)
        if self._neighbours is not None:
            self._neighbours.look(frame)
        if self._hurries(frame):
            self._promises.shrink(frame.widest)
        reason = self._not_ready(slots)
        if not reason:
            self._valley.look()
        if self._hindsight is not None and not reason:
            self._hindsight.look(frame, self._generation)
        mix, own = self._mixes(frame), self._hindsight is None
        self._cadence.look(frame, self._trace.has_components, self._promises.shown, self._population)
        fresh = not reason and self._due(mix and own)
        if fresh:
            reason = self._refit(frame, mix and own and not self._valley.sure)
        if reason:
            self._recorder.note(reason=reason)
            return Proposals.none(frame.d)
        named = self._candidates(frame, slots, fresh)
        back = not own and not self._valley.sure
        metric, weight = self._metric(frame) if mix else (None, 0.0)
        if metric is not None:
            self._mixed = self._generation
        rows = self._from_best(frame)
        rows += [] if self._vicinity is None else self._vicinity.candidates(frame, slots, self._rng)
        rows += [(name, self._placed(page, frame, z)) for name, page, z in named if norm(z) < inf]
        if self._neighbours is not None:
            rows += self._neighbours.candidates(self._population, wanted(self._skill("components")))
        rows = rows[:slots]
        chart, sources = self._pages[0].chart, tuple(name for name, _ in rows)
        self._recorder.note(
            chart=chart.name,
            score=chart.score,
            evidence=self._skill(chart.name),
            rank=chart.rank,
            weight=weight,
            looked_back=metric is not None and back,
            sources=sources,
            reason="" if rows or metric is not None else "no source drew a slot",
        )
        X = np.array([x for _, x in rows]) if rows else np.empty((0, frame.d))
        return Proposals(X, sources, metric, weight)

    def _hurries(self, frame: Frame) -> bool:
        """Whether rows may shrink a step size before its basin is chosen: only fits of little curvature do harm."""
        return frame.owns_covariance and not self._trace.has_components and not knows(self.config.window, frame.d)

    def _not_ready(self, slots: int) -> str:
        if self._rests:
            return "the last descent was hurried into one basin of many: this one is the host's"
        if slots <= 0:
            return "the host has no slot"
        if len(self._trace) < max(min(_MIN_GENERATIONS * self._population, self._trace.capacity), 4):
            return "too few rows"
        return ""

    def _due(self, mix: bool) -> bool:
        """Whether to fit anew: by the cadence, and where Eq. 3 goes by this fit, in the host's shape of now."""
        anew = not self._pages or (mix and self.config.refit_every == "auto")
        return anew or self._cadence.due(self._generation)

    def _refit(self, frame: Frame, complete: bool) -> str:
        self._pages = []  # frees the old window in z before the new one is made
        window = self._valley.window(self._trace.window())
        self._pages, reason = self._atlas.open(
            window, frame, residuals=self._residuals, complete=complete and frame.d <= _COMPLETE
        )
        return reason

    def _mixes(self, frame: Frame) -> bool:
        """Whether this generation may reshape the host's covariance."""
        config = self.config
        if config.cmix not in ("auto", "mix") or not (frame.owns_covariance and frame.decomposes) or config.blocks:
            return False
        if config.weight_rule == "dimension":
            return self._rested(frame.d, "quadratic")
        if self._valley.sure:
            return self._generation - self._mixed >= REST
        if self._generation - self._mixed < config.mix_every:
            return False
        name, weight = self._deserving(frame.d)
        return weight > 0.0 and self._rested(frame.d, name)

    def _rested(self, d: int, chart: str) -> bool:
        """Whether the last reshape is long enough ago: at large d a decomposition costs more than a generation."""
        rest = max(self.config.mix_every, d // _MIX[chart][3])
        if self._hindsight is not None:
            half = self.config.window // max(self._population, 1)  # of the long window is new by then
            rest = max(_CALM * rest, half if self._cadence.few(d) else 0)
        return self._generation - self._mixed >= rest

    def _skill(self, chart: str) -> float:
        """Smoothed out-of-sample rank correlation of a chart."""
        return self._evidence[chart].value if chart in self._evidence else 0.0

    def _deserving(self, d: int) -> tuple[str, float]:
        """The chart that deserves the most weight in Eq. 3, and that weight."""
        config = self.config
        strength = {name: self._skill(name) for name in self._evidence if name in _MIX}
        if "newton" in strength:
            strength["newton"] = self._curvature.strength(strength["newton"], len(self._trace), d, self._population)
        weights = {}
        if self._hindsight is not None and not self._hindsight.better:
            strength.pop("newton", None)
        for name, evidence in strength.items():
            none, full, most, _ = _MIX[name]
            if name == "components" and d * (d + 1) // 2 <= _EASY * len(self._trace):
                none, full, most, _ = _MIX["quadratic"]
            weights[name] = evidence_weight(evidence, min(most * config.w_base, 1.0), config.w_min, none, full)
        return max(weights.items(), key=lambda entry: entry[1], default=("newton", 0.0))

    def _curved(self, name: str) -> Page | None:
        """The page of that name, or the first that knows curvature: a slope alone says nothing of a covariance."""
        pages = [page for page in self._pages if page.chart.name != "linear"]
        return next((page for page in pages if page.chart.name == name), pages[0] if pages else None)

    def _metric(self, frame: Frame) -> tuple[Metric | None, float]:
        """Eq. 3's T and w."""
        config = self.config
        if self._valley.sure:
            return self._valley.metric(frame), 1.0
        name, weight = self._deserving(frame.d)
        page = self._curved(name)
        if page is None:
            return None, 0.0
        if config.weight_rule == "evidence":
            geometry = page.chart.geometry if self._hindsight is None else self._hindsight.fit(frame, self._generation)
            return (None, 0.0) if geometry is None else (cmix_metric(geometry, config.mix_damping), weight)
        return page.chart.geometry.metric(config.mix_damping), self._dimension_weight(page)

    def _placed(self, page: Page, frame: Frame, z: Vec) -> Vec:
        """A candidate of a page as a point x, within the clip length of the frame of now."""
        x = page.frame.from_z(page.frame.shorten(z, self.config.kappa))
        return frame.clip(x, self.config.kappa) if frame.warp is not None or page.frame is not frame else x

    def _from_best(self, frame: Frame) -> list[tuple[str, Vec]]:
        """The trust regions' rows, where components are seen; a second one where these and f differ on the best row."""
        config = self.config
        if not (config.gn and config.trust_region and config.chart in ("auto", "components")):
            return []
        if not self._trace.has_components:
            return []
        window = self._trace.window()
        value, merit = self._regions.values()
        chances = {"trust": self._success.chance("trust")}
        if not self._residuals and not np.array_equal(value.best, merit.best):
            chances["merit"] = max(_REVIVE, min(1.0, 2.0 * merit.kept))
        drawn = [source for source, chance in chances.items() if self._rng.random() < chance]
        made = {
            source: self._regions[source].candidate(frame, window, residuals=self._residuals, kappa=config.kappa)
            for source in drawn
        }
        return [(source, x) for source, x in made.items() if x is not None]

    def _candidates(self, frame: Frame, slots: int, fresh: bool) -> list[Candidate]:
        named: list[Candidate] = []
        if self.config.gn and self._cadence.steps(frame, fresh):
            for page in self._pages:
                source = _SOURCE[page.chart.name]
                if self._draws(source, page.chart.name):
                    named.append((source, page, self._gn(page, frame)))
        if self.config.lbfgs and self._cadence.remembers(frame):
            named += self._quasi_newton(frame)
        if self.config.gn and self._valley.seen:
            page, Z = self._pages[0], np.array([z for _, _, z in named]).reshape(-1, frame.d)
            Z = self._valley.along(page.frame, Z, page.origin(frame), slots, self._rng)
            sources = [name for name, _, _ in named] + ["floor"] * (len(Z) - len(named))
            named = [(name, page, z) for name, z in zip(sources, Z, strict=True)]
        if self.config.cmix == "sample" or (self.config.cmix == "auto" and not frame.owns_covariance):
            named += self._samples(frame, slots)
        return named

    def _draws(self, source: str, chart: str) -> bool:
        """Whether a source has its slot this generation: by its own success and by its chart's skill."""
        chance = self._success.chance(source)
        if self.config.chart == "auto":
            chance *= min(max((self._skill(chart) - _SKILL[0]) / (_SKILL[1] - _SKILL[0]), 0.05), 1.0)
        return bool(self._rng.random() < chance)

    def _gn(self, page: Page, frame: Frame) -> Vec:
        config = self.config
        damping = None if config.damping == "auto" else float(config.damping)
        return gn_candidate(
            page.chart, page.frame, self._anchor(page, frame), damping=damping, step=config.step, kappa=config.kappa
        )

    def _anchor(self, page: Page, frame: Frame) -> Vec:
        """Where steps start, in the page's z: at the host's mean of now, or at the best row."""
        if self.config.anchor == "mean":
            return page.origin(frame)
        window = self._trace.window()
        return page.frame.to_z(window.X[int(np.argmin(window.f))])

    def _quasi_newton(self, now: Frame) -> list[Candidate]:
        """The L-BFGS candidate from the newton chart's gradients, at the mean of ``now``."""
        page = next((page for page in self._pages if isinstance(page.chart, NewtonChart)), None)
        if page is None or not isinstance(page.chart, NewtonChart):
            return []
        chart, frame, origin = page.chart, page.frame, page.origin(now)
        drawn = len(self._gradients) > 0 and self._draws("lbfgs", "newton")
        if not drawn and not self._gradients.due(frame.d, self._trace.count):
            return []
        slope = chart.slope(origin)
        gradient = frame.covector(slope) * (chart.fit.unit / frame.sigma)
        self._gradients.record(now.mean, gradient, self._trace.count)
        if not drawn:
            return []
        move = self._gradients.step(gradient, frame.pullback, frame.color)
        if move is None:
            return []
        delta = frame.shorten(frame.whiten(move) / frame.sigma, self.config.kappa)
        if frame.boxed:
            damping = chart.geometry.damping_for(slope, self.config.kappa * float(np.sqrt(frame.d)))
            delta = in_box(frame, origin, delta, slope, chart.geometry, damping)
        return [("lbfgs", page, origin + delta)]

    def _samples(self, frame: Frame, slots: int) -> list[Candidate]:
        """CMIX candidates in slots: nothing written."""
        config = self.config
        name, weight = self._deserving(self._pages[0].frame.d)
        page = self._curved(name) or self._pages[-1]
        if not self._draws("cmix", page.chart.name):
            return []
        if name == "newton":
            weight = min(weight, config.w_base)  # a sample has no metric to tell what stands out
        weight = max(weight, config.w_min) if config.weight_rule == "evidence" else self._dimension_weight(page)
        xi = self._rng.standard_normal((2, max(1, round(config.fraction * slots)), page.frame.d))
        rows = cmix_rows(page.chart.geometry, self._anchor(page, frame), xi, weight=weight, damping=config.mix_damping)
        return [("cmix", page, row) for row in rows]

    def _dimension_weight(self, page: Page) -> float:
        config = self.config
        return mixing_weight(page.chart.m, len(self._trace), page.frame.d, config.w_base, config.w_min, config.w_max)


_SOURCE = {"newton": "newton", "linear": "linear", "quadratic": "gn", "components": "gn"}
