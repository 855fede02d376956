"""Tables as Parquet files. The one file that imports pyarrow."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet


def write(columns: Mapping[str, Any], path: Path) -> None:
    """name → values, all of one length (arrays, or lists where None is a missing value).

    Written under another name and renamed, so that a reader sees a whole file or none.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        parquet.write_table(pa.table(dict(columns)), unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: Path) -> dict[str, list[Any]]:
    """name → values as Python has them; None where one is missing."""
    columns: dict[str, list[Any]] = parquet.ParquetFile(path).read().to_pydict()
    return columns
