"""Resume by replay: the same host and infill run again, and what a journal knows is answered from it.

A host and an infill are deterministic given their seeds and the values they are told, so the state of a run is its
journal: nothing else is stored, and a resumed run is bit for bit the unbroken one.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import numpy as np

from janusopt.core.arrays import Rows
from janusopt.core.evaluations import Evaluations
from janusopt.describe import differences, plain, versions
from janusopt.entry import Entry
from janusopt.errors import EvaluationError, InputError, JournalError, JournalWarning
from janusopt.evaluate import Evaluate, Row, leading
from janusopt.infill import Infill
from janusopt.journal import Journal

_PACKAGES = ("janusopt", "numpy", "scipy", "cma")


class Replay:
    """Evaluates; rows that the journal knows are answered from it, new ones go into it."""

    def __init__(
        self, evaluate: Evaluate, journal: Journal, infill: Infill, longer: dict[str, Any] | None = None
    ) -> None:
        self._evaluate, self._journal, self._infill = evaluate, journal, infill
        self._longer = longer  # settings with a larger budget, recorded once an evaluation is added
        self._generation = 0
        self._gap = False

    def __call__(self, X: Rows) -> Evaluations:
        """The values of the rows of X (n, d)."""
        rows = self._recall(X)
        try:
            self._complete(X, rows)
        except (EvaluationError, JournalError) as error:
            error.evaluated = self._evaluate.gather(leading(rows))
            raise
        self._generation += 1
        return self._evaluate.gather(leading(rows))

    def _recall(self, X: Rows) -> dict[int, Row]:
        known = self._journal.recorded(self._generation)
        wrong = [i for i, entry in known.items() if i >= len(X) or entry.x.tobytes() != X[i].tobytes()]
        if wrong:
            self._other(wrong[0])
            known = {}
        rows: dict[int, Row] = {i: entry.values for i, entry in known.items()}
        for entry in known.values():
            if not entry.failed or len(entry.wide):
                self._evaluate.recall(entry.wide, entry.constraints)
        return rows

    def _other(self, row: int) -> None:
        """The journal's rows are not those that are asked for: expected only behind a gap that damage left."""
        where, path = f"generation {self._generation}, row {row}", self._journal.path
        if self._longer is not None:
            raise JournalError(
                f"{path} cannot be continued with a larger budget: at {where} the run, which plans by its budget, "
                "asks for another point than was evaluated. The recorded run is unchanged; give the longer one a new "
                "journal"
            )
        if not self._gap:
            raise JournalError(
                f"{path} does not belong to this run: at {where} another point was evaluated than is asked for now, "
                "although the settings agree; a host, infill or callback object with a state of its own, or another "
                "machine's arithmetic, can do that. Give this run a new journal"
            )
        self._journal.forget(self._generation)
        warnings.warn(
            f"{path}: behind the evaluations that were damaged the run took another way from {where} on (the objective "
            "is not deterministic); the rows recorded from there on were dropped",
            JournalWarning,
            stacklevel=5,
        )

    def _complete(self, X: Rows, rows: dict[int, Row]) -> None:
        missing = [i for i in range(len(X)) if i not in rows]
        if not missing:
            return
        self._gap = self._gap or self._generation < self._journal.last
        if self._longer is not None:
            self._journal.extend(self._longer)
            self._longer = None
        records = self._infill.records
        sources = records[-1].sources if records else ()

        def note(k: int, row: Row, seconds: float) -> None:
            i = missing[k]
            rows[i] = row
            f, wide, G = self._evaluate.nothing() if row is None else row
            source = sources[i] if i < len(sources) else "host"
            reason = self._evaluate.reason if row is None else ""
            self._journal.append(Entry(self._generation, i, X[i], f, wide, G, row is None, source, seconds, reason))

        try:
            self._evaluate.rows(X[missing], note)
        except JournalError:
            raise
        except BaseException:
            with suppress(JournalError):  # what stopped the run matters more
                self._journal.commit()
            raise
        self._journal.commit()


def opened(path: str | os.PathLike[str] | None) -> AbstractContextManager[Journal | None]:
    """The journal at ``path``, locked and checked; one that is open already stays open; None without a path."""
    if path is None or isinstance(path, Journal):
        return nullcontext(path)
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise InputError(f"journal must be the name of a file or None, got {path!r}")
    return Journal(path)


def seeded(rng: np.random.SeedSequence, given: bool, journal: Journal | None) -> np.random.SeedSequence:
    """``rng``, or the journal's own where none was given."""
    if given or journal is None or journal.settings is None:
        return rng
    try:
        seed = journal.settings["seed"]
        return np.random.SeedSequence(seed["entropy"], spawn_key=seed["spawn_key"], n_children_spawned=seed["children"])
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(f"{journal.path} has no seed that can be used; pass the run's own as rng") from error


def seed_of(rng: np.random.SeedSequence) -> dict[str, Any]:
    """A seed sequence before it is spawned from, as settings."""
    return {"entropy": rng.entropy, "spawn_key": rng.spawn_key, "children": rng.n_children_spawned}


def check_settings(journal: Journal, settings: Mapping[str, Any], packages: tuple[str, ...]) -> dict[str, Any] | None:
    """Record what shapes the run in a new journal; refuse one of another run.

    The settings of now where only the budget is larger than the recorded one, else None.
    """
    now = json.loads(json.dumps(plain({**settings, "versions": versions((*_PACKAGES, *packages))})))
    if journal.settings is None:
        journal.begin(now)
        return None
    recorded = journal.settings
    budget = recorded.get("budget")
    longer = now if isinstance(budget, int) and now["budget"] > budget else None
    if told := differences(recorded if longer is None else {**recorded, "budget": now["budget"]}, now):
        raise JournalError(
            f"{journal.path} is the journal of another run: {told}. Go on with what was recorded, or give this run a "
            "new journal"
        )
    return longer


def continued(
    evaluate: Evaluate, journal: Journal | None, infill: Infill, settings: Mapping[str, Any], packages: tuple[str, ...]
) -> Evaluate | Replay:
    """How to evaluate: through the journal where there is one, once it is clear that it is of this very run."""
    if journal is None:
        return evaluate
    return Replay(evaluate, journal, infill, check_settings(journal, settings, packages))
