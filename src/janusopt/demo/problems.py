"""The three problems of the demo: one value, a mean of components, two objectives. Each takes all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.stats import ortho_group

from janusopt.core.arrays import Rows, Vec


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What to minimize and how to score it.

    ``fun`` maps rows X (n, d) to f (n,), to (f, components) or, with several objectives, to F (n, 2). ``measure`` is
    what the table shows: "error" (f above its known minimum 0, less is better) or "hypervolume" (more is better).
    """

    key: str
    title: str
    fun: Callable[[Rows], Any]
    lower: Vec
    upper: Vec
    budget: int
    host: str
    measure: Literal["error", "hypervolume"] = "error"
    reference: tuple[float, ...] = ()

    @property
    def host_title(self) -> str:
        return {"cma": "CMA-ES", "sms-emoa": "SMS-EMOA"}[self.host]

    @property
    def bounds(self) -> list[tuple[float, float]]:
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))


def valley(d: int = 30, budget: int = 16_000) -> Problem:
    """Rosenbrock's curved valley, moved and rotated so that no place and no coordinate is special."""
    rng = np.random.default_rng(1)
    Q, centre = ortho_group.rvs(d, random_state=rng), rng.uniform(-2.0, 2.0, d)

    def fun(X: Rows) -> Vec:
        Y = (X - centre) @ Q + 1.0
        values: Vec = (100.0 * (Y[:, 1:] - Y[:, :-1] ** 2) ** 2 + (1.0 - Y[:, :-1]) ** 2).sum(axis=1)
        return values

    edge = np.full(d, 5.0)
    return Problem("scalar", f"rotated Rosenbrock, d = {d}", fun, -edge, edge, budget, "cma")


def calibration(peaks: int = 7, budget: int = 10_000) -> Problem:
    """Fit heights, centres and widths of overlapping peaks to a spectrum: f is the mean of the squared misfits."""
    rng = np.random.default_rng(2)
    at = np.linspace(0.0, 1.0, 80)
    middles = (np.arange(peaks) + 0.5) / peaks
    truth = np.concatenate([rng.uniform(0.5, 2.0, peaks), middles, rng.uniform(0.03, 0.09, peaks)])

    def spectrum(X: Rows) -> Rows:
        height, centre, width = (part[:, None, :] for part in np.split(X, 3, axis=1))
        signal: Rows = (height * np.exp(-0.5 * ((at[:, None] - centre) / width) ** 2)).sum(axis=2)
        return signal

    measured = spectrum(truth[None])

    def fun(X: Rows) -> tuple[Vec, Rows]:
        misfits = (spectrum(X) - measured) ** 2
        return misfits.mean(axis=1), misfits

    lower = np.concatenate([np.zeros(peaks), middles - 0.5 / peaks, np.full(peaks, 0.02)])
    upper = np.concatenate([np.full(peaks, 4.0), middles + 0.5 / peaks, np.full(peaks, 0.15)])
    title = f"spectrum calibration, d = {3 * peaks}"
    return Problem("components", title, fun, lower, upper, budget, "cma")


def trade_off(d: int = 20, budget: int = 10_000) -> Problem:
    """Two rotated ellipsoids that disagree: the Pareto set is a curve inside the box, on none of its bounds."""
    rng = np.random.default_rng(3)
    centres = rng.uniform(-2.0, 2.0, (2, d))
    roots = [ortho_group.rvs(d, random_state=rng) * np.logspace(0, 1, d) / np.sqrt(d) for _ in centres]

    def fun(X: Rows) -> Rows:
        return np.stack([(((X - c) @ R) ** 2).sum(axis=1) for c, R in zip(centres, roots, strict=True)], axis=1)

    edge = np.full(d, 5.0)
    nadir = fun(centres).max(axis=0)
    title = f"two rotated ellipsoids, d = {d}"
    return Problem("objectives", title, fun, -edge, edge, budget, "sms-emoa", "hypervolume", tuple(nadir.tolist()))


def all_problems(scale: float = 1.0) -> tuple[Problem, ...]:
    """In the order of the table, every budget multiplied by ``scale``."""
    return tuple(replace(p, budget=max(int(p.budget * scale), 1)) for p in (valley(), calibration(), trade_off()))
