"""One evaluated row as a journal stores it: exact, checked, and never more than numbers and a name."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from janusopt.core.arrays import Vec

COLUMNS = (
    "id", "generation", "row", "failed", "seconds", "source", "reason", "x", "f", "wide", "constraints", "digest",
)  # fmt: skip
ROWS_A_GENERATION = 2**32  # so that an id is the order of evaluation


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """x (d,), f, wide (m,): components, residuals or objectives (empty if none), constraints (c,); seconds it took.

    ``reason``: why it failed, where that is known; its first line is what failures are counted by.
    """

    generation: int
    row: int
    x: Vec
    f: float
    wide: Vec
    constraints: Vec
    failed: bool
    source: str
    seconds: float
    reason: str = ""

    @property
    def id(self) -> int:
        return self.generation * ROWS_A_GENERATION + self.row

    @property
    def values(self) -> tuple[float, Vec, Vec] | None:
        """f, components or objectives, constraints; None where the row failed."""
        return None if self.failed else (self.f, self.wide, self.constraints)

    def cells(self) -> tuple[Any, ...]:
        """In the order of COLUMNS: arrays as little-endian doubles (SQLite loses NaN and −0), then a digest."""
        cells = (
            self.id,
            self.generation,
            self.row,
            int(self.failed),
            float(self.seconds),
            self.source.encode(),
            self.reason.encode(errors="replace"),
            *(np.asarray(part, dtype="<f8").tobytes() for part in (self.x, self.f, self.wide, self.constraints)),
        )
        return (*cells, _digest(cells))


def read(cells: Sequence[Any]) -> Entry | None:
    """The entry in those cells; None where a byte of it is not as it was written."""
    if len(cells) != len(COLUMNS) or [type(cell) for cell in cells] != [int] * 4 + [float] + [bytes] * 7:
        return None
    if _digest(cells[:-1]) != cells[-1]:
        return None
    name, generation, row, failed, seconds, source, reason, *blobs = cells[:-1]
    if any(len(blob) % 8 for blob in blobs) or len(blobs[1]) != 8 or name != generation * ROWS_A_GENERATION + row:
        return None
    if not 0 <= row < ROWS_A_GENERATION:
        return None
    x, f, wide, constraints = (np.frombuffer(blob, dtype="<f8").astype(float) for blob in blobs)
    text, why = source.decode(errors="replace"), reason.decode(errors="replace")
    return Entry(generation, row, x, float(f[0]), wide, constraints, bool(failed), text, seconds, why)


def _digest(cells: Sequence[Any]) -> bytes:
    numbers, blobs = cells[:5], cells[5:]
    lengths = struct.pack(f"<qqqqd{len(blobs)}q", *numbers, *map(len, blobs))
    return blake2b(b"".join((lengths, *blobs)), digest_size=8).digest()
