"""Finished runs in Parquet, one row each; asked with SQL. The one file that imports duckdb.

While a campaign runs each run is a file of its own under ``<results>/<plan>/runs/``: written to a temporary name and
renamed, so that there is never half a run. :meth:`Store.compact` folds them into ``<results>/<plan>.parquet``, where
many share a row group: alone, a run's metadata takes twenty times the room of the run. Readers read both; of two rows
with one key the file of its own, which is newer, counts. A column that was added later is empty in older files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from janusopt.bench.record import Record
from janusopt.extras import require

require("pyarrow", "duckdb", extra="bench", purpose="the store of a campaign")

import duckdb  # noqa: E402

from janusopt.parquet import pa, pq, replace  # noqa: E402

_TOGETHER = 256  # folded runs in a row group
_COUNTS = pa.list_(pa.int32())
_FRONT = pa.list_(pa.list_(pa.float32()))
SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("suite", pa.string()),
        ("problem", pa.string()),
        ("dimension", pa.int32()),
        ("instance", pa.int32()),
        ("method", pa.string()),
        ("seed", pa.int64()),
        ("budget", pa.int64()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("final", pa.float64()),
        ("evaluations", pa.int64()),
        ("grid", _COUNTS),
        ("best", pa.list_(pa.float64())),
        ("seconds_total", pa.float64()),
        ("seconds_host", pa.float64()),
        ("seconds_infill", pa.float64()),
        ("seconds_evaluation", pa.float64()),
        (
            "sources",
            pa.list_(
                pa.struct(
                    [("name", pa.string()), ("proposed", pa.int32()), ("first", pa.int32()), ("upper", pa.int32())]
                )
            ),
        ),
        ("ranks", pa.list_(pa.struct([("name", pa.string()), ("histogram", _COUNTS)]))),
        ("charts", pa.list_(pa.struct([("name", pa.string()), ("counts", _COUNTS)]))),
        ("front", _FRONT),
        ("fronts", pa.list_(pa.struct([("evaluations", pa.int64()), ("rows", _FRONT)]))),
        ("volumes", pa.list_(pa.float64())),
        ("igd_plus", pa.float64()),
        ("versions", pa.string()),
        ("start", pa.float64()),
        ("x", pa.list_(pa.float32())),
    ]
)


class Store:
    """The runs of one plan under the folder ``results``."""

    def __init__(self, results: Path, plan: str) -> None:
        self.file = results / f"{plan}.parquet"
        self.runs = results / plan / "runs"

    def write(self, record: Record) -> None:
        """Keep a finished run."""
        self.runs.mkdir(parents=True, exist_ok=True)
        name = record.key.replace("/", ",")
        replace(self.runs / f"{name}.parquet", lambda path: pq.write_table(_table(record), path))

    def keys(self, *, failed: bool = True) -> set[str]:
        """Of the stored runs; without those that failed if ``failed`` is False."""
        chosen = "" if failed else "WHERE status <> 'failed'"
        return {row["key"] for row in self.query(f"SELECT key FROM runs {chosen}")}

    def records(self) -> list[Record]:
        """All that is stored, by key."""
        rows = self.query("SELECT * FROM runs ORDER BY key")
        return [Record(**{name: value for name, value in row.items() if value is not None}) for row in rows]

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows that DuckDB answers; the table is called ``runs``."""
        try:
            return self._query(sql)
        except duckdb.IOException:  # another process has just folded the single files: look again
            return self._query(sql)

    def _query(self, sql: str) -> list[dict[str, Any]]:
        with duckdb.connect() as connection:
            self._view(connection)
            answer = connection.execute(sql)
            names = [column[0] for column in answer.description or ()]
            return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def _view(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.register("nothing", SCHEMA.empty_table())
        for view, paths in (("folded", self._folded()), ("single", self._single())):
            if paths:
                connection.read_parquet([str(path) for path in paths], union_by_name=True).create_view(view)
            else:
                connection.execute(f"CREATE VIEW {view} AS SELECT * FROM nothing")
        connection.execute(
            "CREATE VIEW runs AS SELECT * FROM nothing UNION ALL BY NAME SELECT * FROM single "
            "UNION ALL BY NAME SELECT * FROM folded WHERE key NOT IN (SELECT key FROM single)"
        )

    def _folded(self) -> list[Path]:
        return [self.file] if self.file.exists() else []

    def _single(self) -> list[Path]:
        return sorted(self.runs.glob("*.parquet"))

    def compact(self) -> int:
        """Fold the single files into the one; how many they were. Not while another process does the same."""
        single = self._single()
        if not single:
            return 0

        def fold(path: Path) -> None:
            with pq.ParquetWriter(
                path, SCHEMA, compression="zstd", use_dictionary=False, write_statistics=False
            ) as out:
                out.write_table(pa.concat_tables(self._tables(single)), row_group_size=_TOGETHER)

        self.file.parent.mkdir(parents=True, exist_ok=True)
        replace(self.file, fold)
        for path in single:
            path.unlink()
        for folder in (self.runs, self.runs.parent):
            if not any(folder.iterdir()):
                folder.rmdir()
        return len(single)

    def _tables(self, single: list[Path]) -> Iterator[pa.Table]:
        """What was folded before, without the runs that are there anew, and these."""
        newer = [_whole(pq.read_table(path)) for path in single]
        keys = {table["key"][0].as_py() for table in newer}
        for path in self._folded():
            folded = _whole(pq.read_table(path))
            kept = [i for i, key in enumerate(folded["key"].to_pylist()) if key not in keys]
            yield folded.take(kept)
        yield from newer


def _whole(table: pa.Table) -> pa.Table:
    """With every column of today's schema."""
    for column in SCHEMA:
        if column.name not in table.schema.names:
            table = table.append_column(column, pa.nulls(len(table), column.type))
    return table.select(SCHEMA.names).cast(SCHEMA)


def _table(record: Record) -> pa.Table:
    return pa.Table.from_pylist([asdict(record)], schema=SCHEMA)
