"""The narrow waist between the loop and any optimizer.

One generation is ``ask(infill)`` → evaluate → ``tell``. A host is told of infill before it samples, because some
(pycma) must hear of injections first and others (pymoo) replace rows afterwards: only the adapter knows which.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from janusopt.core.arrays import Index, Rows
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.metric import Metric


@runtime_checkable
class Host(Protocol):
    """A population optimizer. It keeps its step size, selection, archive and survival; infill only fills slots."""

    @property
    def slots(self) -> int:
        """Most infill rows the next generation can hold (0: none, for example while it initializes)."""

    @property
    def rows(self) -> int:
        """How many rows the next :meth:`ask` returns."""

    def frame(self) -> Frame:
        """Where the host samples now; read-only data with no way back into the host."""

    def ask(self, infill: Rows) -> Rows:
        """The next generation (n, d) inside the bounds: as many rows as the bare host would give.

        ``infill`` (k, d), k ≤ slots, takes the place of the first k rows; the host may move a row to keep it within its
        own limits, so what is returned is what must be evaluated. With k = 0 this is the bare host, bit for bit.
        """

    def tell(self, X: Rows, evals: Evaluations) -> None:
        """The values of the rows that :meth:`ask` returned, in its order. Failed rows must not look good."""

    def stop(self) -> dict[str, object]:
        """Why the host cannot go on (empty: it can), reasons by name."""

    def restarted(self, factor: float) -> Host | None:
        """A fresh host with ``factor`` times the population, on its own new stream; None if it cannot restart."""


@runtime_checkable
class Reshapable(Protocol):
    """What a host that owns a covariance offers besides: the one write, Eq. 3."""

    def reshape(self, metric: Metric, weight: float) -> None:
        """``C ← (1−w)C + w·tr(C)/tr(T)·T`` with T given in whitened coordinates.

        Trace preserved, eigenvalue change bounded, condition number limited, positive definite. Called before ask, and
        never when infill is off.
        """


@runtime_checkable
class LateTells(Protocol):
    """What a host offers besides if it can be told of rows from earlier asks: asynchronous runs need it."""

    @property
    def late(self) -> bool:
        """Whether it can, as it is set up."""

    def tell_late(self, X: Rows, evals: Evaluations, numbers: Index) -> None:
        """As many rows as a generation has, of any asks, in any order, and no row twice.

        ``numbers`` (n,) counts the rows that this host was asked for from 0. Asks may follow each other without a tell
        in between, and so may tells.
        """
