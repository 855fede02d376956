"""IOH data: iohinspector reads back what was stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from janusopt.bench.ioh_export import export_ioh
from janusopt.bench.job import Job, execute
from janusopt.bench.methods import find
from janusopt.bench.record import Record
from janusopt.bench.task import Run, Task

iohinspector = pytest.importorskip("iohinspector")


def test_iohinspector_reads_the_runs_back():
    runs = [
        Run(Task("bbob", f"f{f}", d, 11 + seed), method, seed, 100)
        for f in (1, 10)
        for d in (2, 3)
        for seed in (0, 1)
        for method in ("random-search", "cma")
    ]
    records = [execute(Job(run, find(run.method), 0.0)) for run in runs]
    failed = Record.of(Run(Task("bbob", "f1", 2, 11), "cma", 9, 100), status="failed")
    assert export_ioh([*records, failed], Path("ioh")) == len(records)

    manager = iohinspector.DataManager()
    manager.add_folder("ioh")
    assert len(manager.overview) == len(records)
    assert set(manager.overview["algorithm_name"]) == {"random-search", "cma"}
    assert set(manager.overview["function_id"]) == {1, 10}
    chosen = manager.select(algorithms=["cma"], function_ids=[10], dimensions=[3], instances=[12])
    table = chosen.load(monotonic=False)
    (record,) = [r for r in records if (r.method, r.problem, r.dimension, r.instance) == ("cma", "f10", 3, 12)]
    assert table["evaluations"].to_list() == record.grid
    assert table["raw_y"].to_list() == pytest.approx(record.best)
    assert chosen.overview["best_y"].to_list() == [record.final]


def test_problems_without_a_number_are_numbered():
    tasks = [Task("lsq", name, 2, 1) for name in ("wood", "bard")]
    records = [
        Record.of(Run(task, "cma", 0, 5), final=1.0, evaluations=5, grid=[1, 5], best=[2.0, 1.0]) for task in tasks
    ]
    export_ioh(records, Path("ioh"))
    manager = iohinspector.DataManager()
    manager.add_folder("ioh")
    assert dict(zip(manager.overview["function_name"], manager.overview["function_id"], strict=True)) == {
        "bard": 1,
        "wood": 2,
    }
