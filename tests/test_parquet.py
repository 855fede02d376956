"""Tables as Parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from janusopt import parquet


def test_a_table_reads_back_exactly():
    columns = {"name": ["a", "b"], "f": [0.1, None], "x": [np.nextafter(1.0, 2.0), -0.0], "many": [[1.0], []]}
    parquet.write(columns, Path("t.parquet"))
    assert parquet.read(Path("t.parquet")) == columns


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else():
    path = Path("t.parquet")
    parquet.write({"a": [1]}, path)
    with pytest.raises(ValueError):
        parquet.write({"a": [1, 2], "b": [1]}, path)
    assert parquet.read(path) == {"a": [1]}
    assert [found.name for found in Path().iterdir()] == ["t.parquet"]
