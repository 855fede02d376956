"""What can go wrong at the public edge.

    JanusError
    ├── InputError (ValueError)      an argument is not what was expected; nothing was evaluated
    ├── EvaluationError              the objective failed and ``on_error="raise"``; carries what was evaluated
    ├── HostError                    a host was driven in a way it does not allow
    └── MissingExtraError (ImportError)   an optional package is needed: says which extra brings it

Every message says what was expected, what came and what to do.
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


class HostError(JanusError):
    """A host was driven in a way it does not allow."""


class MissingExtraError(JanusError, ImportError):
    """An optional package is needed and absent."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"install it with: pip install 'janusopt[{extra}]'"
        )
