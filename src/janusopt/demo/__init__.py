"""The demo: one host with and without JANUS on three problems, live, then a table and plots."""

from __future__ import annotations

from pathlib import Path

from janusopt.extras import require


def show(out: Path, seeds: int = 3, scale: float = 1.0) -> None:
    """Run the demo and write its plots to ``out``; ``scale`` multiplies every budget."""
    require("rich", "matplotlib", "pymoo", "moocore", extra="cli", purpose="the demo")
    from janusopt.demo import plots, problems
    from janusopt.demo.display import Display

    display = Display()
    duels = display.watch(problems.all_problems(scale), range(1, seeds + 1))
    display.table(duels)
    display.written(plots.write(duels, out))
