"""Plans: small TOML files that say which runs make a table.

    title = "…"
    suite = "bbob"
    problems = ["f4", "f10"]
    dimensions = [30]
    instances = [11, 12, 13, 14, 15]      # seed s runs on instance s % 5 of these
    seeds = "100:115"                     # first : last + 1
    budget = 20000                        # evaluations
    methods = ["cma", "janus", "janus window=600"]
    host = "cma"                          # ratios are taken against this method …
    subject = "janus"                     # … of this one
    floor = 1e-8                          # errors count as this at least; a run ends there
    cap_seconds = 900                     # left out: no cap
    gate = "plans/other.toml"             # where the host is shown to beat random search, if not here
    at = [2500, 10000]                    # evaluations before the budget that are reported as well
    test = "mann-whitney"                 # of runs that are not paired; left out: "wilcoxon", of pairs
    feasible = 10000                      # count the runs below this error
    solved = 1e-5                         # count the runs at f ≤ f* + this (f0 − f*)

``[[part]]`` tables, if any, each make runs of their own with keys that differ from those above. ``[quick]`` overrides
keys for ``--quick``, and leaves the parts out. ``[[method]]`` tables (name, host, infill, config) define methods.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from janusopt.bench import methods, suites
from janusopt.bench.job import Job
from janusopt.bench.methods.ours import Ours
from janusopt.bench.task import Run, Task
from janusopt.bench.terms import TESTS, Terms
from janusopt.errors import InputError
from janusopt.hosts import registry

_NAME = re.compile(r"\w[\w .=+-]*")


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The jobs of a plan and what a report needs to know of it; ``name`` is the file's, with -quick for its quick form.

    ``jobs`` has each run once, in the plan's order.
    """

    name: str
    path: Path
    title: str
    host: str
    subject: str
    floor: float
    gate: Path | None
    terms: Terms
    jobs: tuple[Job, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(job.run for job in self.jobs)


def read_plan(path: Path, *, quick: bool = False, seeds: range | None = None) -> Plan:
    """The plan in the file ``path``; only its runs with a seed in ``seeds``, if that is given."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the plan {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the plan {path} is not TOML: {error}") from None
    try:
        return _plan(path, table, quick, seeds)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def span(text: Any) -> range:
    """``"100:115"`` as the seeds 100 to 114."""
    found = re.fullmatch(r"(\d+):(\d+)", text) if isinstance(text, str) else None
    if found is None or int(found[1]) >= int(found[2]):
        raise InputError(f"seeds must be FIRST:LAST+1 with at least one seed, for example 100:115, got {text!r}")
    return range(int(found[1]), int(found[2]))


def _plan(path: Path, table: Mapping[str, Any], quick: bool, seeds: range | None) -> Plan:
    _known(table, {*_KEYS, "quick", "part", "method"}, "a plan")
    top = {key: value for key, value in table.items() if key in _KEYS}
    parts = table.get("part", [{}])
    if quick:
        if "quick" not in table:
            raise InputError("there is no [quick] table in this plan")
        _known(table["quick"], set(_KEYS), "[quick]")
        top, parts = {**top, **table["quick"]}, [{}]
    own = dict(map(_method, table.get("method", [])))
    shared = {key: _read(top, key) for key in _SHARED}
    jobs: dict[str, Job] = {}
    for part in parts:
        _known(part, set(_KEYS) - set(_SHARED), "[[part]]")
        jobs |= {job.run.key: job for job in _jobs({**top, **part}, own)}
    kept = tuple(job for job in jobs.values() if seeds is None or job.run.seed in seeds)
    if not kept:
        raise InputError(f"no run of the plan has a seed in {seeds and f'{seeds.start}:{seeds.stop}'}")
    for key in ("host", "subject"):
        if shared[key] not in {job.run.method for job in jobs.values()}:
            raise InputError(f"{key} must be one of the plan's methods, got {shared[key]!r}")
    gate = None if shared["gate"] is None else Path(shared["gate"])
    return Plan(
        f"{path.stem}-quick" if quick else path.stem,
        path,
        shared["title"],
        shared["host"],
        shared["subject"],
        shared["floor"],
        gate,
        Terms(shared["test"], shared["feasible"], shared["solved"], tuple(shared["at"])),
        kept,
    )


def _jobs(part: Mapping[str, Any], own: Mapping[str, Ours]) -> Iterator[Job]:
    """Runs of one task stand next to each other, so that a worker builds a problem once."""
    value = {key: _read(part, key) for key in _KEYS}
    instances = value["instances"]
    solvers = {name: own.get(name) or methods.find(name) for name in value["methods"]}
    for d in value["dimensions"]:
        for problem in value["problems"]:
            for seed in sorted(value["seeds"], key=lambda s: (s % len(instances), s)):
                task = Task(suites.check(value["suite"]), problem, d, instances[seed % len(instances)])
                for name, method in solvers.items():
                    run = Run(task, name, seed, value["budget"])
                    yield Job(run, method, value["floor"], value["cap_seconds"], tuple(value["at"]))


def _method(table: Mapping[str, Any]) -> tuple[str, Ours]:
    """A [[method]] table as a name and a host with infill."""
    _known(table, {"name", "host", "infill", "config"}, "[[method]]")
    name, host = _texts([table.get("name")])[0], table.get("host", "cma")
    if not _NAME.fullmatch(name):
        raise InputError(f"a method's name is made of letters, digits, blanks and . = + -, got {name!r}")
    if host not in registry.NAMES:
        raise InputError(f"host of method {name!r} must be one of {', '.join(registry.NAMES)}, got {host!r}")
    return name, Ours(host, table.get("infill")).changed(table.get("config", {}))


def _known(table: Any, keys: set[str], where: str) -> None:
    if not isinstance(table, Mapping):
        raise InputError(f"{where} must be a table, got {table!r}")
    unknown = sorted(set(table) - keys)
    if unknown:
        raise InputError(f"{where} has the unknown key {unknown[0]!r}; the keys are: {', '.join(sorted(keys))}")


def _read(table: Mapping[str, Any], key: str) -> Any:
    read, default = _KEYS[key]
    if key not in table:
        if default is _REQUIRED:
            raise InputError(f"the key {key!r} is missing")
        return default
    try:
        return read(table[key])
    except InputError as error:
        raise InputError(f"{key}: {error}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f"a text is expected, got {value!r}")
    return value


def _texts(value: Any) -> list[str]:
    return [_text(part) for part in _list(value)]


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InputError(f"a list with at least one entry is expected, got {value!r}")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"a whole number of at least 1 is expected, got {value!r}")
    return value


def _wholes(value: Any) -> list[int]:
    return [_whole(part) for part in _list(value)]


def _counts(value: Any) -> list[int]:
    return sorted(set(_wholes(value)))


def _test(value: Any) -> str:
    if value not in TESTS:
        raise InputError(f"one of {', '.join(TESTS)} is expected, got {value!r}")
    return str(value)


def _positive(value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise InputError(f"a positive number is expected, got {value!r}")
    return float(value)


_REQUIRED = object()
_SHARED: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "title": (_text, _REQUIRED),
    "host": (_text, _REQUIRED),
    "subject": (_text, _REQUIRED),
    "floor": (_positive, 1e-8),
    "gate": (_text, None),
    "at": (_counts, ()),
    "test": (_test, TESTS[0]),
    "feasible": (_positive, None),
    "solved": (_positive, None),
}
_KEYS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    **_SHARED,
    "suite": (_text, _REQUIRED),
    "problems": (_texts, _REQUIRED),
    "dimensions": (_wholes, _REQUIRED),
    "instances": (_wholes, [1]),
    "seeds": (span, _REQUIRED),
    "budget": (_whole, _REQUIRED),
    "methods": (_texts, _REQUIRED),
    "cap_seconds": (_positive, None),
}
