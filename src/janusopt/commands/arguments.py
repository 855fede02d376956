"""Argument types that the commands share."""

from __future__ import annotations

import argparse


def positive(text: str) -> float:
    """A finite number above zero."""
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a positive number is expected, got {text}")
    return value


def count(text: str) -> int:
    """A whole number of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"at least 1 is expected, got {text}")
    return value


def seed(text: str) -> int:
    """A whole number of at least 0."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"at least 0 is expected, got {text}")
    return value
