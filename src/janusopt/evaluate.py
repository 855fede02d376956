"""Objective → Evaluations: how values are read, where they are computed, what a failure is.

One policy for everything that can go wrong with a row (``on_error``): "raise" stops with an
:class:`~janusopt.errors.EvaluationError`, "skip" marks the row as failed, a callable ``on_error(x, error)`` may give a
replacement value (None or a non-finite one skips). A failure is an exception, a non-finite value or component, a
timeout, or a worker process that died twice. A value of the wrong kind (text, complex, a wrong length) is a mistake in
the objective, not a failure: it always raises.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing
from itertools import takewhile
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from janusopt.core.arrays import Rows, Vec
from janusopt.core.evaluations import Evaluations
from janusopt.errors import EvaluationError, InputError, JanusError
from janusopt.flight import Flight, outcome
from janusopt.workers import Workers

Kind = Literal["scalar", "residuals", "objectives"]
Row = tuple[float, Vec, Vec] | None  #: f, components or objectives, constraints; None where it failed
Note = Callable[[int, Row, float], None]
_KEPT = 1000  # characters of a failure's reason
OnError = Literal["raise", "skip"] | Callable[[Vec, Exception], Any]


class Evaluate:
    """Calls ``fun`` for the rows of X, on an executor if one is given, and reads what comes back.

    kind "scalar": fun returns f or (f, components); "residuals": a vector r with f = ½‖r‖²; "objectives": several
    objectives, or (objectives, constraints) with constraints satisfied where ≤ 0. ``vectorized``: fun takes all rows
    (n, d) at once. ``timeout``: seconds that a row may take on an executor. ``seconds`` sums the time spent;
    ``failures`` counts failed rows.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        *,
        kind: Kind = "scalar",
        vectorized: bool = False,
        executor: Executor | None = None,
        on_error: OnError = "raise",
        args: tuple[Any, ...] = (),
        timeout: float | None = None,
    ) -> None:
        if not callable(fun):
            raise InputError(f"the objective must be callable, got {type(fun).__name__}")
        if on_error not in ("raise", "skip") and not callable(on_error):
            raise InputError(f"on_error must be 'raise', 'skip' or a callable, got {on_error!r}")
        if vectorized and executor is not None:
            raise InputError("vectorized=True calls the objective once a generation: leave executor out, or vectorized")
        self._fun, self._kind, self._vectorized = fun, kind, vectorized
        self._executor, self._on_error, self._args = executor, on_error, args
        self._timeout = None if isinstance(executor, Workers) else timeout  # those keep their own clock
        self._width: int | None = None
        self._constraints: int | None = None
        self.seconds = 0.0
        self.failures = 0
        self.reason = ""  #: why the row that was settled last failed, if it did

    def __call__(self, X: Rows) -> Evaluations:
        """Evaluate the rows of X (n, d)."""
        rows: dict[int, Row] = {}
        try:
            self.rows(X, lambda i, row, _: rows.update({i: row}))
        except EvaluationError as error:
            error.evaluated = self.gather(leading(rows))
            raise
        return self.gather(leading(rows))

    def rows(self, X: Rows, note: Note) -> None:
        """Evaluate the rows of X (n, d), telling ``note(i, row, seconds)`` of each as soon as it is settled.

        On an executor rows finish in any order, and a good one is told of at once; what the policy must look at waits
        for its turn, so that the same row ends the run whatever the order. There the seconds count from the submission.
        """
        start = time.perf_counter()
        waiting: dict[int, tuple[Any, float]] = {}
        arrived: set[int] = set()
        turn = 0
        try:
            with closing(self._values(X)) as values:
                for i, value, seconds in values:
                    row = self._good(value)
                    if row is None:
                        waiting[i] = value, seconds
                    else:
                        note(i, row, seconds)
                    arrived.add(i)
                    while turn in arrived:
                        if turn in waiting:
                            value, seconds = waiting.pop(turn)
                            note(turn, self.settle(X[turn], value), seconds)
                        turn += 1
        finally:
            self.seconds += time.perf_counter() - start

    def nothing(self) -> tuple[float, Vec, Vec]:
        """A failed row as a journal has it: NaN, as many as a good one has, since it must come back as wide."""
        m, c = self._width or 0, self._constraints or 0
        return float("nan"), np.full(m, np.nan), np.full(c, np.nan)

    def recall(self, wide: Vec, G: Vec) -> None:
        """What a row had in an earlier process: later ones must have as many values."""
        self._sized(wide)
        if self._kind == "objectives":
            self._bounded(G)

    def _values(self, X: Rows) -> Generator[tuple[int, Any, float], None, None]:
        """Row number, what fun gave for it (a value or the exception it raised) and its seconds, as it comes."""
        start = time.perf_counter()
        if self._vectorized:
            values = self._split(X)
            share = (time.perf_counter() - start) / max(len(X), 1)
            yield from ((i, value, share) for i, value in enumerate(values))
        elif self._executor is not None:
            with closing(self.flight()) as flight:
                for i, x in enumerate(X):
                    flight.send(i, x)
                while len(flight):
                    yield from flight.land()
        else:
            for i, x in enumerate(X):
                start = time.perf_counter()
                value = outcome(lambda x=x: self._fun(x.copy(), *self._args))  # type: ignore[misc]
                yield i, value, time.perf_counter() - start

    def flight(self) -> Flight:
        """For rows that are to be evaluated on the executor."""
        if self._executor is None:
            raise InputError("no executor was given; pass executor= or workers=")
        return Flight(self._executor, self._fun, self._args, self._timeout)

    def _split(self, X: Rows) -> list[Any]:
        value = outcome(lambda: self._fun(X.copy(), *self._args))
        if isinstance(value, Exception):
            return [value] * len(X)
        parts = value if isinstance(value, tuple) else (value,)
        columns = [_array(part) for part in parts]
        for column in columns:
            if column.ndim == 0 or len(column) != len(X):
                raise EvaluationError(
                    f"a vectorized objective must return one value per row: expected length {len(X)}, got shape "
                    f"{column.shape}"
                )
        if len(columns) == 1:
            return list(columns[0])
        return [tuple(column[i] for column in columns) for i in range(len(X))]

    def gather(self, rows: Sequence[Row]) -> Evaluations:
        """Settled rows as one generation; counts those that failed."""
        failed = np.array([row is None for row in rows], dtype=bool)
        self.failures += int(failed.sum())
        f = np.array([np.nan if row is None else row[0] for row in rows])
        wide = self._stack([None if row is None else row[1] for row in rows], self._width)
        if self._kind != "objectives":
            return Evaluations(f, failed, components=wide, residuals=self._kind == "residuals")
        G = self._stack([None if row is None else row[2] for row in rows], self._constraints)
        violation = None if G is None else np.maximum(G, 0.0).sum(axis=1)
        return Evaluations(f, failed, objectives=wide, violation=violation, constraints=G)

    @staticmethod
    def _stack(parts: list[Vec | None], width: int | None) -> Rows | None:
        if not width:
            return None
        return np.array([np.full(width, np.nan) if part is None else part for part in parts])

    def _good(self, value: Any) -> Row:
        """The row where nothing is wrong with it, None where :meth:`settle` must look."""
        try:
            return self._read(value)
        except Exception:  # noqa: BLE001 - the objective's own; settled, and raised if need be, in its turn
            return None

    def settle(self, x: Vec, value: Any) -> Row:
        """(f, components or objectives, constraints) of one row by the policy, None where it failed."""
        try:
            return self._read(value)
        except EvaluationError:
            raise
        except BrokenExecutor as error:
            raise EvaluationError(
                f"the executor lost a worker process and is broken for good ({type(error).__name__}); all that was "
                "evaluated is kept. Make a new one, or pass workers= instead: such workers are replaced when they die"
            ) from error
        except Exception as error:
            self.reason = _reason(error)
            if self._on_error == "skip":
                return None
            if self._on_error == "raise":
                raise EvaluationError(
                    f"the objective failed at x = {np.array2string(x, threshold=8)}: {type(error).__name__}: {error}; "
                    "pass on_error='skip' to go on without such rows"
                ) from error
            replacement = self._on_error(x.copy(), error)
            try:
                return None if replacement is None else self._read(replacement)
            except NonFinite:
                return None

    def _read(self, value: Any) -> tuple[float, Vec, Vec]:
        if isinstance(value, Exception):
            raise value
        first, second = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
        empty = np.empty(0)
        if isinstance(first, (float, np.floating)):  # a bare NaN is a failed row, however wide a good one is
            _finite(float(first), empty)
        if self._kind == "scalar":
            f = _number(first)
            wide = self._sized(empty if second is None else _vector(second, "components"))
            _finite(f, wide)
            return f, wide, empty
        wide = self._sized(_vector(first, self._kind))
        if self._kind == "residuals":
            with np.errstate(over="ignore"):
                f = float(0.5 * (wide @ wide))
            _finite(f, wide)
            return f, wide, empty
        G = empty if second is None else _vector(second, "constraints")
        self._bounded(G)
        _finite(0.0, np.concatenate([wide, G]))
        return float("nan"), wide, G

    def _sized(self, values: Vec) -> Vec:
        if self._width is None:
            self._width = len(values)
        if len(values) != self._width:
            raise EvaluationError(
                f"expected {self._width} {_PARTS[self._kind]} as in earlier rows, got {len(values)}: an objective must "
                "always return the same number"
            )
        return values

    def _bounded(self, G: Vec) -> None:
        if self._constraints is None:
            self._constraints = len(G)
        if len(G) != self._constraints:
            raise EvaluationError(f"expected {self._constraints} constraint values as in earlier rows, got {len(G)}")


_PARTS = {"scalar": "components", "residuals": "residuals", "objectives": "objectives"}


def leading(rows: Mapping[int, Row]) -> list[Row]:
    """Rows 0, 1, 2 … up to the first that is missing."""
    return [rows[i] for i in takewhile(rows.__contains__, range(len(rows)))]


class NonFinite(ArithmeticError):
    """A value or component is NaN or infinite."""


def _reason(error: Exception) -> str:
    """Why a row failed: our own errors say it themselves, others with their type."""
    told = str(error) if isinstance(error, JanusError) else f"{type(error).__name__}: {error}"
    return told[:_KEPT]


def _array(value: Any) -> NDArray[Any]:
    """As numpy reads it; what it cannot read (ragged) as one object."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.empty((), dtype=object)


def _number(value: Any) -> float:
    """A real scalar (0-d and length-one arrays count), or a clear error."""
    array = _array(value)
    if array.dtype.kind not in "fiub" or array.size != 1:
        raise EvaluationError(
            "the objective must return one real number, or (number, components): got "
            f"{type(value).__name__}{'' if array.dtype == object else f' of dtype {array.dtype}, shape {array.shape}'}"
        )
    return float(array.reshape(()) if array.ndim == 0 else array.reshape(-1)[0])


def _vector(value: Any, what: str) -> Vec:
    array = _array(value)
    if array.dtype.kind not in "fiub" or array.ndim > 1 or array.size == 0:
        raise EvaluationError(
            f"{what} must be a vector of real numbers, got {type(value).__name__} of {array.dtype}, shape {array.shape}"
        )
    return np.array(array, dtype=float).reshape(-1)


def _finite(f: float, wide: Vec) -> None:
    if not np.isfinite(f) or not np.all(np.isfinite(wide)):
        raise NonFinite(f"a value is not finite (f = {f!r})")
