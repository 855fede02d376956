"""Nonlinear least squares: 31 classical problems, dimensions as in Moré and Wild's list where they have them.

``NAME`` starts at the standard point, ``NAME-far`` at ten times it (Watson's, which is zero, at all tens). In the suite
``lsq-noisy`` every residual is multiplied by 1 + 1e-3·N(0, 1); runs are judged without. f is half the sum of squares.

Boxes, which the published problems do not have, are wide: ten times max(|x|, 1) to both sides of the standard start,
or written below where formulas have exponentials, poles or high powers. Minima are the least found in the box.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from janusopt.bench.problem import Problem
from janusopt.bench.suites import fits, systems
from janusopt.bench.task import Task
from janusopt.core.arrays import Rows, Vec, frozen
from janusopt.errors import InputError

Residuals = Callable[[Rows], Rows]
NOISE = 1e-3
_REACH = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Classic:
    """Residuals, standard start as a function of d, ½‖r‖² at the minimum per dimension, and the box where written."""

    residuals: Residuals
    start: Callable[[int], Vec]
    minima: dict[int, float]
    box: tuple[tuple[float, ...] | float, tuple[float, ...] | float] | None = None

    def bounds(self, d: int) -> tuple[Vec, Vec]:
        """Lower and upper (d,)."""
        if self.box is not None:
            return np.broadcast_to(self.box[0], d).astype(float), np.broadcast_to(self.box[1], d).astype(float)
        start = self.start(d)
        reach = _REACH * np.maximum(np.abs(start), 1.0)
        return start - reach, start + reach


def _at(*values: float) -> Callable[[int], Vec]:
    return lambda d: np.resize(values, d)


def _mancino_start(d: int) -> Vec:
    return np.asarray(-8.710996e-4 * systems.mancino(np.zeros((1, d)))[0])


def _chebyquad_start(d: int) -> Vec:
    return np.arange(1.0, d + 1) / (d + 1)


def _variable_start(d: int) -> Vec:
    return 1.0 - np.arange(1.0, d + 1) / d


def _boundary_start(d: int) -> Vec:
    t = np.arange(1.0, d + 1) / (d + 1)
    return t * (t - 1.0)


PROBLEMS: dict[str, Classic] = {
    "linear-full-rank": Classic(systems.linear_full_rank, _at(1.0), {9: 18.0}),
    "linear-rank-1": Classic(systems.linear_rank_1, _at(1.0), {7: 35 * 34 / 4 / 71}),
    "linear-rank-1-zeros": Classic(systems.linear_rank_1_zeros, _at(1.0), {7: (35**2 + 3 * 35 - 6) / 4 / 67}),
    "rosenbrock": Classic(systems.rosenbrock, _at(-1.2, 1.0), {2: 0.0, 10: 0.0}),
    "helical-valley": Classic(systems.helical_valley, _at(-1.0, 0.0, 0.0), {3: 0.0}),
    "powell-singular": Classic(systems.powell_singular, _at(3.0, -1.0, 0.0, 1.0), {4: 0.0}),
    "freudenstein-roth": Classic(systems.freudenstein_roth, _at(0.5, -2.0), {2: 0.0}),
    "bard": Classic(fits.bard, _at(1.0), {3: 0.004107438653289477}),
    "kowalik-osborne": Classic(fits.kowalik_osborne, _at(0.25, 0.39, 0.415, 0.39), {4: 0.00015375280192461826}),
    "meyer": Classic(
        fits.meyer, _at(0.02, 4000.0, 250.0), {3: 43.97292758515576}, ((1e-4, 2000.0, 200.0), (0.1, 1e4, 500.0))
    ),
    "watson": Classic(
        systems.watson,
        _at(0.0),
        {6: 0.0011438350267761548, 9: 6.998800690453678e-07, 12: 2.361190551811476e-10},
        (-20.0, 20.0),
    ),
    "box": Classic(fits.box, _at(0.0, 10.0, 20.0), {3: 0.0}, (-10.0, 40.0)),
    "jennrich-sampson": Classic(fits.jennrich_sampson, _at(0.3, 0.4), {2: 62.181091177807396}, (-1.0, 1.0)),
    "brown-dennis": Classic(systems.brown_dennis, _at(25.0, 5.0, -5.0, -1.0), {4: 42911.10081317818}),
    "chebyquad": Classic(
        systems.chebyquad,
        _chebyquad_start,
        {6: 0.0, 7: 0.0, 8: 0.00175843686283896, 9: 0.0, 10: 0.0023863568481876703, 11: 0.0013998807759328768},
        (-1.0, 2.0),
    ),
    "brown-almost-linear": Classic(systems.brown_almost_linear, _at(0.5), {10: 0.0}),
    "osborne-1": Classic(
        fits.osborne_1,
        _at(0.5, 1.5, -1.0, 0.01, 0.02),
        {5: 2.732447348741135e-05},
        ((-10.0, -10.0, -10.0, 0.0, 0.0), (10.0, 10.0, 10.0, 0.2, 0.2)),
    ),
    "osborne-2": Classic(
        fits.osborne_2,
        _at(1.3, 0.65, 0.65, 0.7, 0.6, 3.0, 5.0, 7.0, 2.0, 4.5, 5.5),
        {11: 0.020068868146773854},
        ((-20.0,) * 4 + (0.0,) * 4 + (-10.0,) * 3, (20.0,) * 4 + (80.0,) * 4 + (60.0,) * 3),
    ),
    "bdqrtic": Classic(
        systems.bdqrtic,
        _at(1.0),
        {8: 5.119486710658729, 10: 9.140580876796824, 11: 11.130295867441996, 12: 13.136383198397143},
    ),
    "cube": Classic(systems.cube, _at(0.5), {5: 0.0, 6: 0.0, 8: 0.0}),
    "mancino": Classic(systems.mancino, _mancino_start, {5: 0.0, 8: 0.0, 10: 0.0, 12: 0.0}),
    "heart8": Classic(systems.heart8, _at(-0.3, -0.39, 0.3, -0.344, -1.2, 2.69, 1.59, -1.5), {8: 0.0}),
    "wood": Classic(systems.wood, _at(-3.0, -1.0), {4: 0.0}),
    "beale": Classic(systems.beale, _at(1.0), {2: 0.0}),
    "variably-dimensioned": Classic(systems.variably_dimensioned, _variable_start, {10: 0.0}),
    "broyden-tridiagonal": Classic(systems.broyden_tridiagonal, _at(-1.0), {10: 0.0}),
    "broyden-banded": Classic(systems.broyden_banded, _at(-1.0), {10: 0.0}),
    "discrete-boundary": Classic(systems.discrete_boundary, _boundary_start, {10: 0.0}),
    "trigonometric": Classic(systems.trigonometric, lambda d: np.full(d, 1.0 / d), {10: 0.0}),
    "biggs": Classic(
        fits.biggs, _at(1.0, 2.0, 1.0, 1.0, 1.0, 1.0), {6: 0.0}, ((0.0, 0.0, -20.0, -20.0, 0.0, -20.0), 20.0)
    ),
    "gaussian": Classic(
        fits.gaussian, _at(0.4, 1.0, 0.0), {3: 5.639663848091685e-09}, ((-10.0, 0.0, -5.0), (10.0, 20.0, 5.0))
    ),
}


def build(task: Task, seed: int) -> Problem:
    """The problem that ``task.problem`` names, with or without -far; ``seed`` feeds the noise."""
    name = task.problem.removesuffix("-far")
    classic, d = PROBLEMS.get(name), task.dimension
    if classic is None or d not in classic.minima:
        known = "none" if classic is None else ", ".join(map(str, classic.minima))
        raise InputError(
            f"a problem of lsq is one of {', '.join(PROBLEMS)}, or one of them with -far, in its dimensions; got "
            f"{task.problem!r} with d = {d} (known: {known})"
        )
    lower, upper = classic.bounds(d)
    start = classic.start(d)
    if name != task.problem:
        start = 10.0 * start if np.any(start) else np.full(d, 10.0)
    if np.any((start < lower) | (start > upper)):
        raise InputError(f"ten times the start of {name} is outside its box: it has no -far form")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))

    def noisy(X: Rows) -> Rows:
        R = classic.residuals(X)
        return np.asarray(R * (1.0 + NOISE * rng.standard_normal(R.shape)))

    def judge(X: Rows) -> Vec:
        return np.asarray(0.5 * (classic.residuals(X) ** 2).sum(axis=1))

    loud = task.suite == "lsq-noisy"
    return Problem(
        frozen(lower),
        frozen(upper),
        noisy if loud else classic.residuals,
        kind="residuals",
        optimum=classic.minima[d],
        judge=judge if loud else None,
        start=frozen(start),
    )
