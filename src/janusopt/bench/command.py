"""``janusopt bench run``, ``export`` and ``compact``: arguments, and what they lead to."""

from __future__ import annotations

import argparse
import os
import re
from contextlib import closing

from janusopt.bench.campaign import Campaign, pending
from janusopt.bench.crew import Crew, LocalCrew
from janusopt.bench.headway import Headway
from janusopt.bench.ioh_export import export_ioh
from janusopt.bench.job import Job
from janusopt.bench.plan import Plan, read_plan, span
from janusopt.bench.record import Record
from janusopt.bench.store import Store
from janusopt.errors import InputError


def run(chosen: argparse.Namespace) -> int:
    """Do what is missing of a plan; 1 where a run failed."""
    plan = _plan(chosen)
    store = Store(chosen.results, plan.name)
    shard = _shard(chosen.shard)
    jobs = pending(plan.jobs, store, shard, retry=chosen.retry)
    whole = shard == (1, 1)
    print(
        f"{plan.title}: {len(plan.jobs)} runs, {len(jobs)} to do{'' if whole else f' in shard {chosen.shard}'}",
        flush=True,
    )
    failed = _work(jobs, store, chosen) if jobs else 0
    if whole:
        store.compact()
        print(f"results in {store.file}")
    else:
        print(f"results in {store.runs}; when all shards are done: janusopt bench compact {plan.path}")
    if failed:
        print(f"{failed} runs failed; their tracebacks are stored (column error), --retry runs them again")
    return 1 if failed else 0


def _work(jobs: list[Job], store: Store, chosen: argparse.Namespace) -> int:
    """Run the jobs; how many failed."""
    failed: list[str] = []
    with closing(_crew(chosen)) as crew, closing(Headway(jobs)) as shown:

        def keep(job: Job, record: Record) -> None:
            store.write(record)
            shown.finished(job, record)
            if record.status == "failed":
                failed.append(record.key)

        Campaign(crew, keep).run(jobs)
    return len(failed)


def compact(chosen: argparse.Namespace) -> int:
    """Fold the runs of a plan into one file."""
    store = Store(chosen.results, _plan(chosen).name)
    print(f"{store.compact()} runs folded into {store.file}")
    return 0


def export(chosen: argparse.Namespace) -> int:
    """The stored runs of a plan as IOH data."""
    plan = _plan(chosen)
    planned = {run.key for run in plan.runs}
    records = [record for record in Store(chosen.results, plan.name).records() if record.key in planned]
    count = export_ioh(records, chosen.ioh)
    print(f"{count} of {len(planned)} runs written to {chosen.ioh}")
    return 0


def _plan(chosen: argparse.Namespace) -> Plan:
    seeds = getattr(chosen, "seeds", None)
    return read_plan(chosen.plan, quick=chosen.quick, seeds=None if seeds is None else span(seeds))


def _crew(chosen: argparse.Namespace) -> Crew:
    if chosen.dask is None:
        return LocalCrew(chosen.workers or os.cpu_count() or 1)
    from janusopt.bench.dask_crew import DaskCrew

    return DaskCrew(chosen.dask)


def _shard(text: str | None) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", text or "1/1")
    if found is None:
        raise InputError(f"--shard must be i/n, for example 2/4, got {text!r}")
    return int(found[1]), int(found[2])
