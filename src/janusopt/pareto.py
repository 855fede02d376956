"""ParetoJanus: infill for several objectives. The objective vectors are the residual coordinates (METHOD §7).

    S = (F − ideal)/(nadir − ideal)   on the non-dominated rows seen so far

Each candidate starts from a non-dominated anchor, best under randomly drawn weights, and comes from one of several
sources (:mod:`janusopt.core.pareto_steps`). A source is paid by the maximin gain its candidates earn over the front as
it was (:mod:`janusopt.core.dominance`), and so are the host's own rows of the same generation: sources share the slots
by credit, and all of them together get fewer when they earn less than the host does.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from janusopt.core.arrays import Index, Rows
from janusopt.core.box import Edge, returned
from janusopt.core.credit import Credit
from janusopt.core.dual import Workspace
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.front import Front
from janusopt.core.pareto_steps import LocalModel, cmix, differential, gn, local_model, newton, scatter, snap
from janusopt.core.trace import Trace, Window
from janusopt.errors import InputError
from janusopt.infill import Proposals, Recorder, StepRecord, relative_ranks

SOURCES = ("differential", "newton", "gn", "cmix", "snap", "random")
_MODELLED = ("newton", "gn", "cmix")


@dataclass(frozen=True, slots=True)
class ParetoConfig:
    """The numbers behind :class:`ParetoJanus`, checked once.

    fraction: largest share of the slots. adaptive: fewer when infill earns less than the host. window, neighbours: rows
    kept, and rows a local fit is made on. gate: least leave-one-out R² of a Newton step. ridge, damping, kappa,
    mix_weight, mix_damping: as in the scalar method. crossover: share of coordinates a differential step moves.
    models, per_model: local fits a generation, and candidates taken from each (a fit costs about a millisecond).
    edge: how candidates that leave the box come back, put on the bound ("clip") or mirrored at it ("reflect").
    """

    fraction: float = 0.2
    sources: tuple[str, ...] = ("differential", "newton")
    adaptive: bool = True
    window: int = 1000
    neighbours: int = 150
    gate: float = 0.5
    ridge: float = 1e-3
    damping: float = 1.0
    kappa: float = 1.0
    mix_weight: float = 0.5
    mix_damping: float = 1.0
    crossover: float = 0.5
    models: int = 1
    per_model: int = 2
    edge: Edge = "clip"

    @classmethod
    def paper(cls, fraction: float = 0.05) -> ParetoConfig:
        """The paper's form: GN and CMIX in 2% or 5% of the slots, whatever they earn."""
        return cls(fraction=fraction, sources=("gn", "cmix"), adaptive=False, models=5, per_model=1)

    def __post_init__(self) -> None:
        if not 0.0 <= self.fraction <= 1.0:
            raise InputError(f"fraction must lie between 0 and 1, got {self.fraction!r}")
        unknown = [name for name in self.sources if name not in SOURCES]
        if unknown or not self.sources:
            raise InputError(f"sources must be taken from {SOURCES}, got {self.sources!r}")
        if self.edge not in ("clip", "reflect"):
            raise InputError(f"edge must be 'clip' or 'reflect', got {self.edge!r}")
        for name, least in (("window", 10), ("neighbours", 4), ("models", 1), ("per_model", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, got {getattr(self, name)!r}")
        for name in ("ridge", "damping", "kappa", "mix_damping"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"{name} must be positive, got {getattr(self, name)!r}")
        for name in ("mix_weight", "crossover"):
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
        self.credit = Credit(self.config.sources)
        self._rng = np.random.default_rng(rng)
        self._recorder = Recorder()
        self._work = Workspace()
        self._due = 0.0
        self._pending: tuple[str, ...] = ()
        self.restart()

    @property
    def records(self) -> list[StepRecord]:
        """One record per generation."""
        return self._recorder.records

    def restart(self) -> None:
        """Forget rows and front; what the sources earned is kept."""
        self._trace: Trace | None = None
        self.front = Front()

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...] | None = None) -> None:
        """Take in one generation; rows that failed or violate a constraint become neither anchors nor data."""
        F = evals.objectives if evals.objectives is not None else evals.f[:, None]
        good = ~evals.failed & np.isfinite(F).all(axis=1)
        if evals.violation is not None:
            good &= evals.violation <= 0.0
        gains = np.zeros(len(F))
        if good.any():
            fresh = len(self.front) == 0
            gains[good] = self.front.admit(X[good], F[good])
            if not fresh:
                self.credit.pay(self._pending if sources is None else sources, gains)
            self._record(X[good], F[good])
        if self._pending and sources is None:
            self._recorder.complete(relative_ranks(Evaluations(-gains, ~good))[: len(self._pending)])
        self._pending = ()

    def propose(self, frame: Frame, slots: int) -> Proposals:
        """0 to ``fraction · slots`` rows; a share below one row is saved up until it makes one."""
        self._pending = ()
        reason = self._unready(slots)
        if reason:
            self._recorder.note(reason=reason)
            return Proposals.none(frame.d)
        self._due += self._fraction() * slots
        k = min(int(self._due), slots)
        self._due -= k
        if k == 0:
            self._recorder.note(reason="share below one row: saved up")
            return Proposals.none(frame.d)
        rows, names, loo = self._fill(frame, k)
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
        if self._trace is None or len(self.front) == 0:
            return "no feasible row yet"
        if len(self._trace) < 4:
            return "fewer than 4 rows"
        S = self._window().S
        if S is None or np.ptp(S, axis=0).max() <= 0.0:
            return "objectives are constant"
        return ""

    def _fraction(self) -> float:
        """The share of slots now: the configured one, times what infill earns relative to the host (at most 1)."""
        if not self.config.adaptive:
            return self.config.fraction
        shares = self.credit.shares()
        earned = sum(share * self.credit.ratio(name) for share, name in zip(shares, self.config.sources, strict=True))
        return self.config.fraction * float(np.clip(earned, 0.1, 1.0))

    def _fill(self, frame: Frame, k: int) -> tuple[list[Rows], list[str], float]:
        """k rows from the sources by their shares; what a model cannot give falls to a source that needs none."""
        counts = self._rng.multinomial(k, self.credit.shares())
        wanted = dict(zip(self.config.sources, counts.tolist(), strict=True))
        rows: list[Rows] = []
        names: list[str] = []
        loo = float("nan")
        for name in (name for name in _MODELLED if wanted.get(name)):
            made, score = self._modelled(name, frame, wanted[name])
            loo = score if np.isnan(loo) else loo
            rows.append(made)
            names += [name] * len(made)
        free = [name for name in wanted if name not in _MODELLED]
        for name in free:
            size = k - len(names) if name == free[-1] else wanted[name]
            rows.append(self._plain(name, frame, size))
            names += [name] * size
        return rows, names, loo

    def _plain(self, name: str, frame: Frame, k: int) -> Rows:
        """k rows of a source without a model."""
        if name == "random":
            return scatter(frame, k, self._rng)
        anchors = self.front.X[self._anchors(k)]
        if name == "snap":
            return snap(anchors, frame.lower, frame.upper, self._rng)
        pool = self._window().X
        return differential(anchors, self.front.X, pool, self._rng, crossover=self.config.crossover)

    def _modelled(self, name: str, frame: Frame, k: int) -> tuple[Rows, float]:
        """Up to ``per_model`` rows about each of up to ``models`` anchors, and the last model's leave-one-out R²."""
        config, loo = self.config, float("nan")
        rows: list[Rows] = [np.empty((0, frame.d))]
        for anchor in self._anchors(min(-(-k // config.per_model), config.models)):
            size = min(k, config.per_model)
            model = self._model(frame, int(anchor), quadratic=name == "newton")
            if model is None:
                continue
            if name == "newton":
                loo = model.loo
                if loo > config.gate:
                    rows.append(newton(model, self.front.X, size, self._rng))
            elif name == "gn":
                toward = self._rng.dirichlet(np.ones(len(model.J)), size=size)
                rows.append(gn(model, toward * len(model.J), config.damping, config.kappa))
            else:
                rows.append(cmix(model, size, config.mix_weight, config.mix_damping, self._rng))
            k -= size
        return np.concatenate(rows), loo

    def _model(self, frame: Frame, anchor: int, quadratic: bool) -> LocalModel | None:
        window, centre = self._window(), self.front.X[anchor]
        S = window.S
        if S is None:
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

    def _anchors(self, k: int) -> Index:
        """k rows of the front, each the best by Tchebycheff's norm under random weights: even over the front's extent,
        however many rows each part of it holds."""
        S = self.front.scaled(self.front.F)
        w = self._rng.dirichlet(np.ones(S.shape[1]), size=k) + 1e-6
        worst = S[:, 0] / w[:, :1]
        for j in range(1, S.shape[1]):
            np.maximum(worst, S[:, j] / w[:, j : j + 1], out=worst)
        return np.asarray(worst.argmin(axis=1))

    def _fresh(self, frame: Frame, rows: list[Rows], names: list[str]) -> tuple[Rows, tuple[str, ...]]:
        """The rows, inside the box, that differ from every row of the front and from each other, with their sources."""
        X = returned(np.concatenate(rows), frame.lower, frame.upper, self.config.edge)
        key = X.sum(axis=1)
        _, first = np.unique(key, return_index=True)
        keep = np.zeros(len(X), dtype=bool)
        keep[first] = True
        keep &= np.isfinite(key) & ~np.isin(key, self.front.X.sum(axis=1))
        return X[keep], tuple(name for name, kept in zip(names, keep, strict=True) if kept)

    def _record(self, X: Rows, F: Rows) -> None:
        if self._trace is None:
            capacity = min(self.config.window, max(4 * 10**6 // X.shape[1], 2 * self.config.neighbours))
            self._trace = Trace(capacity)
            self._buffer: Rows = np.empty((capacity, X.shape[1]))
        n = len(X)
        self._trace.record(X, Evaluations(np.zeros(n), np.zeros(n, dtype=bool), objectives=F))

    def _window(self) -> Window:
        return self._trace.window() if self._trace is not None else Trace(1).window()
