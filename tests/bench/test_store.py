"""The store: all or nothing, both places read, a run counts once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from janusopt.bench import store as module
from janusopt.bench.record import Record
from janusopt.bench.store import Store
from janusopt.bench.task import Run, Task


def _record(seed, **more):
    return Record.of(
        Run(Task("bbob", "f1", 5, 11), "janus window=60", seed, 300),
        **{
            "final": 0.5 * seed,
            "evaluations": 300,
            "grid": [1, 300],
            "best": [2.0, 0.5 * seed],
            "sources": [{"name": "newton", "proposed": 3, "first": 1, "upper": 2}],
            "ranks": [{"name": "newton", "histogram": [1] * 10}],
            "charts": [{"name": "newton", "counts": [2] * 10}],
            "start": 9.0,
            "x": [0.5, -1.25],
            **more,
        },
    )


@pytest.fixture
def store():
    return Store(Path("results"), "plan")


def test_what_is_written_is_read_back_before_and_after_folding(store):
    records = [_record(1), _record(2, status="failed", final=None, error="Traceback"), _record(3, front=[[1.0, 2.0]])]
    for record in records:
        store.write(record)
    assert store.records() == records
    assert store.compact() == 3
    assert store.records() == records
    assert not store.runs.exists()


def test_an_empty_store_has_no_keys(store):
    assert store.keys() == set()
    assert store.compact() == 0
    assert not store.file.exists()


def test_the_folded_file_is_plain_parquet_where_runs_share_a_row_group(store):
    for seed in range(4):
        store.write(_record(seed))
    store.compact()
    assert pq.ParquetFile(store.file).num_row_groups == 1
    (count, total), *_ = duckdb.execute("SELECT count(*), sum(final) FROM 'results/plan.parquet'").fetchall()
    assert (count, total) == (4, 3.0)


def test_a_newer_run_replaces_the_folded_one(store):
    store.write(_record(1, status="failed"))
    store.write(_record(2))
    store.compact()
    store.write(_record(1, final=0.25))
    assert [record.final for record in store.records()] == [0.25, 1.0]
    store.compact()
    assert [record.final for record in store.records()] == [0.25, 1.0]


def test_failed_runs_can_be_told_apart(store):
    store.write(_record(1, status="failed"))
    store.write(_record(2))
    assert store.keys() == {_record(1).key, _record(2).key}
    assert store.keys(failed=False) == {_record(2).key}


def test_a_write_that_breaks_off_leaves_nothing_behind(store, monkeypatch):
    store.write(_record(1))
    monkeypatch.setattr(module.pq, "write_table", lambda table, path: path.write_bytes(b"PAR1") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        store.write(replace(_record(1), final=7.0))
    assert [record.final for record in store.records()] == [0.5]
    assert len(list(store.runs.iterdir())) == 1


def test_sql_sees_all_runs(store):
    store.write(_record(1))
    store.compact()
    store.write(_record(2))
    rows = store.query("SELECT seed, sources[1].name AS source, best[-1] AS last FROM runs ORDER BY seed")
    assert [tuple(row.values()) for row in rows] == [(1, "newton", 0.5), (2, "newton", 1.0)]


def test_columns_that_older_files_lack_are_empty(store):
    """Folded or single, also after folding them with new ones."""
    late = ("fronts", "volumes", "igd_plus", "start", "x")
    for seed, path in ((1, store.file), (2, store.runs / "old.parquet")):
        table = module._table(_record(seed)).drop_columns(list(late))
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
    new = _record(3, volumes=[0.5], fronts=[{"evaluations": 150, "rows": [[1.0, 2.0]]}], igd_plus=0.25)
    store.write(new)
    wanted = [_record(1, start=None, x=None), _record(2, start=None, x=None), new]
    assert store.records() == wanted
    assert store.compact() == 2
    assert store.records() == wanted
    assert pq.ParquetFile(store.file).metadata.num_rows == 3
