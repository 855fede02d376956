"""Any object with ``ask`` and ``tell`` behind the host protocol; it must minimize.

    ask    "batch"  ask() → n candidates          tell   "batch"  tell(candidates, values)
           "count"  ask(n) → n candidates                "one"    tell(candidate, value), one after the other
           "one"    ask() → one candidate                "pairs"  tell([(candidate, value), …])

"auto" reads signatures: a required parameter of ``ask`` means "count"; otherwise the first answer decides, "batch" if
it is a sequence of vectors, else "one" (the answer is used, nothing is asked twice). ``tell`` with one required
parameter means "pairs"; with two it means "one" where ask gives one, else "batch".

Candidates of the object's own kind are told as they were asked. An infill row takes the place of an asked candidate,
which is then never told: most objects take that as an evaluation that did not come back.

Such an object shows no distribution, so the frame is an estimate: the centre is the mean of the better half of the last
generation, the scale the standard deviation, axis by axis, of the last rows that the object asked for itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from janusopt.core.arrays import Rows, Vec, frozen
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import HostError, InputError

_ASK = ("auto", "batch", "count", "one")
_TELL = ("auto", "batch", "one", "pairs")
_SIZES = ("popsize", "population_size", "pop_size", "num_workers")
_MEMORY = 20  # fewest own rows that the scale is estimated from
_FLOOR = 1e-14  # smallest scale, as a share of the box or of the first rows


def as_vector(candidate: Any) -> Vec:
    """The candidate is the vector."""
    return np.array(candidate, dtype=float)


def as_candidate(x: Vec) -> Any:
    """The vector is the candidate."""
    return x.copy()


class AskTell:
    """Any ask/tell object as a :class:`~janusopt.hosts.base.Host`.

    lower/upper (d,): the box (±inf where free); rows that the object asks for outside are evaluated on its edge.
    ``rows``: candidates a generation, by default the object's ``popsize``, ``population_size``, ``pop_size`` or
    ``num_workers``. ``vector(candidate)`` gives the (d,) row of a candidate, ``candidate(x)`` one that the object
    accepts for an infill row. ``stop()`` returns a dict of reasons or a truth value; ``restart(factor)`` a new object.
    Values told lie within ±``largest``; a failed row is told one worse than all before it, or ``largest`` while nothing
    has succeeded.
    """

    def __init__(
        self,
        optimizer: Any,
        lower: Vec,
        upper: Vec,
        *,
        rows: int | None = None,
        ask: str = "auto",
        tell: str = "auto",
        vector: Callable[[Any], Vec] = as_vector,
        candidate: Callable[[Vec], Any] = as_candidate,
        stop: Callable[[], Any] | None = None,
        restart: Callable[[float], Any] | None = None,
        largest: float = 1e307,
    ) -> None:
        _check(optimizer, rows, ask, tell)
        self.optimizer = optimizer
        self._lower, self._upper = frozen(np.array(lower, dtype=float)), frozen(np.array(upper, dtype=float))
        self._rows, self._ask, self._tell = rows, ask, tell
        self._vector, self._candidate, self._stop, self._restart = vector, candidate, stop, restart
        self._largest, self._worst = float(largest), -np.inf
        self._asked: list[Any] = []
        self._array = False
        self._told = 0
        self._own: Rows = np.empty((0, len(self._lower)))
        self._centre, self._scale = _box_guess(self._lower, self._upper)
        self._floor = _FLOOR * self._scale

    @classmethod
    def nevergrad(cls, optimizer: Any, *, rows: int | None = None) -> AskTell:
        """A nevergrad optimizer over one ``ng.p.Array(shape=(d,))``; its bounds are read from the parametrization.

        ``rows`` defaults to its ``num_workers``. nevergrad seeds itself from numpy's global state unless
        ``random_state`` of the array is set before its bounds and the optimizer are. It limits losses to 5e20, so what
        it is told is within ±4e20. Optimizers that accept no points they did not ask for (EDA, EMNA) raise on infill.
        """
        start = optimizer.parametrization.value
        if not (isinstance(start, np.ndarray) and start.ndim == 1):
            raise InputError(
                "expected a nevergrad parametrization ng.p.Array(shape=(d,)), got one whose value is "
                f"{type(start).__name__}; use such an array, or AskTell(…, vector=, candidate=) with your own functions"
            )
        low, high = optimizer.parametrization.bounds
        lower = np.broadcast_to(-np.inf if low is None else low, start.shape)
        upper = np.broadcast_to(np.inf if high is None else high, start.shape)
        child = _Child(optimizer.parametrization)
        return cls(
            optimizer, lower, upper, rows=rows, ask="one", tell="one", vector=_value, candidate=child, largest=4e20
        )

    @property
    def rows(self) -> int:
        return self._rows if self._rows is not None else int(getattr(self.optimizer, _size_name(self.optimizer)))

    @property
    def slots(self) -> int:
        """Half of the rows, so that the object keeps hearing of its own; none before the first generation is told."""
        return self.rows // 2 if self._told else 0

    def frame(self) -> Frame:
        return Frame(
            frozen(self._centre.copy()),
            1.0,
            frozen(self._scale.copy()),
            self._lower,
            self._upper,
            shape_id=self._told,
        )

    def ask(self, infill: Rows) -> Rows:
        k = len(infill)
        if k > self.slots:
            raise HostError(
                f"at most {self.slots} infill rows fit the next generation, got {k}; read slots before each ask"
            )
        candidates = self._candidates()
        X = np.array([self._vector(candidate) for candidate in candidates], dtype=float)
        if X.ndim != 2 or X.shape[1] != len(self._lower) or len(X) < k:
            raise HostError(
                f"expected candidates with {len(self._lower)} coordinates from ask (style {self._ask!r}), got an array "
                f"of shape {X.shape}; check ask=, vector= and the bounds"
            )
        np.clip(X, self._lower, self._upper, out=X)
        self._own = np.concatenate([self._own, X[k:]])[-max(len(X), _MEMORY) :]
        X[:k] = np.clip(infill, self._lower, self._upper)
        self._asked = [self._candidate(x) for x in X[:k]] + candidates[k:]
        return X

    def tell(self, X: Rows, evals: Evaluations) -> None:
        if not len(X) == len(evals) == len(self._asked) > 0:
            raise HostError(f"expected the {len(self._asked)} rows of ask, got {len(X)} rows with {len(evals)} values")
        candidates, self._asked = self._asked, []
        values = self._values(evals)
        style = self._tell_style()
        if style == "batch":
            self.optimizer.tell(
                np.array(candidates) if self._array else candidates, values if self._array else values.tolist()
            )
        elif style == "pairs":
            self.optimizer.tell(list(zip(candidates, values.tolist(), strict=True)))
        else:
            for candidate, value in zip(candidates, values.tolist(), strict=True):
                self.optimizer.tell(candidate, value)
        self._told += 1
        self._estimate(X, evals)

    def stop(self) -> dict[str, object]:
        """What the ``stop`` argument says, as reasons by name."""
        answer = self._stop() if self._stop is not None else None
        return dict(answer) if isinstance(answer, dict) else ({"stop": answer} if answer else {})

    def restarted(self, factor: float) -> AskTell | None:
        if self._restart is None:
            return None
        return AskTell(
            self._restart(factor),
            self._lower,
            self._upper,
            rows=None if self._rows is None else max(int(factor * self._rows), self._rows),
            ask=self._ask,
            tell=self._tell,
            vector=self._vector,
            candidate=self._candidate,
            restart=self._restart,
            largest=self._largest,
        )

    def _candidates(self) -> list[Any]:
        """One generation in the object's own kind; settles an "auto" ask."""
        ask, first = self.optimizer.ask, []
        if self._ask == "auto":
            self._ask = "count" if _required(ask, "ask") else "one"
            if self._ask == "one":
                answer = ask()
                if _several(answer):
                    self._ask = "batch"
                    return self._listed(answer)
                first = [answer]
        if self._ask == "one":
            return first + [ask() for _ in range(self.rows - len(first))]
        return self._listed(ask(self.rows) if self._ask == "count" else ask())

    def _listed(self, answer: Any) -> list[Any]:
        self._array = isinstance(answer, np.ndarray)
        return list(answer)

    def _tell_style(self) -> str:
        if self._tell == "auto":
            pairs = _required(self.optimizer.tell, "tell") == 1
            self._tell = "pairs" if pairs else ("one" if self._ask == "one" else "batch")
        return self._tell

    def _values(self, evals: Evaluations) -> Vec:
        """What the object is told (n,): minimized, finite, failed rows last."""
        if evals.failed.all() and self._worst == -np.inf:
            return np.full(len(evals), self._largest)
        values = evals.ranking(self._worst)
        self._worst = max(self._worst, float(values[~evals.failed].max(initial=-np.inf)))
        return np.clip(values, -self._largest, self._largest)

    def _estimate(self, X: Rows, evals: Evaluations) -> None:
        good = np.flatnonzero(~evals.failed)
        if len(good):
            better = good[np.argsort(evals.f[good], kind="stable")][: (len(good) + 1) // 2]
            self._centre = np.clip(X[better].mean(axis=0), self._lower, self._upper)
        if len(self._own) > 1:
            self._scale = np.maximum(self._own.std(axis=0), self._floor)


class _Child:
    """A nevergrad candidate for a row that was not asked for."""

    def __init__(self, parametrization: Any) -> None:
        self._parametrization = parametrization

    def __call__(self, x: Vec) -> Any:
        return self._parametrization.spawn_child(new_value=x.copy())


def _value(candidate: Any) -> Vec:
    return np.array(candidate.value, dtype=float)


def _box_guess(lower: Vec, upper: Vec) -> tuple[Vec, Vec]:
    """Centre and scale before anything was asked: the box's, or 0 and 1 where it is open."""
    box = np.isfinite(lower) & np.isfinite(upper)
    low, high = np.where(box, lower, 0.0), np.where(box, upper, 0.0)
    centre = np.clip((low + high) / 2.0, lower, upper)
    return centre, np.where(box, (high - low) / np.sqrt(12.0), 1.0)


def _several(answer: Any) -> bool:
    """Whether an answer of ``ask`` is a sequence of vectors."""
    return isinstance(answer, (list, tuple, np.ndarray)) and len(answer) > 0 and np.ndim(answer[0]) == 1


def _required(method: Callable[..., Any], name: str) -> int:
    """How many positional arguments a call must give."""
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError) as error:
        raise InputError(f"the signature of {name} cannot be read; pass {name}= to say its style") from error
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is inspect.Parameter.empty for p in parameters)


def _size_name(optimizer: Any) -> str:
    for name in _SIZES:
        if isinstance(getattr(optimizer, name, None), (int, np.integer)):
            return name
    raise InputError(
        f"the object has none of {', '.join(_SIZES)}; pass rows= to say how many candidates a generation has"
    )


def _check(optimizer: Any, rows: int | None, ask: str, tell: str) -> None:
    if not (callable(getattr(optimizer, "ask", None)) and callable(getattr(optimizer, "tell", None))):
        raise InputError(f"expected an object with ask and tell, got {type(optimizer).__name__}")
    if ask not in _ASK:
        raise InputError(f"ask must be one of {', '.join(map(repr, _ASK))}, got {ask!r}")
    if tell not in _TELL:
        raise InputError(f"tell must be one of {', '.join(map(repr, _TELL))}, got {tell!r}")
    if rows is None:
        _size_name(optimizer)
    elif rows < 1:
        raise InputError(f"rows must be at least 1, got {rows}")
