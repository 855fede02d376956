"""What is used of rich, for all that shows something in a terminal. The one file that imports it."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

__all__ = [
    "SIMPLE_HEAD",
    "BarColumn",
    "Console",
    "Progress",
    "Table",
    "TaskID",
    "TaskProgressColumn",
    "TextColumn",
    "TimeElapsedColumn",
    "TimeRemainingColumn",
]
