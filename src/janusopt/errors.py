"""What can go wrong at the public edge.

    JanusError
    ├── InputError (ValueError)      an argument is not what was expected; nothing was evaluated
    ├── EvaluationError              the objective failed and ``on_error="raise"``; carries what was evaluated
    ├── EvaluationTimeout (TimeoutError)  a row took too long: a failure like any other, subject to ``on_error``
    ├── DeadWorker                   a row's worker process died again and again: likewise
    ├── JournalError                 a journal cannot be read, written or continued; carries the result so far, if any
    ├── HostError                    a host was driven in a way it does not allow
    └── MissingExtraError (ImportError)   an optional package is needed: says which extra brings it

Every message says what was expected, what came and what to do. ``JournalWarning`` tells what a repaired journal lost.
"""

from __future__ import annotations

from typing import Any


class JanusError(Exception):
    """Base of every error that janusopt raises on purpose."""


class InputError(JanusError, ValueError):
    """An argument is not what was expected."""


class EvaluationError(JanusError):
    """The objective failed; ``result`` holds all that came before, ``evaluated`` the rows of the last generation."""

    result: Any = None
    evaluated: Any = None


class EvaluationTimeout(JanusError, TimeoutError):
    """A row took longer than the timeout; ``on_error`` decides what that means."""


class DeadWorker(JanusError):
    """The worker process of a row died, and so did that of the second attempt; ``on_error`` decides."""


class JournalError(JanusError):
    """A journal cannot be read, written or continued; ``result`` and ``evaluated`` as in :class:`EvaluationError`."""

    result: Any = None
    evaluated: Any = None


class JournalWarning(UserWarning):
    """A damaged journal was repaired: says what was kept and what was dropped."""


class HostError(JanusError):
    """A host was driven in a way it does not allow."""


class MissingExtraError(JanusError, ImportError):
    """An optional package is needed and absent."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"install it with: pip install 'janusopt[{extra}]'"
        )
