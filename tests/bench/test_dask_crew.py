"""The same campaign on a real Dask cluster of processes, on this machine."""

from __future__ import annotations

from contextlib import closing

import pytest

from janusopt.bench.campaign import Campaign
from janusopt.bench.dask_crew import DaskCrew
from janusopt.bench.job import Job, execute
from janusopt.bench.methods import find
from janusopt.bench.task import Run, Task
from janusopt.errors import InputError

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


def test_a_campaign_on_dask_gives_the_records_of_one_without():
    jobs = [
        Job(Run(Task("bbob", f"f{f}", 4, 11), name, 3, 150), find(name), 1e-8)
        for f in (1, 8)
        for name in ("cma", "janus", "random-search")
    ]
    records = {}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        closing(DaskCrew(cluster.scheduler_address)) as crew,
    ):
        assert crew.size == 2
        Campaign(crew, lambda job, record: records.update({job.run.key: record})).run(jobs)
    assert set(records) == {job.run.key for job in jobs}
    for job in jobs:
        here, there = execute(job), records[job.run.key]
        assert there.status == "ok"
        assert (there.final, there.best, there.grid) == (here.final, here.best, here.grid)


def test_a_scheduler_that_is_not_there_is_told():
    quickly = dask.config.set({"distributed.comm.timeouts.connect": "200ms"})
    with quickly, pytest.raises(InputError, match="no Dask scheduler answers"):
        DaskCrew("tcp://127.0.0.1:9")
