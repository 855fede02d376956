"""What the demo shows in a terminal: a live bar for each problem, then one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from janusopt.console import (
    SIMPLE_HEAD,
    BarColumn,
    Console,
    Progress,
    Table,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from janusopt.demo.duel import ARMS, SOLVED, Duel, run, warm_up
from janusopt.demo.problems import Problem

NAMES = {"host": "host alone", "janus": "host + JANUS"}


class Display:
    """Everything the demo prints goes through here."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console()

    def watch(self, problems: Sequence[Problem], seeds: range) -> list[Duel]:
        """Run every problem with every seed, host alone and host + JANUS in turn, live."""
        self.console.print(
            f"\nOne host, with and without JANUS: same seeds ({len(seeds)}), same number of evaluations.\n",
            highlight=False,
        )
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[now]}"),
        )
        with Progress(*columns, console=self.console) as progress:
            tasks = [
                progress.add_task(problem.title, total=2 * len(seeds) * problem.budget, start=False, now="")
                for problem in problems
            ]
            return [self._duel(progress, task, p, seeds) for task, p in zip(tasks, problems, strict=True)]

    @staticmethod
    def _duel(progress: Progress, task: TaskID, problem: Problem, seeds: range) -> Duel:
        progress.start_task(task)
        warm_up(problem)
        runs = []
        for seed in seeds:
            for arm in ARMS:
                progress.update(task, now=f"seed {seed}: {NAMES[arm]}")
                runs.append(run(problem, arm, seed, lambda rows: progress.advance(task, rows)))
        duel = Duel(problem, tuple(runs))
        progress.update(task, completed=2 * len(seeds) * problem.budget, now=f"JANUS: {verdict(duel)}")
        return duel

    def table(self, duels: Sequence[Duel]) -> None:
        """Both arms of every problem: medians over the seeds."""
        table = Table(title="\nMedians over the seeds", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
        table.add_column("problem")
        for heading in ("host", "+ JANUS", "JANUS ends", "seconds"):
            table.add_column(heading, justify="right", no_wrap=True)
        for duel in duels:
            problem, seeds = duel.problem, len(duel.of("janus"))
            host, janus = duel.seconds("host"), duel.seconds("janus")
            table.add_row(
                f"{problem.title}\n[dim]{problem.measure}; {problem.host_title}[/]",
                _number(duel.median("host")),
                _number(duel.median("janus")),
                f"[{'green' if duel.gained() else 'red'}]{verdict(duel)}[/]\n[dim]{duel.wins()} of {seeds} seeds[/]",
                f"{host:.1f} → {janus:.1f}\n[dim]×{janus / host:.2f}[/]",
            )
        self.console.print(table)
        self.console.print(
            f"Error: less is better, solved below {SOLVED:g}. Hypervolume: more is better. "
            "Seconds: the optimizer's own, without the objective's.",
            style="dim",
            highlight=False,
        )

    def written(self, paths: Sequence[Path]) -> None:
        """Where the plots are."""
        self.console.print(
            f"\nPlots in [bold]{paths[0].parent}/[/]: " + ", ".join(path.name for path in paths), highlight=False
        )


def verdict(duel: Duel) -> str:
    """How JANUS's median compares with its host's, in words; a loss is called one."""
    host, janus = duel.median("host"), duel.median("janus")
    if duel.problem.measure == "hypervolume":
        change = 100.0 * (janus - host) / host if host else float("inf")
        return f"{change:+.0f} %" if abs(change) >= 10 else f"{change:+.2g} %"
    if max(host, janus) <= SOLVED or janus == host:
        return "equal"
    if min(host, janus) <= SOLVED:
        return "solved" if janus <= SOLVED else "not solved"
    ratio = host / janus
    return f"×{_factor(ratio)} lower" if ratio > 1.0 else f"×{_factor(1.0 / ratio)} higher"


def _factor(ratio: float) -> str:
    return f"{ratio:.3g}" if ratio < 1e4 else f"{ratio:.0e}".replace("e+0", "e").replace("e+", "e")


def _number(value: float) -> str:
    return f"{value:.4g}" if 1e-2 <= abs(value) < 1e4 else f"{value:.1e}"
