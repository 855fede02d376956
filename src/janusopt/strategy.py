"""``cma.CMAEvolutionStrategy`` with infill: the two-line change for people who run pycma.

    - import cma
    - es = cma.CMAEvolutionStrategy(x0, 0.3, {"bounds": [0, 1]})
    + import janusopt
    + es = janusopt.CMAEvolutionStrategy(x0, 0.3, {"bounds": [0, 1]})

Everything else is inherited: stop, result, disp, logger, optimize, pickling. Only :meth:`ask` puts candidates into
slots and :meth:`tell` lets the infill see the values. With ``infill=None`` it is the parent, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cma
import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.pycma import PycmaHost
from janusopt.infill import Infill, NoInfill
from janusopt.infills import make_infill


class CMAEvolutionStrategy(cma.CMAEvolutionStrategy):  # type: ignore[misc]  # cma ships no types
    """pycma's strategy with ``infill`` as in :func:`janusopt.minimize`; ``janus_infill`` has its records."""

    def __init__(
        self,
        x0: Any,
        sigma0: float,
        inopts: Any = None,
        options: Any = None,
        *,
        infill: str | Infill | JanusConfig | None = "janus",
    ) -> None:
        super().__init__(x0, sigma0, inopts, options)
        seed = self.opts["seed"]
        stream = int(seed) if isinstance(seed, (int, np.integer)) and seed > 0 else None
        self.janus_infill = make_infill(infill, d=self.N, scalar=True, rng=np.random.default_rng(stream))
        self._janus_host = PycmaHost.wrap(self)
        self._janus_rows: Rows = np.empty((0, self.N))
        self._janus_asked = False
        self._janus_first = 0

    def ask(self, number: int | None = None, xmean: Any = None, *args: Any, **kwargs: Any) -> list[Any]:
        """As pycma's; the first rows of a generation's first ask may be infill."""
        fresh = not self._janus_asked and xmean is None and (number is None or number >= self.popsize)
        if not fresh or isinstance(self.janus_infill, NoInfill):
            return list(super().ask(number, xmean, *args, **kwargs))
        host = self._janus_host
        host.refresh()
        proposals = self.janus_infill.propose(host.frame(), host.slots)
        if proposals.metric is not None:
            host.reshape(proposals.metric, proposals.weight)
        first = host.inject(proposals.X)
        asked = list(super().ask(number, xmean, *args, **kwargs))
        self._janus_asked = True
        self._janus_first = first
        self._janus_rows = np.array(asked[first : first + len(proposals)]).reshape(-1, self.N)
        return asked

    def tell(self, solutions: Sequence[Any], function_values: Sequence[float], *args: Any, **kwargs: Any) -> None:
        """As pycma's; rows may be reordered, left out or added."""
        told = None
        if not isinstance(self.janus_infill, NoInfill) and self._janus_asked:
            told = _in_order(self._janus_rows, np.array(solutions, dtype=float), np.array(function_values, dtype=float))
        super().tell(solutions, function_values, *args, **kwargs)
        if told is not None:
            self.janus_infill.observe(*told)
            self._forget_untold()
        self._janus_asked = False

    def _forget_untold(self) -> None:
        """pycma warns of injected rows that are never told; the user did not inject these."""
        archive = self._injected_solutions_archive
        for key, entry in list(archive.items()):
            if 0 <= entry["index"] - self._janus_first < len(self._janus_rows):
                archive.pop(key)


def _in_order(infill: Rows, X: Rows, f: Rows) -> tuple[Rows, Evaluations]:
    """Rows with the infill first, as an infill expects them; an infill row that was not told counts as failed."""
    if len(X) >= len(infill) and np.array_equal(X[: len(infill)], infill):
        return X, Evaluations(f, ~np.isfinite(f))
    place = {row.tobytes(): i for i, row in enumerate(X)}
    found = [place.get(row.tobytes()) for row in infill]
    others = [i for i in range(len(X)) if i not in set(found)]
    rows = np.array([*infill, *X[others]]).reshape(-1, X.shape[1])
    values = np.array([*(np.nan if i is None else f[i] for i in found), *f[others]])
    return rows, Evaluations(values, ~np.isfinite(values))
