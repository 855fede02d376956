"""A table as text cells, written as Markdown for the docs and aligned for a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; ``**`` around one makes it bold. ``note`` says how to read it."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def trimmed(self) -> Table:
        """Without the columns that hold nothing but dashes."""
        kept = [i for i in range(len(self.header)) if not self.rows or any(row[i] != "–" for row in self.rows)]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return replace(self, header=tuple(self.header[i] for i in kept), rows=rows)

    def markdown(self) -> str:
        """With its title as a heading of the third level."""
        rule = ["---", *["--:"] * (len(self.header) - 1)]
        lines = [_line([cell.replace("|", "\\|") for cell in cells]) for cells in (self.header, rule, *self.rows)]
        return "\n\n".join(part for part in (f"### {self.title}", self.note, "\n".join(lines)) if part) + "\n"

    def text(self) -> str:
        """Columns aligned by blanks, the first to the left, the others to the right."""
        cells = [[cell.replace("**", "") for cell in row] for row in (self.header, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in cells]
        return "\n".join([self.title, lines[0], "  ".join("─" * width for width in widths), *lines[1:]])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def number(value: float) -> str:
    """Three digits; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    return re.sub(r"e([+-])0*(\d)", lambda found: f"e{found[1].strip('+')}{found[2]}", f"{value:.3g}")


def plain(value: float) -> str:
    """A cost: to the unit where it has thousands, three digits else."""
    return f"{value:,.0f}" if value >= 1000.0 else number(value)


def share(part: float, whole: float) -> str:
    """As a percentage."""
    return f"{100.0 * part / whole:.1f} %" if whole else "–"


def spans(seeds: Sequence[int]) -> str:
    """Seeds in few letters: 100–102, 107."""
    found: list[list[int]] = []
    for seed in sorted(seeds):
        if found and seed == found[-1][1] + 1:
            found[-1][1] = seed
        else:
            found.append([seed, seed])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in found)
