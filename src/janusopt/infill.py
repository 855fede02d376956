"""What every infill offers, and the two that use no geometry.

An infill reads evaluations (:meth:`Infill.observe`) and fills slots (:meth:`Infill.propose`). It sees a
:class:`~janusopt.core.frame.Frame`, never a host, and cannot spend an evaluation of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.metric import Metric


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Rows for reserved slots: X (k, d), a source name per row; and Eq. 3's T and w for hosts that own a covariance."""

    X: Rows
    sources: tuple[str, ...] = ()
    metric: Metric | None = None
    weight: float = 0.0

    @classmethod
    def none(cls, d: int) -> Proposals:
        return cls(np.empty((0, d)))

    def __len__(self) -> int:
        return len(self.X)


@dataclass(frozen=True, slots=True, eq=False)
class StepRecord:
    """What one generation's infill did and how it fared.

    ``ranks`` (one per source, 0 the best row of the generation, 1 the worst) are NaN until observed, and stay so in
    asynchronous runs, where rows of several generations arrive together. ``score`` is the leave-one-out R² behind the
    chart, ``rank`` the directions of its geometry, or of its fit where nothing asked for a geometry, ``evidence`` the
    out-of-sample rank correlation, ``looked_back`` whether Eq. 3's metric is that of the long window, ``reason`` why
    nothing was proposed.
    """

    generation: int
    chart: str = "none"
    score: float = float("nan")
    evidence: float = float("nan")
    rank: int = 0
    weight: float = 0.0
    looked_back: bool = False
    sources: tuple[str, ...] = ()
    ranks: tuple[float, ...] = ()
    reason: str = ""

    def ranked(self, ranks: tuple[float, ...]) -> StepRecord:
        """The same with its ranks (``dataclasses.replace`` takes ten times as long)."""
        return StepRecord(
            self.generation,
            self.chart,
            self.score,
            self.evidence,
            self.rank,
            self.weight,
            self.looked_back,
            self.sources,
            ranks,
            self.reason,
        )


@runtime_checkable
class Infill(Protocol):
    """Fills slots; see the module's docstring."""

    def propose(self, frame: Frame, slots: int) -> Proposals:
        """0 to ``slots`` rows inside the frame's box, each with its source."""

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...] | None = None) -> None:
        """The generation as it was evaluated (n, d); the first rows are the proposals, in order.

        ``sources``: in an asynchronous run the rows are of several generations; the first are proposals from these.
        """

    def restart(self) -> None:
        """The host starts elsewhere: forget the window."""

    @property
    def records(self) -> list[StepRecord]:
        """One record per generation."""


@runtime_checkable
class Settling(Protocol):
    """An infill that can tell when a descent is over before the host does."""

    @property
    def settled(self) -> bool:
        """Whether a descent of the host's own would be a better use of what is left of the budget."""

    def rest(self) -> None:
        """Propose nothing until the next restart."""


@runtime_checkable
class Repeating(Protocol):
    """An infill that makes whole descents fast enough for several in a run."""

    @property
    def encores(self) -> bool:
        """Whether other descents are worth half the budget that is left once one is over, where parts of f are seen."""


class Recorder:
    """The bookkeeping that every infill shares: one record per generation, completed when it is observed."""

    def __init__(self) -> None:
        self.records: list[StepRecord] = []

    @property
    def sources(self) -> tuple[str, ...]:
        """Of the generation that was proposed last."""
        return self.records[-1].sources if self.records else ()

    def note(
        self,
        *,
        chart: str = "none",
        score: float = float("nan"),
        evidence: float = float("nan"),
        rank: int = 0,
        weight: float = 0.0,
        looked_back: bool = False,
        sources: tuple[str, ...] = (),
        reason: str = "",
    ) -> None:
        """One generation's proposals."""
        ranks = (float("nan"),) * len(sources)
        number = len(self.records)
        self.records.append(
            StepRecord(number, chart, score, evidence, rank, weight, looked_back, sources, ranks, reason)
        )

    def complete(self, ranks: Vec) -> None:
        """The ranks (k,) that the last proposals reached; those that a spent budget left out stay NaN."""
        if self.records:
            last = self.records[-1]
            missing = (float("nan"),) * (len(last.sources) - len(ranks))
            self.records[-1] = last.ranked((*ranks.tolist(), *missing))


def relative_ranks(evals: Evaluations) -> Vec:
    """(n,) in [0, 1]: 0 for the best row, 1 for the worst; failed rows share the worst."""
    n, some_failed = len(evals), bool(evals.failed.any())
    f = np.where(evals.failed, np.inf, evals.f) if some_failed else evals.f
    order = np.empty(n)
    order[np.argsort(f, kind="stable")] = np.arange(n)
    if some_failed:
        order[evals.failed] = n - 1
    order /= max(n - 1, 1)
    return order


class NoInfill:
    """Proposes nothing: the bare host."""

    def __init__(self) -> None:
        self.records: list[StepRecord] = []

    def propose(self, frame: Frame, slots: int) -> Proposals:
        return Proposals.none(frame.d)

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...] | None = None) -> None:
        pass

    def restart(self) -> None:
        pass


class RandomInfill:
    """The control: as many rows as JANUS would use, drawn from the host's own distribution, no geometry.

    ``count`` rows a generation of the host's own scale: what infill slots are worth by themselves.
    """

    def __init__(self, count: int = 2, *, rng: np.random.Generator | int | None = None) -> None:
        self._count, self._rng = count, np.random.default_rng(rng)
        self._recorder = Recorder()

    @property
    def records(self) -> list[StepRecord]:
        return self._recorder.records

    def propose(self, frame: Frame, slots: int) -> Proposals:
        count = min(self._count, slots)
        if count <= 0:
            self._recorder.note(reason="the host has no slot")
            return Proposals.none(frame.d)
        X = np.array([frame.from_z(frame.shorten(z, 1.0)) for z in self._rng.standard_normal((count, frame.d))])
        self._recorder.note(sources=("random",) * count)
        return Proposals(X, ("random",) * count)

    def observe(self, X: Rows, evals: Evaluations, sources: tuple[str, ...] | None = None) -> None:
        if sources is None:
            self._recorder.complete(relative_ranks(evals)[: len(self._recorder.sources)])

    def restart(self) -> None:
        pass
