"""Optional packages: asked for before work starts, so that a missing one costs no evaluations."""

from __future__ import annotations

from importlib.util import find_spec

from janusopt.errors import MissingExtraError


def require(*packages: str, extra: str, purpose: str) -> None:
    """Raise :class:`MissingExtraError` for the first of ``packages`` that is not installed; nothing is imported."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)
