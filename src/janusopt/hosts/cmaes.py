"""CyberAgent's ``cmaes`` behind the host protocol.

What it does, checked on cmaes 0.13.1:

* ``ask`` gives one row; with bounds it resamples up to 100 times, then clips to the box.
* Nothing limits a row handed to ``tell``: one far point declared best multiplies its step size a thousandfold. Infill
  is therefore clipped to κ√d in whitened length before it is even evaluated.
* NaN compares false with everything and may end up ranked first: failed rows are told a value worse than all others,
  and a generation without one good row is not told at all, since its order would be noise.
* It stops when a standard deviation passes 1e4, whatever the size of the box: that limit is scaled by sigma0 here.
* Its own pickling drops the random state and rounds C, so this adapter pickles its fields itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from janusopt.core.arrays import Rows, Vec, frozen
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.metric import Metric
from janusopt.errors import HostError, InputError, MissingExtraError

if TYPE_CHECKING:
    from cmaes import CMA

_CHANGE = (0.2, 5.0)  # most that one reshape changes a variance
_CONDITION = 1e14  # largest condition number a reshape leaves
_PRIVATE = ("_mean", "_sigma", "_C", "_B", "_D", "_rng", "_tolxup", "_eigen_decomposition")


class CmaesHost:
    """A ``cmaes.CMA`` as a :class:`~janusopt.hosts.base.Host` that owns its covariance.

    x0 (d,) inside lower/upper (d,), sigma0 (d,) the initial standard deviation of each coordinate. An integer
    ``seed`` is the seed of ``cmaes.CMA`` itself.
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
    ) -> None:
        if popsize is not None and popsize < 4:
            raise InputError(f"popsize must be at least 4 for cmaes to have learning rates, got {popsize}")
        d = len(x0)
        self._lower, self._upper = frozen(np.array(lower)), frozen(np.array(upper))
        self._start = (np.array(x0, dtype=float), np.broadcast_to(np.array(sigma0, dtype=float), d))
        self._seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        number = seed if isinstance(seed, int) else int(self._seeds.generate_state(1)[0])
        self._cma = self._created(number, popsize)
        self._worst = -np.inf
        self._asked = 0
        self._axes: tuple[Rows, Vec] | None = None
        self._decomposed: object = None
        self._shape_id = 0

    def _created(self, seed: int, popsize: int | None) -> CMA:
        x0, sigma0 = self._start
        sigma = float(np.mean(sigma0))
        free = not (np.isfinite(self._lower).any() or np.isfinite(self._upper).any())
        cma: CMA = _strategy()(
            mean=x0,
            sigma=sigma,
            bounds=None if free else np.column_stack([self._lower, self._upper]),
            seed=seed,
            population_size=popsize,
            cov=np.diag((sigma0 / sigma) ** 2) if np.ptp(sigma0) > 0 else None,
        )
        missing = [name for name in _PRIVATE if not hasattr(cma, name)]
        if missing:
            raise HostError(
                f"cmaes.CMA was expected to have {', '.join(missing)}, as in cmaes 0.13.1; "
                "the installed version has not: install cmaes==0.13.1"
            )
        cma._tolxup *= max(1.0, sigma)
        return cma

    @property
    def rows(self) -> int:
        return int(self._cma.population_size)

    @property
    def slots(self) -> int:
        """Half of the rows: the share that recombination can take up."""
        return self.rows // 2

    def frame(self) -> Frame:
        cma = self._cma
        B, D = cma._eigen_decomposition()
        if self._axes is None or self._decomposed is not B:
            self._decomposed, self._shape_id = B, self._shape_id + 1
            self._axes = frozen(B.copy()), frozen(np.maximum(D, D.max() / _CONDITION))
        return Frame(
            mean=frozen(np.clip(cma._mean, self._lower, self._upper)),
            sigma=float(cma._sigma),
            scale=frozen(np.ones(len(cma._mean))),
            lower=self._lower,
            upper=self._upper,
            basis=self._axes[0],
            roots=self._axes[1],
            shape_id=self._shape_id,
            owns_covariance=True,
            decomposes=True,
        )

    def ask(self, infill: Rows) -> Rows:
        k = len(infill)
        if k > self.slots:
            raise HostError(
                f"at most {self.slots} infill rows fit the next generation, got {k}; read slots before each ask"
            )
        X = np.array([self._cma.ask() for _ in range(self.rows)])
        if k:
            frame = self.frame()
            X[:k] = [frame.clip(x, frame.reach) for x in np.asarray(infill, dtype=float)]
        self._asked = len(X)
        return X

    def tell(self, X: Rows, evals: Evaluations) -> None:
        if not len(X) == len(evals) == self._asked:
            raise HostError(
                f"expected the {self._asked} rows of the last ask, got {len(X)} rows with {len(evals)} values"
            )
        self._asked = 0
        if evals.failed.all():
            return
        values = evals.ranking(self._worst)
        self._worst = max(self._worst, float(values.max()))
        self._cma.tell([(x.copy(), float(value)) for x, value in zip(X, values, strict=True)])

    def stop(self) -> dict[str, object]:
        """cmaes only says whether: the reason is given with the numbers it looks at."""
        with np.errstate(all="ignore"):
            if not self._cma.should_stop():
                return {}
            _, D = self._cma._eigen_decomposition()
            return {"should_stop": {"sigma": float(self._cma._sigma), "axis_ratio": float(D.max() / D.min())}}

    def restarted(self, factor: float) -> CmaesHost:
        """The same settings from a new uniform start (from x0 again where there is no box), on a spawned stream."""
        x0, sigma0 = self._start
        (child,) = self._seeds.spawn(1)
        box = np.isfinite(self._lower) & np.isfinite(self._upper)
        low, high = np.where(box, self._lower, 0.0), np.where(box, self._upper, 1.0)
        draw = np.random.default_rng(child.spawn(1)[0]).uniform(low, high)
        popsize = max(int(self.rows * factor), self.rows)
        return CmaesHost(np.where(box, draw, x0), sigma0, self._lower, self._upper, seed=child, popsize=popsize)

    def reshape(self, metric: Metric, weight: float) -> None:
        if weight <= 0.0:
            return
        cma = self._cma
        B, D = cma._eigen_decomposition()
        blend = metric.blended(weight, *_CHANGE)
        L = (B * D) @ blend.V
        trace = float(np.trace(cma._C))
        C = blend.rest * cma._C + (L * (blend.values - blend.rest)) @ L.T  # Eq. 3 in x: L T' Lᵀ with L = B diag(D)
        values, B = np.linalg.eigh((C + C.T) / 2.0)
        values = np.maximum(values, values[-1] / _CONDITION)
        values *= trace / values.sum()
        cma._C, cma._B, cma._D = (B * values) @ B.T, B, np.sqrt(values)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cma": dict(vars(self._cma)), "_decomposed": None, "_axes": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._cma = object.__new__(_strategy())
        vars(self._cma).update(state["_cma"])


def _strategy() -> type[CMA]:
    try:
        from cmaes import CMA
    except ImportError as error:
        raise MissingExtraError("cmaes", "cmaes", "the host 'cmaes'") from error
    strategy: type[CMA] = CMA
    return strategy
