"""A valley: one direction far stiffer than all others, known by its latent residual, and what to do about it.

Steep walls make f whatever else a row is: a host narrows in every direction until it fits between them, which takes
most of a run, and fits of its rows see nothing but the walls. Where :mod:`janusopt.core.latent` knows the residual r,
three things help. Candidates are moved to the floor, r = 0. Fits read ``f − r²``, what the floor does. And Eq. 3
narrows the host along a alone. Whether r is known is measured, not assumed: its size must explain, on rows that it has
not seen, what r itself does not, as an r that never changes its sign is a slope and no valley.

A host may sample in coordinates g of its own that it folds into the box; there a is multiplied by dx/dg, and turns as
the mean moves away from a bound. What was narrowed for an earlier a is then in the way, and is given back.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Rows, Vec, norm
from janusopt.core.evaluations import Evaluations
from janusopt.core.evidence import Smoothed, partial_correlations
from janusopt.core.frame import Frame
from janusopt.core.hindsight import knows, mixes
from janusopt.core.latent import LatentFit, fit_latent
from janusopt.core.metric import Metric
from janusopt.core.trace import Trace, Window

_ROWS, _FEWEST = 5, 4  # rows for each variable: in memory, and before the first fit
_LARGEST = 10_000_000  # numbers in that memory
_AGAIN = 2  # fits of a known residual in d evaluations
_RATE, _SCORED = 0.2, 6  # of the score; samples in a generation that are enough for one
_SEEN, _LOST = 0.7, 0.15  # score from which a valley is one, and below which it no longer is
_WALLS = (0.3, 0.7)  # score up to which samples are left to the host, and from which all slots are for the floor
_SURE = 0.1  # doubt up to which Eq. 3 may go by a
_MOST, _LEAST = 5.0, 0.2  # change of a variance in one reshape; variation of r, by share, that cannot be told from none
_PAST = 80  # directions of earlier reshapes that are remembered
_BELOW = 6.0  # how far below its median the floor may be, in units of its median deviation
_ONTO = 3  # corrections of a row on its way to the floor
REST = 5  # generations between two reshapes


class Valley:
    """The residual of a run on a host that owns a covariance, its score, and what was narrowed because of it.

    ``Valley(d)`` remembers rows of d variables; ``Valley()`` never sees anything.
    """

    def __init__(self, d: int = 0) -> None:
        self._trace = Trace(_ROWS * d) if d else None
        self._fit: LatentFit | None = None
        self._score = Smoothed(_RATE)
        self._next, self._wait = _FEWEST * d, d
        self._samples: list[Rows] = []  # the host's own rows in the last two generations that were examined
        self._narrowed: list[Vec] = []
        self.seen = False  #: whether there is one now
        self.found = False  #: whether there ever was one

    @classmethod
    def of(cls, config: JanusConfig, frame: Frame) -> Valley:
        """One that sees nothing where Eq. 3 by evidence is off, the window knows the curvatures, or d is too large."""
        fits = _ROWS * frame.d**2 <= _LARGEST and not knows(config.window, frame.d)
        return cls(frame.d) if fits and mixes(config, frame) else cls()

    def record(self, X: Rows, evals: Evaluations) -> None:
        if self._trace is not None:
            self._trace.record(X, evals)

    def examine(self, X: Rows, f: Vec) -> None:
        """Score the residual on samples X (n, d) of the host that it has not seen."""
        if self._fit is None or len(f) < _SCORED:
            return
        r = self._fit.residual(X)
        self._score.add(*partial_correlations(f, np.abs(r)[None], r[None]))
        self._samples = [*self._samples[-1:], X]
        self.seen = self._score.value > (_LOST if self.seen else _SEEN)
        self.found = self.found or self.seen

    def look(self) -> None:
        """Fit now and then: a known residual often, an unknown one ever more rarely."""
        if self._trace is None or self._trace.count < self._next:
            return
        window, d = self._trace.window(), self._trace.capacity // _ROWS
        order = np.argsort(window.serial)
        known = None if self._fit is None else self._fit.residual
        self._fit = fit_latent(window.X[order], window.f[order], known, cold=not self.seen)
        if self._fit is None:
            self._score, self.seen = Smoothed(_RATE), False
        self._next = self._trace.count + (d // _AGAIN if self.seen else self._wait)
        self._wait = d if self.seen else 2 * self._wait

    def floor(self, X: Rows, f: Vec) -> Vec:
        """``f − r²`` (n,), but not far below its own median: r² is known to a share only."""
        if self._fit is None or not self.seen:
            return f
        left = f - np.square(self._fit.residual(X))
        middle = np.median(left)
        return np.asarray(np.maximum(left, middle - _BELOW * np.median(np.abs(left - middle))))

    def window(self, window: Window) -> Window:
        """The same rows with :meth:`floor` in place of f."""
        return Window(window.X, self.floor(window.X, window.f), window.S, window.serial) if self.seen else window

    def rows(self, slots: int) -> int:
        """How many slots are for rows on the floor: where the walls are low a sample of the host's is as good."""
        low, high = _WALLS
        share = min(max((self._score.value - low) / (high - low), 0.0), 1.0)
        return round(max(slots, 0) * share) if self.seen else 0

    def along(self, frame: Frame, Z: Rows, origin: Vec, slots: int, rng: np.random.Generator) -> Rows:
        """Candidates z (k, d) moved to the floor, and in the slots that are left samples about ``origin`` on it."""
        xi = rng.standard_normal((self.rows(slots - len(Z)), frame.d))
        return self.onto(frame, np.concatenate([Z, origin + xi]))

    def onto(self, frame: Frame, Z: Rows) -> Rows:
        """Rows z (n, d) moved to r = 0 by the shortest way."""
        if self._fit is None or not self.seen:
            return Z
        residual, v = self._fit.residual, frame.sigma * frame.pullback(self._slope(frame))
        for _ in range(_ONTO):
            G = frame.mean + frame.sigma * frame.color(Z)
            r = residual(G if frame.warp is None else frame.warp.outward(G))
            Z = Z - np.outer(r / max(float(v @ v), 1e-300), v)
        return Z

    @property
    def sure(self) -> bool:
        """Whether Eq. 3 may go by the residual."""
        return self.seen and self._fit is not None and self._fit.doubt < _SURE

    def metric(self, frame: Frame) -> Metric | None:
        """T of Eq. 3: narrow along a by what the score tells of the walls, as wide as before where an earlier a was."""
        if self._fit is None:
            return None
        slope = self._slope(frame)
        v = frame.pullback(slope)
        length = norm(v)
        v = v / max(length, 1e-300)
        narrower = self._excess(frame, length)
        V, wider = self._given_back(frame, v)
        if narrower > 1.0:
            self._narrowed = [*self._narrowed[1 - _PAST :], slope]
        self._fit = LatentFit(self._fit.residual, self._fit.misfit, self._fit.doubt * narrower)
        return Metric(np.concatenate([v[None], V]).T, np.append(1.0 / narrower, wider), 1.0)

    def _slope(self, frame: Frame) -> Vec:
        """a in the host's coordinates: times the secant of x over a standard deviation of g about the mean."""
        if self._fit is None or frame.warp is None:
            return np.zeros(frame.d) if self._fit is None else self._fit.residual.a
        wide = frame.sigma * frame.axes().scale
        ends = frame.warp.outward(np.array([frame.mean - wide, frame.mean + wide]))
        return np.asarray(self._fit.residual.a * (ends[1] - ends[0]) / (2.0 * wide))

    def _excess(self, frame: Frame, length: float) -> float:
        """By what factor the variance along a is too large.

        r² makes a share R² of f's variance, d − 1 directions the rest, so their curvatures are √(d R²/(1 − R²)) apart
        or more. But only what varies linearly in g can be narrowed away, and to less than the rest it need not be.
        """
        share = min(self._score.value**2, 0.999)
        excess = sqrt(frame.d * share / (1.0 - share))
        linear = (length * frame.sigma) ** 2
        varies = linear
        if self._fit is not None and self._samples:
            varies = float(np.var(self._fit.residual(np.concatenate(self._samples))))
        return max(min(excess, linear / max(varies - linear, _LEAST * varies, 1e-300), _MOST), 1.0)

    def _given_back(self, frame: Frame, v: Vec) -> tuple[Rows, Vec]:
        """Directions (k, d) orthonormal to v that earlier reshapes narrowed, and how much wider they should be (k,)."""
        if not self._narrowed or frame.roots is None:
            return np.empty((0, frame.d)), np.empty(0)
        W = frame.pullback(np.array(self._narrowed))
        W -= np.outer(W @ v, v)
        W /= np.maximum(np.sqrt(np.einsum("kd,kd->k", W, W)), 1e-300)[:, None]
        _, sizes, Vt = np.linalg.svd(W, full_matrices=False)
        V = Vt[sizes > 1e-6 * sizes[0]]
        wide = frame.color(V)
        variances, E = np.linalg.eigh(wide @ wide.T)
        usual = float(np.median(frame.roots)) ** 2 * float(np.mean(np.square(frame.scale)))
        return E.T @ V, np.clip(usual / np.maximum(variances, 1e-300), 1.0, _MOST)
