"""Records as IOH data: one folder a method, in it a JSON file a problem, with one .dat file a dimension.

``raw_y`` is the error of the best row so far, on the grid of the records. Rows themselves are not stored: ``x`` is
empty.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from janusopt.bench.record import Record

_FORM = "0.3.5"  # of IOH's JSON files


def export_ioh(records: Iterable[Record], out: Path) -> int:
    """Write the records that have a final error; how many they were."""
    groups: defaultdict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.final is not None:
            groups[record.method, record.suite, record.problem].append(record)
    numbers = {problem: i for i, problem in enumerate(sorted({problem for _, _, problem in groups}), start=1)}
    for (method, suite, problem), runs in groups.items():
        _problem(out / method, suite, problem, _number(problem, numbers), runs)
    return sum(map(len, groups.values()))


def _number(problem: str, numbers: dict[str, int]) -> int:
    """10 for f10; where names are no numbers, the place among them."""
    found = re.fullmatch(r"\D(\d+)", problem)
    return int(found[1]) if found else numbers[problem]


def _problem(folder: Path, suite: str, problem: str, number: int, runs: Sequence[Record]) -> None:
    by_dimension: defaultdict[int, list[Record]] = defaultdict(list)
    for record in runs:
        by_dimension[record.dimension].append(record)
    stem = f"{suite}_{problem}"
    content = {
        "version": _FORM,
        "suite": suite,
        "function_id": number,
        "function_name": problem,
        "maximization": False,
        "algorithm": {"name": runs[0].method, "info": "janusopt bench"},
        "attributes": ["evaluations", "raw_y"],
        "scenarios": [_scenario(folder, stem, d, own) for d, own in sorted(by_dimension.items())],
    }
    (folder / f"IOHprofile_{stem}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


def _scenario(folder: Path, stem: str, d: int, runs: Sequence[Record]) -> dict[str, Any]:
    """One .dat file, and its entry; a run's first line has one evaluation."""
    path = Path(f"data_{stem}") / f"IOHprofile_{stem}_DIM{d}.dat"
    lines = ["evaluations raw_y"]
    for record in runs:
        lines += [f"{count} {error!r}" for count, error in zip(record.grid, record.best, strict=True)]
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {
        "dimension": d,
        "path": str(path),
        "runs": [
            {
                "instance": record.instance,
                "evals": record.evaluations,
                "best": {"evals": record.evaluations, "y": record.final, "x": []},
            }
            for record in runs
        ],
    }
