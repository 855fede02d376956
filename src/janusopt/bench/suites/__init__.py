"""Suites by name. One file a suite, with ``build(task, seed) -> Problem``; a suite knows no method. Where it has
something to show of a solution it offers ``pictures(task, found)`` as well.

What is slow to build is cached inside the suite's file, per worker. A problem itself is not: a noisy one owns a
generator made from ``seed``, so that a run is the same wherever and after whatever it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from janusopt.bench.picture import Picture
from janusopt.bench.problem import Problem
from janusopt.bench.task import Task
from janusopt.core.arrays import Vec
from janusopt.errors import InputError

_FILES = {
    "bbob": "bbob", "bbob-noisy": "bbob", "uav": "uav", "awb": "awb", "lsq": "lsq", "lsq-noisy": "lsq", "moo": "moo",
    "biobj": "biobj",
}  # fmt: skip
NAMES = tuple(_FILES)
SEVERAL = ("moo", "biobj")  #: suites whose problems have several objectives


def build(task: Task, seed: int = 0) -> Problem:
    """The problem of ``task``; ``seed`` only matters where evaluations are noisy."""
    problem: Problem = _file(task.suite).build(task, seed)
    return problem


def standard_dimension(suite: str, problem: str) -> int:
    """The published dimension of a problem; an error in suites whose problems have no one dimension."""
    published = getattr(_file(suite), "standard_dimension", None)
    if published is None:
        raise InputError(f"the key 'dimensions' is missing: problems of {suite} have no standard one")
    return int(published(problem))


def pictures(task: Task, found: Mapping[str, Vec]) -> dict[str, Picture]:
    """What the suite shows of rows (d,) that were found, by name: pictures by title, none where it has none to show."""
    show = getattr(_file(task.suite), "pictures", None)
    return {} if show is None else dict(show(task, found))


def _file(suite: str) -> ModuleType:
    return import_module(f"{__name__}.{_FILES[check(suite)]}")


def check(suite: str) -> str:
    """``suite`` itself, or an error that names those there are."""
    if suite not in _FILES:
        raise InputError(f"suite must be one of {', '.join(NAMES)}, got {suite!r}")
    return suite
