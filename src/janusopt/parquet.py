"""Tables as Parquet files. The one file that imports pyarrow: others take its names from here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet as pq

__all__ = ["pa", "pq", "read", "replace", "write"]


def write(columns: Mapping[str, Any], path: Path) -> None:
    """name → values, all of one length (arrays, or lists where None is a missing value)."""
    replace(path, lambda unfinished: pq.write_table(pa.table(dict(columns)), unfinished))


def read(path: Path) -> dict[str, list[Any]]:
    """name → values as Python has them; None where one is missing."""
    columns: dict[str, list[Any]] = pq.ParquetFile(path).read().to_pydict()
    return columns


def replace(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` make a file beside ``path``, then rename it: all or nothing, also when the machine stops."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(unfinished)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
