"""pycma behind the host protocol: full, diagonal (sep-CMA) and VkD samplers.

What pycma wants to be told, checked on cma 4.5.0:

* Infill is announced before sampling by ``inject(…, force=True)``; without ``force`` it is rescaled to a random length.
  Injected rows stay out of the negative covariance update, rows slipped into ``tell`` would not. They come first in
  ``ask``.
* ``inject`` takes genotype: see :class:`Fold`. A mapped row is clipped once more where the host measures length.
* ``seed`` reseeds numpy's global generator: a NaN seed and a ``randn`` of our own keep the stream local and picklable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cma
import numpy as np
from cma.restricted_gaussian_sampler import GaussVkDSampler
from cma.transformations import BoxConstraintsLinQuadTransformation

from janusopt.core.arrays import Index, Rows, Vec, frozen, norm
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.metric import Metric
from janusopt.errors import InputError

_CHANGE = (0.2, 5.0)  # most that one reshape changes a variance
_VKD_REST = 2  # generations between infill on VkD, whose step size asks if going on along the last step is good
_LONE = 7.0  # standard deviations of one coordinate that pycma's diagonal update can bear; beyond, it warns
_CONDITION = 1e11  # largest condition number a reshape leaves; at 1e12 pycma moves C into its genotype


class Normal:
    """numpy's ``randn`` over a Generator: local, and picklable with the strategy that holds it."""

    def __init__(self, seed: np.random.SeedSequence | int) -> None:
        self.generator = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> Any:
        return self.generator.standard_normal(shape)


class PycmaHost:
    """A ``cma.CMAEvolutionStrategy`` as a :class:`~janusopt.hosts.base.Host` that owns its covariance.

    x0 (d,) inside lower/upper (d,), sigma0 (d,) the initial standard deviation of each coordinate. ``sampler`` is
    "full", "diagonal" or "vkd"; ``options`` are pycma's own and win over ours.
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
        sampler: str = "full",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._start = (x0, sigma0, lower, upper, sampler, dict(options or {}))
        chosen = _options(sigma0, lower, upper, Normal(self._seeds), popsize, sampler) | dict(options or {})
        self._adopt(cma.CMAEvolutionStrategy(x0, float(np.mean(sigma0)), chosen), lower, upper)

    @classmethod
    def wrap(cls, strategy: cma.CMAEvolutionStrategy) -> PycmaHost:
        """Around a strategy that somebody else made and drives; it cannot restart."""
        host = cls.__new__(cls)
        d = strategy.N
        sides = [strategy.boundary_handler.get_bounds(side, d) for side in ("lower", "upper")]
        lower = np.full(d, -np.inf) if sides[0] is None else np.asarray(sides[0], dtype=float)
        upper = np.full(d, np.inf) if sides[1] is None else np.asarray(sides[1], dtype=float)
        host._adopt(strategy, lower, upper)
        return host

    def _adopt(self, strategy: cma.CMAEvolutionStrategy, lower: Vec, upper: Vec) -> None:
        self.strategy = strategy
        self._lower, self._upper = frozen(lower), frozen(upper)
        self._worst = -np.inf
        self._led_by = self._ours = 0
        self._frame: Frame | None = None
        self._folded: Fold | None = None
        self._shape_id = 0
        self._shape: tuple[Any, ...] = ()

    @property
    def rows(self) -> int:
        return int(self.strategy.popsize)

    @property
    def slots(self) -> int:
        es = self.strategy
        plain = es.gp.isidentity and len(es.opts["integer_variables"]) == 0
        free = es.popsize - len(es.pop_injection_directions) - len(es.pop_injection_solutions)
        led = not es.mean_shift_samples or bool(es.pop_injection_directions)  # else it takes ours for its mirrored pair
        rested = not isinstance(es.sm, GaussVkDSampler) or es.countiter % _VKD_REST == 0
        return max(min(es.popsize // 2, free - 2), 0) if plain and led and rested else 0

    def frame(self) -> Frame:
        if self._frame is None:
            self._frame = self._read_frame()
        return self._frame

    def refresh(self) -> None:
        """Read the strategy anew: somebody else drove it since."""
        self._frame = None

    def _read_frame(self) -> Frame:
        es, sm = self.strategy, self.strategy.sm
        scale = np.asarray(es.sigma_vec.scaling) * np.ones(es.N)
        sigma, basis, roots, owns = float(es.sigma), None, None, True
        decomposes = False
        if isinstance(sm, GaussVkDSampler):
            k, owns = sm.k_active, False
            scale, sigma = scale * sm.D, sigma * float(sm.sigma)
            if k:
                basis, roots = sm.V[:k].T, np.sqrt(1.0 + sm.S[:k])
        elif hasattr(sm, "B"):
            basis, roots = sm.B, sm.D
            decomposes = sm.count_tell >= sm.last_update + max(sm.lazy_update_gap, 1)
        else:
            decomposes = True  # diagonal: nothing to decompose
        fold = self._fold()
        self._note_shape(sm, fold)
        return Frame(
            mean=frozen(es.mean.copy()),
            sigma=sigma,
            scale=frozen(scale),
            lower=self._lower,
            upper=self._upper,
            basis=None if basis is None else frozen(basis),
            roots=None if roots is None else frozen(roots),
            shape_id=self._shape_id,
            owns_covariance=owns,
            decomposes=bool(decomposes),
            warp=fold,
        )

    def _fold(self) -> Fold | None:
        transform = getattr(self.strategy.boundary_handler, "bounds_tf", None)
        if not isinstance(transform, BoxConstraintsLinQuadTransformation):
            return None
        es = self.strategy
        slack = es.sigma * np.asarray(es.sigma_vec.scaling) * np.sqrt(np.asarray(es.sm.variances))
        last = self._folded
        if last is None or not last.holds(transform, es.mean, slack):
            fold = Fold(transform, es.mean, None if last is None else last.copies, slack)
            self._folded = last if last is not None and last.is_like(fold) else fold
        return self._folded

    def _note_shape(self, sm: Any, fold: Fold | None) -> None:
        """A new number whenever the distribution's shape, or its copy of the box, is a new one."""
        still = hasattr(sm, "count_eigen")
        shape = (id(sm), id(sm.B), sm.count_eigen, id(fold)) if still else (self.strategy.countiter,)
        if shape != self._shape:
            self._shape, self._shape_id = shape, self._shape_id + 1

    def ask(self, infill: Rows) -> Rows:
        self._led_by = self.inject(infill)
        X = np.array(self.strategy.ask())
        self._frame = None
        self._ours = len(infill)
        return X[np.argsort(self._order(len(X)))]

    def inject(self, infill: Rows) -> int:
        """Announce rows (k, d) for the next ask; the number of pycma's own directions that come before them in it."""
        es = self.strategy
        if len(infill):
            es.inject(list(self._near(infill)), force=True)
        return len(es.pop_injection_directions) + len(es.pop_injection_solutions) - len(infill)

    def _near(self, infill: Rows) -> Rows:
        """Rows (k, d) as genotypes, pulled towards the mean where they are longer than the clip length."""
        frame = self.frame()
        G = frame.host(infill)
        whitened = [frame.whiten(g - frame.mean) for g in G]  # one by one: faster up to four rows
        longest = frame.reach * np.sqrt(frame.d)
        if frame.rotated and max(map(norm, whitened)) <= longest * frame.sigma:
            return G
        Z = np.array(whitened) / frame.sigma
        lengths = np.sqrt(np.einsum("kd,kd->k", Z, Z))
        shares = longest / np.maximum(lengths, 1e-300)
        if frame.basis is None and not isinstance(self.strategy.sm, GaussVkDSampler):
            shares = np.minimum(shares, _LONE / np.maximum(np.abs(Z).max(axis=1), 1e-300))
        if (shares < 1.0).any():
            Z *= np.minimum(1.0, shares)[:, None]
            G = frame.mean + frame.sigma * frame.color(Z)
        if isinstance(self.strategy.sm, GaussVkDSampler) and not np.all(lengths):  # it divides by every length
            Z[lengths == 0.0, 0] = 1e-3
            G = frame.mean + frame.sigma * frame.color(Z)
        return G

    def tell(self, X: Rows, evals: Evaluations) -> None:
        values = evals.ranking(self._worst)
        self._worst = max(self._worst, float(values.max()))
        order = self._order(len(X))
        self.strategy.tell(list(X[order]), values[order].tolist())
        self.strategy._injected_solutions_archive.clear()  # an injected row that came back as another one: no warning
        self._frame = None

    @property
    def late(self) -> bool:
        """Not where the order of rows has a meaning: with mirrored pairs, and with VkD, which samples them."""
        return not self.strategy.mean_shift_samples and not isinstance(self.strategy.sm, GaussVkDSampler)

    def tell_late(self, X: Rows, evals: Evaluations, numbers: Index) -> None:
        """``check_points``: a row that the distribution of now would hardly sample counts by its direction only."""
        es, values = self.strategy, evals.ranking(self._worst)
        self._worst = max(self._worst, float(values.max()))
        for injected in es._injected_solutions_archive.values():  # pycma takes those in flight for lost, and warns
            injected["iteration"] = es.countiter
        es._flgtelldone = False
        es.tell(list(X), values.tolist(), check_points=True)
        self._frame = None

    def _order(self, n: int) -> Index:
        """Where pycma wants each row back: its own directions (at d = 500 two along its last step) come first."""
        led, k = self._led_by, self._ours
        return np.array([*range(k, k + led), *range(k), *range(k + led, n)])

    def stop(self) -> dict[str, object]:
        return dict(self.strategy.stop())

    def restarted(self, factor: float) -> PycmaHost | None:
        """The same settings from a new uniform start (from x0 again where there is no box), on a spawned stream."""
        if not hasattr(self, "_start"):
            return None
        x0, sigma0, lower, upper, sampler, options = self._start
        (child,) = self._seeds.spawn(1)
        box = np.isfinite(lower) & np.isfinite(upper)
        draw = np.random.default_rng(child.spawn(1)[0]).uniform(np.where(box, lower, 0.0), np.where(box, upper, 1.0))
        popsize = max(int(self.strategy.popsize * factor), self.strategy.popsize)
        options = {name: value for name, value in options.items() if name != "popsize"}
        return PycmaHost(
            np.where(box, draw, x0), sigma0, lower, upper, seed=child, popsize=popsize, sampler=sampler, options=options
        )

    def reshape(self, metric: Metric, weight: float) -> None:
        self._frame = None
        es, sm = self.strategy, self.strategy.sm
        blend = metric.blended(weight, *_CHANGE)
        if isinstance(sm, GaussVkDSampler):
            return
        if not hasattr(sm, "B"):
            self._reshape_axes(blend)
            return
        far = np.abs(blend.values - blend.rest) > 0.001 * blend.rest  # the others are as good as the rest
        L = (sm.B * sm.D) @ blend.V[:, far]
        C = (sm.C + sm.C.T) / 2.0
        trace = float(np.trace(C))
        C *= blend.rest
        C += (L * (blend.values[far] - blend.rest)) @ L.T
        C *= trace / float(np.trace(C))
        values, B = np.linalg.eigh(C)
        floor = values[-1] / _CONDITION
        if values[0] < floor:
            values = np.maximum(values, floor)
            values *= trace / values.sum()
            C = (B * values) @ B.T
        sm.C, sm.B, sm.D = C, B, np.sqrt(values)
        sm.last_update, sm._inverse_root_C = sm.count_tell, None
        sm.count_eigen += 1
        es._updateBDfromSM(sm)

    def _reshape_axes(self, blend: Metric) -> None:
        """Eq. 3 on a diagonal covariance: only the diagonal of T counts."""
        es = self.strategy
        old = np.asarray(es.sigma_vec.scaling) * np.ones(es.N)
        variance = old**2 * blend.diagonal()
        variance = np.maximum(variance, variance.max() / _CONDITION)
        es.sigma_vec *= np.sqrt(variance * ((old**2).sum() / variance.sum())) / old


class Fold:
    """pycma's smooth box transformation as a warp, in the copy of the box where the host's mean is.

    pycma samples without bounds and folds what it samples into the box: periodic and mirrored, with a parabola of
    margin a at either bound (``x = b ± (g − (b ∓ a))²/4a``). In its coordinates g an optimum on a bound is an
    ordinary smooth minimum. A point has a genotype in every copy of the box; the one in the mean's own copy is where
    the host means it. A mean within ``slack`` of the copy it was in ``before`` counts as still there: about an edge the
    fold is symmetric, and what was cached lives on: from x to g it is a map of its own for as long as it is the same
    object.
    """

    def __init__(
        self,
        transform: BoxConstraintsLinQuadTransformation,
        mean: Vec,
        before: Vec | None = None,
        slack: Vec | float = 0.0,
    ) -> None:
        if len(transform._lb) != len(mean):
            transform.initialize(len(mean))
        self._transform = transform
        self._lower, self._upper = transform._lb, transform._ub
        self._below, self._above = transform._al, transform._au
        self._low, self._high = self._lower - self._below, self._upper + self._above
        half, two_sided = self._high - self._low, np.isfinite(self._lower) & np.isfinite(self._upper)
        with np.errstate(invalid="ignore"):
            number = np.where(two_sided, np.floor((mean - self._low) / half), 0.0)
            number[~two_sided & (mean < self._low)] = -1.0
            number[~two_sided & (mean > self._high)] = 1.0
            if before is not None:
                first = self._low + before * half
                stays = two_sided & (mean >= first - slack) & (mean <= first + half + slack)
                number = np.where(stays, before, number)
            self.copies = number  #: (d,) whole numbers; x runs against g in the odd ones
            self._first, self._last = self._low + number * half, self._high + number * half
            mirror = 2.0 * np.where(np.isfinite(self._low), self._low, self._high)
            there = np.where(number % 2 != 0.0, self._low + self._high, 0.0) + number * half
        self._sign = np.where(two_sided, 1.0 - 2.0 * (number % 2), 1.0 - 2.0 * np.abs(number))
        self._offset = np.where(number == 0.0, 0.0, np.where(two_sided, there, mirror))
        self._closed, self._elsewhere = bool(two_sided.all()), bool(number.any())

    def holds(self, transform: BoxConstraintsLinQuadTransformation, mean: Vec, slack: Vec) -> bool:
        """Whether a mean, within ``slack``, is in the same copy of the same closed box."""
        same = self._transform is transform and self._closed
        return same and bool((mean >= self._first - slack).all() and (mean <= self._last + slack).all())

    def is_like(self, other: Fold) -> bool:
        """Whether both are the same map."""
        return self._transform is other._transform and bool(np.array_equal(self.copies, other.copies))

    def inward(self, X: Rows) -> Rows:
        G = np.array(X, dtype=float, order="C")
        flat, d = G.reshape(-1), len(self._lower)
        down, up = np.flatnonzero(self._lower + self._below > X), np.flatnonzero(self._upper - self._above <= X)
        if len(down) or len(up):
            j, k = down % d, up % d
            risen = self._low[j] + 2.0 * np.sqrt(self._below[j] * np.maximum(flat[down] - self._lower[j], 0.0))
            flat[up] = self._high[k] - 2.0 * np.sqrt(self._above[k] * np.maximum(self._upper[k] - flat[up], 0.0))
            flat[down] = risen
        if self._elsewhere:  # from the box itself to the mean's copy of it
            G *= self._sign
            G += self._offset
        return G

    def outward(self, G: Rows) -> Rows:
        rows = [self._transform(g.copy()) for g in np.atleast_2d(G)]
        return np.array(rows, dtype=float).reshape(np.shape(G))


def _options(sigma0: Vec, lower: Vec, upper: Vec, randn: Normal, popsize: int | None, sampler: str) -> dict[str, Any]:
    """pycma's options for this start; everything not named is pycma's default."""
    chosen: dict[str, Any] = {"seed": np.nan, "randn": randn, "verbose": -9, "verb_log": 0}
    if popsize is not None:
        chosen["popsize"] = popsize
    if np.isfinite(lower).any() or np.isfinite(upper).any():
        chosen["bounds"] = [lower.tolist(), upper.tolist()]
        if len(lower) == 1:  # pycma cannot rescale a single coordinate: its limit on deviations would raise
            chosen["maxstd_boundrange"] = np.inf
    if np.ptp(sigma0) > 0:
        chosen["CMA_stds"] = sigma0 / np.mean(sigma0)
    if sampler == "diagonal":
        chosen["CMA_diagonal"] = True
    elif sampler == "vkd":
        chosen |= GaussVkDSampler.extend_cma_options({"CMA_sampler_options": {"randn": randn}})
    elif sampler != "full":
        raise InputError(f"sampler must be 'full', 'diagonal' or 'vkd', got {sampler!r}")
    return chosen
