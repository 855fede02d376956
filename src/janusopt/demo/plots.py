"""Convergence plots as PNG files: of the demo, and of one run. The one file that imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from janusopt.core.arrays import Vec
from janusopt.demo.duel import ARMS, Arm, Duel

_COLOURS: dict[Arm, str] = {"host": "#6b7280", "janus": "#1a6fc4"}


def write(duels: Sequence[Duel], out: Path) -> list[Path]:
    """One picture a problem and one of all side by side; returns where they are."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [_save([duel], out / f"{duel.problem.key}.png") for duel in duels]
    return [*paths, _save(duels, out / "all.png")]


def convergence(evaluations: Vec, best: Vec, title: str, path: Path) -> None:
    """One run: the best value (n,) after so many evaluations (n,)."""
    figure = Figure(figsize=(5.2, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.step(evaluations, best, where="post", color=_COLOURS["janus"], linewidth=1.6)
    if (best > 0).all():
        axes.set_yscale("log")
    _dress(axes, title, "best value")
    figure.savefig(path, dpi=150)


def _save(duels: Sequence[Duel], path: Path) -> Path:
    figure = Figure(figsize=(5.2 * len(duels), 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, duel in zip(figure.subplots(1, len(duels), squeeze=False)[0], duels, strict=True):
        _draw(axes, duel)
    figure.savefig(path, dpi=150)
    return path


def _draw(axes: Any, duel: Duel) -> None:
    """Every seed as a thin line, the median as a thick one."""
    problem = duel.problem
    names = {"host": problem.host_title, "janus": "with JANUS"}
    for arm in ARMS:
        runs = duel.of(arm)
        for run in runs:
            axes.plot(run.evaluations, run.curve, color=_COLOURS[arm], alpha=0.3, linewidth=0.9)
        grid = np.linspace(max(run.evaluations[0] for run in runs), problem.budget, 400)
        curves = [np.asarray(run.curve)[np.searchsorted(run.evaluations, grid, side="right") - 1] for run in runs]
        axes.plot(grid, np.median(curves, axis=0), color=_COLOURS[arm], linewidth=2.2, label=names[arm])
    if problem.measure == "error":
        axes.set_yscale("log")
    _dress(axes, problem.title, problem.measure)
    axes.legend(frameon=False)


def _dress(axes: Any, title: str, measure: str) -> None:
    axes.set(title=title, xlabel="evaluations", ylabel=measure)
    axes.title.set_fontsize(10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
