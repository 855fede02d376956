"""A CMA-ES host with infill whose loop somebody else owns: rows are handed out one by one and told when they are back.

All of it follows from the start, the entropy and what was told: doing the same again gives the same rows. That is how a
state is restored without storing one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Mask, Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.base import Host, Reshapable
from janusopt.hosts.registry import make_host
from janusopt.infill import Infill
from janusopt.infills import make_infill
from janusopt.space import Space
from janusopt.threads import SingleThread

_EXTRAS = 2  # spawn key of the rows that are handed out beyond a generation


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Rows that are back: X (n, d), f (n,) to be minimized, failed (n,), violation (n,), 0 where feasible."""

    X: Rows
    f: Vec
    failed: Mask
    violation: Vec

    def __len__(self) -> int:
        return len(self.f)

    def __getitem__(self, rows: slice) -> Outcome:
        return Outcome(self.X[rows], self.f[rows], self.failed[rows], self.violation[rows])

    def joined(self, other: Outcome) -> Outcome:
        """These rows, then those of ``other``."""
        return Outcome(
            np.vstack([self.X, other.X]),
            np.concatenate([self.f, other.f]),
            np.concatenate([self.failed, other.failed]),
            np.concatenate([self.violation, other.violation]),
        )

    def for_window(self) -> Evaluations:
        """What infill reads: infeasible rows count as failed, because their f says nothing about where to go."""
        failed = self.failed | (self.violation > 0.0)
        return Evaluations(np.where(failed, np.nan, self.f), failed)

    def for_host(self, worst: float) -> Evaluations:
        """What the host ranks: infeasible rows behind ``worst`` and every feasible one, by violation."""
        feasible = self.f[~self.failed & (self.violation <= 0.0)]
        ceiling = max(worst, float(feasible.max())) if len(feasible) else worst
        ceiling = ceiling if np.isfinite(ceiling) else 0.0
        beyond = ceiling + max(abs(ceiling), 1.0) * (1e-3 + self.violation)
        f = np.where(self.violation > 0.0, beyond, self.f)
        return Evaluations(np.where(self.failed, np.nan, f), self.failed)


@dataclass(frozen=True, slots=True)
class Setup:
    """How a run is made: host and infill by name, population (None: the host's own)."""

    host: str
    infill: str | JanusConfig | None
    popsize: int | None


class Generations:
    """One host and one infill; ``X`` (n, d) is the generation that is out now.

    ``earlier`` rows were evaluated before the start: only the infill's window sees them.
    """

    def __init__(self, space: Space, setup: Setup, entropy: int, earlier: Outcome) -> None:
        host_seed, infill_seed = np.random.SeedSequence(entropy).spawn(2)
        self._entropy = entropy
        self._single = SingleThread()
        self._worst = -np.inf
        self.host: Host = make_host(setup.host, space, host_seed, setup.popsize, {})
        self.infill: Infill = make_infill(setup.infill, d=space.d, scalar=True, rng=np.random.default_rng(infill_seed))
        self.number = 0
        for at in range(0, len(earlier), self.host.rows):
            part = earlier[at : at + self.host.rows]
            self.infill.observe(part.X, part.for_window())
        with self._single():
            self._ask()

    def _ask(self) -> None:
        self.frame = self.host.frame()
        sound = np.isfinite(self.frame.sigma) and np.all(np.isfinite(self.frame.mean))
        proposals = self.infill.propose(self.frame, self.host.slots if sound else 0)
        if proposals.metric is not None and isinstance(self.host, Reshapable):
            self.host.reshape(proposals.metric, proposals.weight)
            self.frame = self.host.frame()
        self.X: Rows = self.host.ask(proposals.X)

    def row(self, index: int) -> Vec:
        """Row ``index`` of this generation; beyond its end a further draw from where the host samples now."""
        if index < len(self.X):
            return np.asarray(self.X[index])
        seed = np.random.SeedSequence(self._entropy, spawn_key=(_EXTRAS, self.number, index))
        z = np.random.default_rng(seed).standard_normal(self.frame.d)
        x = self.frame.from_z(self.frame.shorten(z, 1.0))
        return np.asarray(np.clip(x, self.frame.lower, self.frame.upper))

    def tell(self, told: Outcome, also: Outcome) -> None:
        """Close this generation with ``told``, as many rows as it has, and ask the next; the window sees ``also``."""
        with self._single():
            seen = told.joined(also)
            self.infill.observe(seen.X, seen.for_window())
            evals = told.for_host(self._worst)
            good = evals.f[~evals.failed & (told.violation <= 0.0)]
            self._worst = max(self._worst, float(good.max(initial=-np.inf)))
            self.host.tell(told.X, evals)
            fresh = self.host.restarted(2.0) if self.host.stop() else None
            if fresh is not None:
                self.host = fresh
                self.infill.restart()
            self.number += 1
            self._ask()
