"""ParetoJanus: infill for several objectives. The objective vectors are the residual coordinates (METHOD §7).

    S = (F − ideal)/(nadir − ideal)   on the non-dominated rows seen so far

A candidate comes from one of several sources: about a non-dominated anchor in a sparse part of the front without a
model (:mod:`janusopt.core.variation`) or with one (:mod:`janusopt.core.pareto_steps`), or from a quadratic at an end of
the front or in its middle that keeps its own memory (:mod:`janusopt.core.regions`). A source is paid by the
hypervolume that its candidates add to the front (:mod:`janusopt.core.contribution`), and so are the host's own rows of
the same generation: what a source's rows earn relative to the host's decides its share of the slots, from next to
nothing to most of ``fraction``.

A part of the front that lags behind is dominated by one that got ahead, and dies. Two things are done about it:
infill begins small and grows with the number of non-dominated rows, so that the host finds the parts first; and a
small share of the slots always goes to ``graft``, which can lead back to them: it takes coordinates of rows that were
there before anything was lost, and of the box's corners; half of its rows take a difference of two such rows instead.

With more than four objectives almost every row is non-dominated, also one that is far behind in most of them, and such
rows are the ones that look sparse and new. There adaptive infill goes by :class:`~janusopt.core.niches.Niches` instead
of a front: anchors, donors and both ends of a difference are rows that are ahead of those in nearly the same direction,
and a source is paid by how far its rows get ahead of these. No local model of so many objectives is good enough, so
``differential`` and ``graft`` are the sources there.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from janusopt.core.arrays import Index, Rows
from janusopt.core.box import Edge, returned
from janusopt.core.credit import Credit
from janusopt.core.donors import Donors
from janusopt.core.dual import Workspace
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.front import Front
from janusopt.core.niches import Niches
from janusopt.core.pareto_steps import LocalModel, cmix, gn, local_model, newton
from janusopt.core.regions import FEWEST, Regions
from janusopt.core.reservoir import Reservoir
from janusopt.core.trace import Trace, Window
from janusopt.core.variation import differential, graft, project, scatter, snap
from janusopt.errors import InputError
from janusopt.infill import Proposals, Recorder, StepRecord, relative_ranks

SOURCES = ("graft", "bounds", "differential", "region", "newton", "gn", "cmix", "snap", "random")
_MODELLED = ("newton", "gn", "cmix")
_FITTED = ("region", *_MODELLED)
_NICHED = ("graft", "differential")
_MOST = 4  # objectives up to which what a row adds to a front can be measured
_ELITE, _OTHERS = 50, 5  # rows drawn from the niches, for donors and differences; donors of another kind beside them
_PACE = 0.005  # mean share of their length by which rows get ahead in their niches, from which infill has its fraction
_NICHED_CROSSOVER = 0.3  # share of coordinates that a differential step between niches moves
_PARTS = {"differential": 2.0, "region": 4.0}  # where all earn alike: of the others each has one part
_REGION = 0.5  # of the slots, at most, for one region's rows
_RIPE = 0.5  # non-dominated rows, as a share of a generation, from which infill has its whole fraction
_PAUSE = 3  # a refused model costs as many times the rows it was made for, so that fits that explain nothing are rare
_REMEMBERED = 300  # rows that graft takes coordinates from: the first half are the run's first, the rest a fair sample


@dataclass(frozen=True, slots=True)
class ParetoConfig:
    """The numbers behind :class:`ParetoJanus`, checked once.

    fraction: largest share of the slots. adaptive: sources get what they earn, and with more than four objectives they
    go by niches; without, equal parts of ``fraction``.
    guard: least share of ``graft``, where it is on. window, neighbours: rows kept, and rows a local fit is made on.
    gate: least leave-one-out R² of a Newton step. ridge, damping, kappa, mix_weight, mix_damping: as in the scalar
    method, for sources about an anchor; regions have its own settings. crossover: share of coordinates a differential
    step moves (by niches it is 0.3). refit_every: generations between fits. models, per_model: most local models then,
    and the candidates that each is made for. edge: how candidates that leave the box come back, put on the bound
    ("clip") or mirrored at it ("reflect").
    """

    fraction: float = 0.4
    sources: tuple[str, ...] = ("graft", "bounds", "differential", "region")
    adaptive: bool = True
    guard: float = 0.03
    window: int = 1000
    neighbours: int = 120
    gate: float = 0.5
    ridge: float = 1e-3
    damping: float = 1.0
    kappa: float = 1.0
    mix_weight: float = 0.5
    mix_damping: float = 1.0
    crossover: float = 0.5
    refit_every: int = 2
    models: int = 1
    per_model: int = 6
    edge: Edge = "clip"

    @classmethod
    def paper(cls, fraction: float = 0.05) -> ParetoConfig:
        """The paper's form: GN and CMIX in 2% or 5% of the slots, whatever they earn."""
        return cls(fraction=fraction, sources=("gn", "cmix"), adaptive=False, refit_every=1, models=5, per_model=1)

    def __post_init__(self) -> None:
        if not 0.0 <= self.fraction <= 1.0:
            raise InputError(f"fraction must lie between 0 and 1, got {self.fraction!r}")
        unknown = [name for name in self.sources if name not in SOURCES]
        if unknown or not self.sources:
            raise InputError(f"sources must be taken from {SOURCES}, got {self.sources!r}")
        if self.edge not in ("clip", "reflect"):
            raise InputError(f"edge must be 'clip' or 'reflect', got {self.edge!r}")
        for name, least in (("window", 10), ("neighbours", 4), ("refit_every", 1), ("models", 1), ("per_model", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, got {getattr(self, name)!r}")
        for name in ("ridge", "damping", "kappa", "mix_damping"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"{name} must be positive, got {getattr(self, name)!r}")
        for name in ("mix_weight", "crossover", "guard"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} must lie between 0 and 1, got {getattr(self, name)!r}")


class ParetoJanus:
    """Multi-objective infill; ``ParetoJanus(ParetoConfig.paper())`` is the paper's form.

    Takes the fields of :class:`ParetoConfig` as keywords. ``rng`` (int, Generator or None) is its own stream.
    """

    def __init__(
        self, config: ParetoConfig | None = None, *, rng: np.random.Generator | int | None = None, **settings: Any
    ) -> None:
        known = {field.name for field in fields(ParetoConfig)}
        unknown = sorted(set(settings) - known)
        if unknown:
            raise InputError(f"unknown setting {unknown[0]!r}; the settings are: {', '.join(sorted(known))}")
        self.config = replace(config or ParetoConfig(), **settings)
        self._sources = self.config.sources
        self.credit = Credit(self._sources, _PARTS)
        self._rng = np.random.default_rng(rng)
        self._recorder = Recorder()
        self._work = Workspace(single=True)
        self._due = dict.fromkeys(self.config.sources, 0.0)
        self._pending: tuple[str, ...] = ()
        self.restart()

    @property
    def records(self) -> list[StepRecord]:
        """One record per generation."""
        return self._recorder.records

    def restart(self) -> None:
        """Forget rows and front; what the sources earned is kept."""
        self._trace: Trace | None = None
        self._generation = 0
        self._told_apart = False
        self.front: Front | Niches = Front()
        self._regions: Regions | None = None
        self._table: Donors | None = None

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...] | None = None) -> None:
        """Take in one generation; rows that failed or violate a constraint become neither anchors nor data."""
        F = evals.objectives if evals.objectives is not None else evals.f[:, None]
        if self.config.adaptive and F.shape[1] > _MOST and not isinstance(self.front, Niches):
            self._go_by_niches()
        good = ~evals.failed & np.isfinite(F).all(axis=1)
        if evals.violation is not None:
            good &= evals.violation <= 0.0
        gains = np.zeros(len(F))
        if n := int(np.count_nonzero(good)):
            fresh = len(self.front) == 0
            self._generation = self._generation or len(X)
            if n < len(X):
                X, F = X[good], F[good]
            gains[good] = self.front.receive(X, F)
            if not fresh:
                self.credit.pay(self._pending if sources is None else sources, gains)
            self._record(X, F)
            if self._regions is not None:
                self._regions.observe(X, F)
        if self._pending and sources is None:
            self._recorder.complete(relative_ranks(Evaluations(-gains, ~good))[: len(self._pending)])
        self._pending = ()

    def _go_by_niches(self) -> None:
        self.front = Niches()
        niched = tuple(name for name in self.config.sources if name in _NICHED)
        if niched != self._sources:
            self._sources, self.credit = niched, Credit(niched)

    def propose(self, frame: Frame, slots: int) -> Proposals:
        """0 to ``fraction · slots`` rows; a share below one row is saved up until it makes one."""
        self._pending = ()
        reason = self._unready(slots)
        if reason:
            self._recorder.note(reason=reason)
            return Proposals.none(frame.d)
        wanted = self._wanted(slots)
        if not any(wanted.values()):
            self._recorder.note(reason="share below one row: saved up")
            return Proposals.none(frame.d)
        rows, names, loo = self._fill(frame, wanted)
        X, sources = self._fresh(frame, rows, names)
        self._pending = sources
        chart = "local" if not np.isnan(loo) else "none"
        reason = "" if sources else "no source had a new row to offer"
        self._recorder.note(chart=chart, score=loo, sources=sources, reason=reason)
        return Proposals(X, sources)

    def _unready(self, slots: int) -> str:
        """Why nothing can be proposed now; empty when something can."""
        if slots < 1:
            return "no slots in this generation"
        if not self._sources:
            return f"more than {_MOST} objectives: none of the sources is for so many"
        if self._trace is None or len(self.front) == 0:
            return "no feasible row yet"
        if len(self._trace) < 4:
            return "fewer than 4 rows"
        if not self._told_apart:
            S = self._window().S
            self._told_apart = S is not None and bool(np.ptp(S, axis=0).max() > 0.0)
        return "" if self._told_apart else "objectives are constant"

    def _wanted(self, slots: int) -> dict[str, int]:
        """Rows of each source now: the whole ones its share has saved up; of one that needs a fit, when that is due."""
        due, room = self._due, slots
        for name, share in self._shares(slots).items():
            due[name] += share * slots
        fits = len(self.records) % self.config.refit_every == 0
        wanted = {}
        for name in sorted(self._sources, key=lambda name: name not in _FITTED):
            whole = int(max(due[name], 0.0))
            if name in _FITTED:
                batch = self._batch(name, slots)
                whole = batch if fits else 0
            wanted[name] = min(whole, room)
            due[name] -= wanted[name]
            room -= wanted[name]
        return wanted

    def _batch(self, name: str, slots: int) -> int:
        """Rows that a source with a fit may have at once.

        Those of a local model come ``per_model`` at a time, and what it earns beyond the models it may make goes to
        ``differential``, whose steps carry on what they found. One region has at least four and at most half of all.
        """
        config, due = self.config, self._due
        if name == "region":
            most = max(_REGION * slots, FEWEST)
            due[name] = min(due[name], 2.0 * most)
            return int(min(due[name], most)) if due[name] >= min(FEWEST, slots) else 0
        step = min(config.per_model, slots)
        excess = max(due[name] - step * config.models, 0.0)
        due[name] -= excess
        if "differential" in due:
            due["differential"] += excess
        return int(max(due[name], 0.0) / step) * step

    def _shares(self, slots: int) -> dict[str, float]:
        """Of the slots, for each source: what it earns while the front is ripe, less while it is young."""
        config = self.config
        if not config.adaptive:
            return dict.fromkeys(config.sources, config.fraction / len(config.sources))
        ripe = min(1.0, len(self.front) / (_RIPE * max(slots, self._generation)))
        if isinstance(self.front, Niches):  # where rows hardly get ahead any more the host's spread is worth more
            ripe *= min(1.0, self.credit.pace / _PACE)
        earned = zip(self._sources, self.credit.shares(), strict=True)
        shares = {name: ripe * config.fraction * float(share) for name, share in earned}
        if "graft" in shares:
            shares["graft"] = max(shares["graft"], min(config.guard, config.fraction))
        return shares

    def _fill(self, frame: Frame, wanted: dict[str, int]) -> tuple[list[Rows], list[str], float]:
        """The rows wanted of each source, with their names, and the leave-one-out R² of the last model."""
        rows: list[Rows] = []
        names: list[str] = []
        loo = float("nan")
        anchors = self.front.anchors(sum(wanted.values()), self._rng)
        for name, k in wanted.items():
            if k == 0:
                continue
            mine, anchors = anchors[:k], anchors[k:]
            if name in _MODELLED:
                made, loo = self._modelled(name, frame, mine)
            elif name == "region":
                made = self._about_regions(frame, k)
            else:
                made = self._varied(name, frame, self.front.X[mine])
            rows.append(made)
            names += [name] * len(made)
        return rows, names, loo

    def _about_regions(self, frame: Frame, k: int) -> Rows:
        """Up to k rows of the region whose turn it is."""
        if not isinstance(self.front, Front):
            return np.empty((0, frame.d))
        if self._regions is None:
            self._regions = Regions(self.front.F.shape[1], frame.d)
        return self._regions.rows(frame, self.front, self._window(), k, self._rng)

    def _varied(self, name: str, frame: Frame, anchors: Rows) -> Rows:
        """One row about each anchor (k, d) from a source without a model."""
        rng = self._rng
        if isinstance(self.front, Niches):
            elite = self.front.X[self.front.anchors(_ELITE, rng)]
            if name == "graft":
                others = self._donors(frame)
                return graft(anchors, np.concatenate([elite, others[rng.integers(len(others), size=_OTHERS)]]), rng)
            return differential(anchors, elite, elite, rng, crossover=_NICHED_CROSSOVER)
        if name == "graft":
            half = (len(anchors) + int(rng.integers(2))) // 2
            return graft(anchors, self._donors(frame), rng, leaps=len(anchors) - half)
        if name == "bounds":
            return project(anchors, self.front.X, frame.lower, frame.upper, rng)
        if name == "snap":
            return snap(anchors, frame.lower, frame.upper, rng)
        if name == "random":
            return scatter(frame, len(anchors), rng)
        return differential(anchors, self.front.X, self._window().X, rng, crossover=self.config.crossover)

    def _donors(self, frame: Frame) -> Donors:
        if self._table is None:
            self._table = Donors(self._memory, frame.lower, frame.upper)
        return self._table

    def _modelled(self, name: str, frame: Frame, anchors: Index) -> tuple[Rows, float]:
        """As many rows as anchors, ``per_model`` about each of the first few; the last model's leave-one-out R²."""
        config, loo = self.config, float("nan")
        rows: list[Rows] = [np.empty((0, frame.d))]
        for start in range(0, len(anchors), config.per_model):
            k = min(config.per_model, len(anchors) - start)
            model = self._model(frame, int(anchors[start]), quadratic=name == "newton")
            if model is None:
                continue
            if name == "newton":
                loo = model.loo
                if loo > config.gate:
                    rows.append(newton(model, k, self._rng))
                else:
                    self._due[name] -= _PAUSE * k
            elif name == "gn":
                toward = self._rng.dirichlet(np.ones(len(model.J)), size=k)
                rows.append(gn(model, toward * len(model.J), config.damping, config.kappa))
            else:
                rows.append(cmix(model, k, config.mix_weight, config.mix_damping, self._rng))
        return np.concatenate(rows), loo

    def _model(self, frame: Frame, anchor: int, quadratic: bool) -> LocalModel | None:
        window, centre = self._window(), self.front.X[anchor]
        S = window.S
        if S is None or not isinstance(self.front, Front):
            return None
        offset = np.subtract(window.X, centre, out=self._buffer[: len(window)])
        if frame.basis is None:
            offset /= frame.scale
        distance = np.einsum("nd,nd->n", offset, offset)
        n = min(self.config.neighbours, len(window))
        near = np.argpartition(distance, n - 1)[:n]
        return local_model(
            frame,
            centre,
            window.X[near],
            self.front.scaled(S[near]),
            ridge=self.config.ridge,
            quadratic=quadratic,
            work=self._work,
        )

    def _fresh(self, frame: Frame, rows: list[Rows], names: list[str]) -> tuple[Rows, tuple[str, ...]]:
        """The rows, inside the box, that differ from every row of the front and from each other, with their sources."""
        X = returned(np.concatenate(rows), frame.lower, frame.upper, self.config.edge)
        known = set(self.front.X.sum(axis=1).tolist())
        keep = []
        for i, key in enumerate(X.sum(axis=1).tolist()):
            if isfinite(key) and key not in known:
                known.add(key)
                keep.append(i)
        return X[keep], tuple(names[i] for i in keep)

    def _record(self, X: Rows, F: Rows) -> None:
        if self._trace is None:
            capacity = min(self.config.window, max(4 * 10**6 // X.shape[1], 2 * self.config.neighbours))
            self._trace = Trace(capacity)
            remembered = min(_REMEMBERED, max(10**6 // X.shape[1], 10))
            self._memory = Reservoir(remembered, kept=remembered // 2)
            self._buffer: Rows = np.empty((capacity, X.shape[1]))
        n = len(X)
        self._memory.add(X, self._rng)
        self._trace.record(X, Evaluations(np.zeros(n), np.zeros(n, dtype=bool), objectives=F))

    def _window(self) -> Window:
        return self._trace.window() if self._trace is not None else Trace(1).window()
