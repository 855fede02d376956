"""Final errors as distributions over the seeds: host and subject side by side on all problems, then all methods."""

from __future__ import annotations

from collections.abc import Iterator

from janusopt.bench.report import figures
from janusopt.bench.report.panels import Choice, colour
from janusopt.bench.report.results import Results
from janusopt.bench.report.row import Group


def distributions(results: Results) -> Iterator[Choice]:
    """A choice for host and subject, and one for each problem with every method."""
    for group in results.groups:
        label, problems = results.label(group), results.problems(group)
        pair = [method for method in (results.host, results.subject) if method in results.methods(group)]
        yield from _choice(results, group, f"{' and '.join(pair)}, all functions", dict.fromkeys(pair, problems), label)
        for problem in problems:
            every = {method: [problem] for method in results.methods(group)}
            yield from _choice(results, group, problem, every, label)


def _choice(results: Results, group: Group, name: str, chosen: dict[str, list[str]], label: str) -> Iterator[Choice]:
    """Boxes of each method on the problems chosen for it; nothing where there is no run."""
    boxes = []
    for method, problems in chosen.items():
        values = [(p, error) for p in problems for error in results.errors(group, p, method).values()]
        if values:
            boxes.append(figures.Boxes(method, colour(results, method), *map(list, zip(*values, strict=True))))
    if boxes:
        yield Choice(label, name, figures.boxes(boxes, "final error"))
