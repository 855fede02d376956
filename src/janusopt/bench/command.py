"""``janusopt bench run``, ``export`` and ``compact``: arguments, and what they lead to."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

from janusopt.bench.campaign import Campaign, pending
from janusopt.bench.crew import Crew, LocalCrew
from janusopt.bench.plan import Plan, read_plan, span
from janusopt.bench.progress import progress
from janusopt.bench.store import Store
from janusopt.errors import InputError


def run(chosen: argparse.Namespace) -> int:
    """Do what is missing of a plan; 1 where a run failed."""
    plan = _plan(chosen)
    store = Store(chosen.results, plan.name)
    shard = _shard(chosen.shard)
    jobs = pending(plan.jobs, store, shard, retry=chosen.retry)
    print(f"{plan.title}: {len(plan.jobs)} runs, {len(jobs)} to do{_of(shard)}", flush=True)
    status = _work(jobs, store, chosen) if jobs else {}
    if shard == (1, 1):
        store.compact()
        print(f"results in {store.file}")
    else:
        print(f"results in {store.runs}; when all shards are done: janusopt bench compact {plan.path}")
    if status.get("failed"):
        print(f"{status['failed']} runs failed; their tracebacks are stored (column error), --retry runs them again")
    return 1 if status.get("failed") else 0


def _work(jobs: list[Any], store: Store, chosen: argparse.Namespace) -> dict[str, int]:
    crew = _crew(chosen)
    shown = progress(jobs)
    campaign = Campaign(crew, store, shown)
    try:
        campaign.run(jobs)
    finally:
        shown.close()
        crew.close()
    return dict(campaign.status)


def compact(chosen: argparse.Namespace) -> int:
    """Fold the runs of a plan into one file."""
    store = Store(chosen.results, _plan(chosen).name)
    print(f"{store.compact()} runs folded into {store.file}")
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


def _of(shard: tuple[int, int]) -> str:
    return "" if shard == (1, 1) else f" in shard {shard[0]}/{shard[1]}"
