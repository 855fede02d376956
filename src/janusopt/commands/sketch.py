"""A curve in a terminal: bars of eighths, so that ten rows show eighty levels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from janusopt.core.arrays import Vec

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_WIDTH, _HEIGHT = 60, 10


def sketch(at: Vec, values: Vec) -> Iterator[str]:
    """``values`` (n,) over ``at`` (n,) increasing; logarithmic where they are positive and span two decades."""
    if len(values) < 2:
        return
    columns = np.searchsorted(at, np.linspace(at[0], at[-1], _WIDTH), side="right") - 1
    log = values.min() > 0.0 and values.max() / 100.0 > values.min()
    heights = np.log10(values[columns]) if log else values[columns] / 2.0  # halved: a difference cannot overflow
    span = heights.max() - heights.min()
    levels = np.rint((heights - heights.min()) / span * (8 * _HEIGHT - 1) if span > 0 else 0.0 * heights) + 1
    labels = {_HEIGHT - 1: f"{values.max():.3g}", 0: f"{values.min():.3g}"}
    for row in reversed(range(_HEIGHT)):
        bars = "".join(_EIGHTHS[int(np.clip(level - 8 * row, 0, 8))] for level in levels)
        yield f"{labels.get(row, ''):>10} ┤{bars}"
    yield f"{'log' if log else '':>10} └{'─' * _WIDTH}"
    yield f"{'':>11} {at[0]:<{_WIDTH // 2}.0f}{at[-1]:>{_WIDTH // 2}.0f} evaluations"
