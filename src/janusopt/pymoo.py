"""Two lines for people who already run pymoo: ``minimize(problem, Janus(SMSEMOA(pop_size=100)), ...)``.

:class:`Janus` becomes a subclass of the algorithm it is given, with that algorithm's state, and changes two methods:
``infill`` replaces some of the offspring's X before they are evaluated, ``advance`` shows what was evaluated to the
infill first. Everything else (termination, callbacks, display, constraints, history, result) is the algorithm's own.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows
from janusopt.errors import InputError
from janusopt.hosts.pymoo import (
    Algorithm,
    evaluations_of,
    individuals_of,
    population_frame,
    repaired,
    replace_rows,
    require_replaceable,
    rows_of,
    unreplaceable,
)
from janusopt.infill import Infill, Recorder, StepRecord
from janusopt.infills import NAMES, PARETO_NAMES, make_infill, make_pareto_infill
from janusopt.janus import Janus as ScalarJanus
from janusopt.pareto import ParetoConfig

__all__ = ["Janus"]

_STREAM = (
    0x4A414E5553  # "JANUS": keeps the infill's stream apart from the algorithm's own, which starts from the seed alone
)


class Janus(Algorithm):  # type: ignore[misc]
    """A pymoo algorithm with infill.

    infill: a name (as in :func:`janusopt.minimize_multi`, or :func:`janusopt.minimize` where the problem has one
    objective), a configuration, any :class:`~janusopt.infill.Infill`, or None (off: the bare algorithm, bit for bit).
    fraction: share of the offspring that infill may take; None keeps the infill's own. What it did is in
    ``result.algorithm.janus_records``. Individuals with variables that are not real are left alone.
    """

    _bare: type

    def __init__(
        self,
        algorithm: Any,
        *,
        fraction: float | None = None,
        infill: Infill | ParetoConfig | JanusConfig | str | None = "janus",
    ) -> None:
        require_replaceable(algorithm)
        if isinstance(algorithm, Janus):
            raise InputError("this algorithm already has infill: pass the bare one")
        _check_infill(infill, fraction)
        self.__dict__.update(copy.deepcopy(algorithm).__dict__)
        self.__class__ = _grafted(type(algorithm))
        self._janus_choice: Any = infill
        self._janus_fraction = fraction
        self._janus: Infill | None = None
        self._janus_rows: list[Any] = []
        self._janus_notes = Recorder()

    def __reduce__(self) -> tuple[Any, ...]:
        return _blank, (self._bare,), self.__dict__

    @property
    def janus_records(self) -> list[StepRecord]:
        """One record per generation of what infill did, or why it did nothing."""
        return [*self._janus_notes.records, *([] if self._janus is None else self._janus.records)]

    def infill(self) -> Any:
        """The algorithm's offspring, some of them with new X."""
        offspring = super().infill()
        if self._janus_choice is None or offspring is None:
            return offspring
        individuals = individuals_of(offspring)
        reason = unreplaceable(individuals)
        if reason:
            self._janus_notes.note(reason=reason)
        else:
            self._janus_rows = self._filled(individuals)
        return offspring

    def advance(self, infills: Any = None, **kwargs: Any) -> Any:
        """Show the evaluated rows to the infill, then advance as the algorithm does."""
        rows = self._janus_rows
        if self._janus is not None and rows and all(individual.evaluated for individual in rows):
            self._janus.observe(rows_of(rows), evaluations_of(rows))
        self._janus_rows = []
        return super().advance(infills=infills, **kwargs)

    def _filled(self, room: list[Any]) -> list[Any]:
        """Replace the X of the first individuals by what the infill proposes; the rows to be observed."""
        if self._janus is None:
            self._janus = self._chosen()
        lower, upper = self._box(len(room[0].X))
        slots = len(room) if self.is_initialized else 0
        frame = population_frame(self.pop if slots else None, lower, upper)
        proposals = self._janus.propose(frame, slots)
        replace_rows(room, repaired(self, proposals.X, self._janus_rng))
        return room

    def _chosen(self) -> Infill:
        """The infill that was given, or the default for this problem's number of objectives."""
        entropy = None if self.seed is None else [int(self.seed), _STREAM]
        self._janus_rng = np.random.default_rng(np.random.SeedSequence(entropy))
        if self.problem.n_obj > 1:
            return make_pareto_infill(self._janus_choice, fraction=self._janus_fraction, rng=self._janus_rng)
        made = make_infill(self._janus_choice, d=self.problem.n_var, scalar=True, rng=self._janus_rng)
        if self._janus_fraction is None or not isinstance(made, ScalarJanus):
            return made
        return ScalarJanus(made.config.replace(fraction=self._janus_fraction), rng=self._janus_rng)

    def _box(self, d: int) -> tuple[Rows, Rows]:
        lower, upper = self.problem.bounds()
        free = np.full(d, np.inf)
        return (-free if lower is None else np.asarray(lower, float)), (
            free if upper is None else np.asarray(upper, float)
        )


def _check_infill(infill: Any, fraction: float | None) -> None:
    """An error for what cannot be an infill, whatever the number of objectives will be."""
    if isinstance(infill, str) and infill not in (*PARETO_NAMES, *NAMES):
        raise InputError(
            f"infill must be one of {', '.join(PARETO_NAMES)} (with one objective: {', '.join(NAMES)}), None or an "
            f"infill object, got {infill!r}"
        )
    if infill is None or isinstance(infill, str | JanusConfig | ParetoConfig):
        return
    if not isinstance(infill, Infill):
        raise InputError(f"infill must have propose, observe, restart and records, got {type(infill).__name__}")
    if fraction is not None:
        raise InputError("fraction is for infill by name: set it on the infill object itself")


_GRAFTED: dict[type, type] = {}


def _grafted(bare: type) -> type:
    """The class that is ``bare`` with :class:`Janus` in front; one per algorithm."""
    if bare not in _GRAFTED:
        _GRAFTED[bare] = type(f"Janus[{bare.__name__}]", (Janus, bare), {"_bare": bare})
    return _GRAFTED[bare]


def _blank(bare: type) -> Any:
    return object.__new__(_grafted(bare))
