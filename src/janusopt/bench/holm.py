"""Holm's correction for several tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p-values: the k-th smallest times the number of tests not yet rejected, never falling."""
    adjusted = np.empty(len(p))
    running = 0.0
    for rank, i in enumerate(np.argsort(p)):
        running = max(running, min(1.0, (len(p) - rank) * p[int(i)]))
        adjusted[int(i)] = running
    return [float(value) for value in adjusted]
