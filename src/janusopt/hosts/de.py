"""Differential evolution as an ask/tell host.

One generation: every member x_i of the population gets one trial u_i, and the better of the two stays. A trial is

    v_i = x_r1 + F (x_r2 − x_r3)                        rand/1/bin
    v_i = x_i + F (x_best − x_i) + F (x_r1 − x_r2)      current-to-best/1/bin
    u_ij = v_ij where rand_ij < CR or j = j_i, else x_ij     (binomial crossover; j_i keeps one coordinate of v_i)

with r1, r2, r3 distinct and none of them i. A coordinate that leaves the box is bounced back: redrawn uniformly between
the bound it crossed and its parent. All draws of a generation are made before infill is looked at and their number does
not depend on values, so infill never moves the host's stream.

Infill rows take the trials of parents chosen in turn, going round the population. A row far from every member competes
with the parent whose trial it took: the one-to-one contest of any trial, and no part of the population is favoured. A
row that resembles a member competes with that one (crowding, Thomsen 2004): many rows about one point would else
replace the whole population by its neighbours. Where components are seen such rows are one or two a generation, from a
model that is better than that of f alone: they go in turn.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Rows, Vec, frozen
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import HostError, InputError

STRATEGIES = ("rand/1/bin", "current-to-best/1/bin")
STARTS = ("lhs", "uniform", "normal")
_COLLAPSED = 1e-12  # spread at which a population is one point, as a share of where it started
_DIVERGED = 1e100
_RESEMBLES = 0.5  # squared distance by axis over the variance, on average, up to which a row resembles a member


def default_popsize(d: int, strategy: str) -> int:
    """40 for rand/1/bin, 200 for current-to-best/1/bin (which converges early when small); 20·d if that is fewer.

    Measured with 20,000 evaluations on sphere, ellipsoid, Rosenbrock and Rastrigin: from d = 10 to 500 these were the
    best sizes for the first three or close to it, and the customary 10·d would leave two generations at d = 1000.
    """
    return min(40 if strategy == "rand/1/bin" else 200, 20 * d)


class DEHost:
    """Differential evolution as a :class:`~janusopt.hosts.base.Host`; its frame is the population's spread by axis.

    x0 (d,) inside lower/upper (d,), sigma0 (d,). ``start`` fills the first population: "lhs" (Latin hypercube) and
    "uniform" over the box, "normal" with ``x0`` itself and draws from N(x0, diag(sigma0²)). Coordinates without two
    finite bounds are filled over x0 ± 2 sigma0. The first generation evaluates that population and holds no infill.
    """

    def __init__(
        self,
        x0: Vec,
        sigma0: Vec,
        lower: Vec,
        upper: Vec,
        *,
        seed: np.random.SeedSequence | int,
        popsize: int | None = None,
        strategy: str = "rand/1/bin",
        F: float = 0.5,
        CR: float = 0.9,
        start: str = "lhs",
    ) -> None:
        d = len(x0)
        n = default_popsize(d, strategy) if popsize is None else int(popsize)
        _check(n, strategy, F, CR, start)
        self._seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._rng = np.random.default_rng(self._seeds)
        self._x0, self._sigma0 = np.array(x0, dtype=float), np.broadcast_to(np.array(sigma0, dtype=float), d)
        self._lower, self._upper = frozen(np.array(lower)), frozen(np.array(upper))
        self._strategy, self._F, self._CR, self._start = strategy, float(F), float(CR), start
        box = np.isfinite(self._lower) & np.isfinite(self._upper)
        self._low = np.where(box, self._lower, np.maximum(self._x0 - 2.0 * self._sigma0, self._lower))
        self._high = np.where(box, self._upper, np.minimum(self._x0 + 2.0 * self._sigma0, self._upper))
        self._X = self._first(n)
        self._f: Vec | None = None
        self._rivals: Index | None = None
        self._flying: dict[int, int] = {}  # the rival of each row that was asked for, by its number, until it is told
        self._asked = self._turn = 0
        self._shape_id = 0
        self._crowds = True

    @property
    def rows(self) -> int:
        return len(self._X)

    @property
    def slots(self) -> int:
        return 0 if self._f is None else len(self._X)

    def frame(self) -> Frame:
        """Centre and standard deviation of the population (of the first one before it is evaluated)."""
        scale = np.maximum(self._X.std(axis=0), 1e-2 * _COLLAPSED * (self._high - self._low))
        mean = np.clip(self._X.mean(axis=0), self._lower, self._upper)
        return Frame(
            frozen(mean), 1.0, frozen(scale), self._lower, self._upper, shape_id=self._shape_id, population=True
        )

    def ask(self, infill: Rows) -> Rows:
        k, n = len(infill), len(self._X)
        if k > self.slots:
            raise HostError(
                f"at most {self.slots} infill rows fit the next generation, got {k}; read slots before each ask"
            )
        if self._f is None and self._rivals is None:
            self._note(np.arange(n))
            return self._X.copy()
        if self._f is None:  # asked again before it was told: any value beats an unknown one
            self._f = np.full(n, np.inf)
        trials = self._trials(int(np.argmin(self._f)))
        taken = (self._turn + np.arange(k)) % n
        self._turn = (self._turn + k) % n
        others = np.delete(np.arange(n), taken)
        infill = np.clip(infill, self._lower, self._upper)
        self._note(np.concatenate([self._resembled(infill, taken), others]))
        return np.concatenate([infill, trials[others]])

    def tell(self, X: Rows, evals: Evaluations) -> None:
        if self._rivals is None:
            raise HostError("tell without an ask before it; call ask, evaluate its rows, then tell once")
        if not len(X) == len(evals) == len(self._rivals):
            raise HostError(f"expected the {len(self._rivals)} rows of ask, got {len(X)} rows with {len(evals)} values")
        self._crowds = evals.components is None
        rivals, self._rivals = self._rivals, None
        self._flying.clear()
        f = _values(evals)
        if self._f is None:
            self._X, self._f = np.array(X, dtype=float), f
        else:
            self._contest(X, f, rivals)
        self._shape_id += 1

    @property
    def late(self) -> bool:
        """Every contest is between two: a trial that comes late meets whoever holds its rival's place by then."""
        return True

    def tell_late(self, X: Rows, evals: Evaluations, numbers: Index) -> None:
        self._crowds = evals.components is None
        if self._f is None:
            self._f = np.full(len(self._X), np.inf)
        self._contest(X, _values(evals), np.array([self._flying.pop(number) for number in numbers.tolist()], np.intp))
        self._shape_id += 1

    def _contest(self, X: Rows, f: Vec, rivals: Index) -> None:
        """One after the other, rows with values f (n,) against whoever holds their rivals' places by then."""
        if self._f is None:
            return
        for x, value, rival in zip(X, f.tolist(), rivals.tolist(), strict=True):
            if value <= self._f[rival] and value < np.inf:
                self._X[rival], self._f[rival] = x, value

    def _resembled(self, rows: Rows, turn: Index) -> Index:
        """The rival (k,) of each row: the member that it resembles, or else the next in turn."""
        if not self._crowds:
            return turn
        rivals, scale = turn.copy(), self.frame().scale
        for i, x in enumerate(rows):
            squares = (((self._X - x) / scale) ** 2).mean(axis=1)
            nearest = int(np.argmin(squares))
            if squares[nearest] < _RESEMBLES:
                rivals[i] = nearest
        return rivals

    def _note(self, rivals: Index) -> None:
        """Whom each row of this ask will meet."""
        self._rivals = rivals
        self._flying.update(enumerate(rivals.tolist(), start=self._asked))
        self._asked += len(rivals)

    def stop(self) -> dict[str, object]:
        """``collapsed``: the population is one point; ``diverged``: it is where squares begin to overflow."""
        reasons: dict[str, object] = {}
        centre = np.abs(self._X).max(axis=0)
        spread = np.ptp(self._X, axis=0)
        if (spread <= _COLLAPSED * (self._high - self._low) + 4.0 * np.finfo(float).eps * centre).all():
            reasons["collapsed"] = float(spread.max())
        if centre.max() > _DIVERGED:
            reasons["diverged"] = float(centre.max())
        return reasons

    def restarted(self, factor: float) -> DEHost:
        """The same settings with a first population of its own, ``factor`` times as large, on a spawned stream."""
        return DEHost(
            self._x0,
            self._sigma0,
            self._lower,
            self._upper,
            seed=self._seeds.spawn(1)[0],
            popsize=max(int(factor * self.rows), self.rows),
            strategy=self._strategy,
            F=self._F,
            CR=self._CR,
            start=self._start,
        )

    def _first(self, n: int) -> Rows:
        """The population to begin with (n, d)."""
        d = len(self._x0)
        if self._start == "normal":
            X = self._x0 + self._sigma0 * self._rng.standard_normal((n, d))
            X[0] = self._x0
            return np.asarray(np.clip(X, self._lower, self._upper))
        U = self._rng.random((n, d))
        if self._start == "lhs":
            cells = self._rng.permuted(np.tile(np.arange(n)[:, None], (1, d)), axis=0)
            U = (cells + U) / n
        return np.asarray(np.clip(self._low + U * (self._high - self._low), self._lower, self._upper))

    def _trials(self, best: int) -> Rows:
        """One trial per member (n, d), inside the box."""
        X, F, rng = self._X, self._F, self._rng
        n = len(X)
        if self._strategy == "rand/1/bin":
            r1, r2, r3 = donors(n, 3, rng).T
            V = X[r1] + F * (X[r2] - X[r3])
        else:
            r1, r2 = donors(n, 2, rng).T
            V = X + F * (X[best] - X) + F * (X[r1] - X[r2])
        return bounced(crossed(X, V, self._CR, rng), X, self._lower, self._upper, rng)


def crossed(X: Rows, V: Rows, CR: float | Rows, rng: np.random.Generator) -> Rows:
    """(n, d): binomial crossover of the members X with their mutants V; CR for all, or (n, 1) for each."""
    n, d = X.shape
    taken = rng.random((n, d)) < CR
    taken[np.arange(n), rng.integers(d, size=n)] = True
    return np.where(taken, V, X)


def bounced(trials: Rows, X: Rows, lower: Vec, upper: Vec, rng: np.random.Generator) -> Rows:
    """(n, d): trials with what left the box redrawn between the bound it crossed and its parent in X."""
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        return trials
    inside, share = trials.copy(), rng.random(trials.shape)
    for bound, outside in ((lower, trials < lower), (upper, trials > upper)):
        edge = np.broadcast_to(bound, trials.shape)[outside]
        inside[outside] = edge + share[outside] * (X[outside] - edge)
    return np.asarray(np.clip(inside, lower, upper))


def donors(n: int, count: int, rng: np.random.Generator) -> Index:
    """(n, count) members for each of n: distinct, never the member itself, every choice equally likely.

    Column c is a draw from the n − 1 − c members still left, turned into a member's number by skipping those taken.
    """
    picks = rng.integers(0, n - 1 - np.arange(count), size=(n, count))
    taken = np.arange(n)[:, None]
    for c in range(count):
        pick = picks[:, c]
        for other in np.sort(taken, axis=1).T:
            pick = pick + (pick >= other)
        taken = np.column_stack([taken, pick])
    return taken[:, 1:]


def _values(evals: Evaluations) -> Vec:
    """f (n,), infinite where a row failed."""
    return np.asarray(np.where(evals.failed | np.isnan(evals.f), np.inf, evals.f))


def _check(popsize: int, strategy: str, F: float, CR: float, start: str) -> None:
    if popsize < 4:
        raise InputError(f"popsize must be at least 4 (a member and three others), got {popsize}")
    if strategy not in STRATEGIES:
        raise InputError(f"strategy must be one of {', '.join(map(repr, STRATEGIES))}, got {strategy!r}")
    if start not in STARTS:
        raise InputError(f"start must be one of {', '.join(map(repr, STARTS))}, got {start!r}")
    if not 0.0 < F <= 2.0:
        raise InputError(f"F must be in (0, 2], got {F!r}; 0.5 is usual")
    if not 0.0 <= CR <= 1.0:
        raise InputError(f"CR must be in [0, 1], got {CR!r}; 0.9 is usual")
