"""Plans: small TOML files that say which runs make a table.

    title = "…"
    suite = "bbob"
    problems = ["f4", "f10"]
    dimensions = [30]                     # left out: each problem's own, in suites that have such (moo)
    instances = [11, 12, 13, 14, 15]      # seed s runs on instance s % 5 of these
    seeds = "100:115"                     # first : last + 1
    budget = 20000                        # evaluations
    methods = ["cma", "janus", "janus window=600"]
    host = "cma"                          # ratios are taken against this method …
    subject = "janus"                     # … of this one
    floor = 1e-8                          # errors count as this at least; a run ends there
    cap_seconds = 900                     # left out: no cap
    gate = "plans/other.toml"             # where the host is shown to beat random search, if not here
    regime = "2 and 3 objectives"         # several objectives: the name of one leaderboard; left out: by dimension
    at = [5000, 10000]                    # evaluations before the budget that are reported as well; with several
                                          # objectives a quarter and half of it, where fronts are stored
    test = "mann-whitney"                 # of runs that are not paired, as always with several objectives;
                                          # left out: "wilcoxon", of pairs
    feasible = 10000                      # one objective: count the runs below this error
    solved = 1e-5                         # one objective: count the runs at f ≤ f* + this (f0 − f*)

``[[part]]`` tables, if any, each make runs of their own with keys that differ from those above; with several objectives
a part may have its own host and subject. ``[quick]`` overrides keys for ``--quick``, and has its own ``[[quick.part]]``
or none. ``[[method]]`` tables (name, host, infill, config, restarts, spread) define methods; spread is the first
standard deviation over the box's sides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from janusopt.bench import methods, suites
from janusopt.bench.gallery import EARLIER
from janusopt.bench.job import Job
from janusopt.bench.methods.ours import Ours
from janusopt.bench.task import Run, Task
from janusopt.bench.terms import TESTS, Terms
from janusopt.errors import InputError
from janusopt.hosts import registry

_NAME = re.compile(r"\w[\w .=+-]*")


@dataclass(frozen=True, slots=True)
class League:
    """Runs that are compared with each other: with which host, which method first of all, under which heading."""

    host: str
    subject: str
    regime: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The jobs of a plan and what a report needs to know of it; ``name`` is the file's, with -quick for its quick form.

    ``jobs`` has each run once, in the plan's order; ``leagues`` says for each run's key what it belongs to.
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
    leagues: Mapping[str, League]

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
        _known(table["quick"], {*_KEYS, "part"}, "[quick]")
        top, parts = {**top, **table["quick"]}, table["quick"].get("part", [{}])
    own = dict(map(_method, table.get("method", [])))
    shared = {key: _read(top, key) for key in _SHARED}
    jobs: dict[str, Job] = {}
    leagues: dict[str, League] = {}
    for part in parts:
        _known(part, set(_KEYS) - set(_SHARED), "[[part]]")
        found = {job.run.key: job for job in _jobs({**top, **part}, own)}
        jobs |= found
        leagues |= dict.fromkeys(found, _league(top, part))
    kept = tuple(job for job in jobs.values() if seeds is None or job.run.seed in seeds)
    if not kept:
        raise InputError(f"no run of the plan has a seed in {seeds and f'{seeds.start}:{seeds.stop}'}")
    _check_leagues(leagues, jobs)
    _check_counts(shared["at"], kept)
    gate = None if shared["gate"] is None else Path(shared["gate"])
    return Plan(
        f"{path.stem}-quick" if quick else path.stem,
        path,
        shared["title"],
        _read(top, "host"),
        _read(top, "subject"),
        shared["floor"],
        gate,
        Terms(shared["test"], shared["feasible"], shared["solved"], tuple(shared["at"])),
        kept,
        leagues,
    )


def _league(top: Mapping[str, Any], part: Mapping[str, Any]) -> League:
    return League(*(_read({**top, **part}, key) for key in ("host", "subject", "regime")))


def _check_leagues(leagues: Mapping[str, League], jobs: Mapping[str, Job]) -> None:
    """Every host and subject runs somewhere in its league; a regime has each problem in one dimension."""
    for league in dict.fromkeys(leagues.values()):
        methods_there = {jobs[key].run.method for key, own in leagues.items() if own == league}
        for key, name in (("host", league.host), ("subject", league.subject)):
            if name not in methods_there:
                raise InputError(f"{key} must be one of the plan's methods, got {name!r}")
        sizes: dict[str, int] = {}
        for task in (jobs[key].run.task for key, own in leagues.items() if own == league and league.regime):
            if sizes.setdefault(task.problem, task.dimension) != task.dimension:
                raise InputError(
                    f"regime {league.regime!r} has {task.problem} in several dimensions: name one for each"
                )


def _check_counts(counts: Sequence[int], jobs: Sequence[Job]) -> None:
    """With several objectives a run stores its fronts at a quarter and half of its budget."""
    kept = {job.run.budget // part for job in jobs if job.run.task.suite in suites.SEVERAL for part in EARLIER}
    missing = [count for count in counts if kept and count not in kept]
    if missing:
        raise InputError(f"at: with several objectives a quarter or half of the budget is expected, got {missing[0]}")


def _jobs(part: Mapping[str, Any], own: Mapping[str, Ours]) -> Iterator[Job]:
    """Runs of one task stand next to each other, so that a worker builds a problem once."""
    value = {key: _read(part, key) for key in _KEYS}
    instances = value["instances"]
    solvers = {name: own.get(name) or methods.find(name) for name in value["methods"]}
    suite = suites.check(value["suite"])
    for d in value["dimensions"] or [None]:
        for problem in value["problems"]:
            size = suites.standard_dimension(suite, problem) if d is None else d
            for seed in sorted(value["seeds"], key=lambda s: (s % len(instances), s)):
                task = Task(suite, problem, size, instances[seed % len(instances)])
                for name, method in solvers.items():
                    run = Run(task, name, seed, value["budget"])
                    yield Job(run, method, value["floor"], value["cap_seconds"], tuple(value["at"]))


def _method(table: Mapping[str, Any]) -> tuple[str, Ours]:
    """A [[method]] table as a name and a host with infill."""
    _known(table, {"name", "host", "infill", "config", "restarts", "spread"}, "[[method]]")
    name, host = _texts([table.get("name")])[0], table.get("host", "cma")
    if not _NAME.fullmatch(name):
        raise InputError(f"a method's name is made of letters, digits, blanks and . = + -, got {name!r}")
    if host not in registry.NAMES:
        raise InputError(f"host of method {name!r} must be one of {', '.join(registry.NAMES)}, got {host!r}")
    restarts = table.get("restarts", "ipop")
    if restarts not in ("ipop", "race", "encore"):
        raise InputError(f"restarts of method {name!r} must be 'ipop', 'race' or 'encore', got {restarts!r}")
    spread = table.get("spread")
    if spread is not None and not (isinstance(spread, (int, float)) and 0.0 < spread <= 1.0):
        raise InputError(f"spread of method {name!r} must be above 0 and at most 1, got {spread!r}")
    ours = Ours(host, table.get("infill"), restarts=restarts, spread=spread)
    return name, ours.changed(table.get("config", {}))


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
    "floor": (_positive, 1e-8),
    "gate": (_text, None),
    "at": (_counts, ()),
    "test": (_test, TESTS[0]),
    "feasible": (_positive, None),
    "solved": (_positive, None),
}
_KEYS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    **_SHARED,
    "host": (_text, _REQUIRED),
    "subject": (_text, _REQUIRED),
    "regime": (_text, ""),
    "suite": (_text, _REQUIRED),
    "problems": (_texts, _REQUIRED),
    "dimensions": (_wholes, None),
    "instances": (_wholes, [1]),
    "seeds": (span, _REQUIRED),
    "budget": (_whole, _REQUIRED),
    "methods": (_texts, _REQUIRED),
    "cap_seconds": (_positive, None),
}
