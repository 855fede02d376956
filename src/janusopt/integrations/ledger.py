"""What the trials of a study say of one run: who belongs to which generation, and what closed each of them.

A trial that opens generation g carries an :class:`Entry`: the trials told for g − 1, row by row, and those that only
the window saw. Plain numbers in system attributes, in pieces short enough for every database; nothing is pickled. Two
processes may open the same generation at once: the entry of the lower trial counts, and whoever followed the other
one replays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_PIECE = 2000  # characters that every storage takes as one attribute


@dataclass(frozen=True, slots=True)
class Entry:
    """What opened a generation: ``told`` trial numbers in the order of rows, ``also`` for the window, the entropy."""

    told: tuple[int, ...]
    also: tuple[int, ...]
    entropy: int


class Ledger:
    """Reads the trials of a study as they come; ``prefix`` names the run in their system attributes.

    ``trial`` objects are read by number, state, params and system_attrs only.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._seen = 0
        self._pending: set[int] = set()
        self._entries: dict[int, tuple[int, Entry]] = {}
        self._members: dict[int, dict[int, int]] = {}
        self.finished: set[int] = set()
        self.completed: set[int] = set()

    def read(self, trials: Sequence[Any]) -> None:
        """Take in trials that are new or were unfinished; a finished one never changes."""
        fresh = sorted(self._pending.union(range(self._seen, len(trials))))
        self._seen = len(trials)
        for number in fresh:
            self._note(number, trials[number])

    def _note(self, number: int, trial: Any) -> None:
        attributes = trial.system_attrs
        place = attributes.get(self._prefix + "row")
        if place is not None:
            self._members.setdefault(place[0], {})[number] = place[1]
        opens = attributes.get(self._prefix + "opens")
        if opens is not None and number <= self._entries.get(opens[0], (number,))[0]:
            text = "".join(attributes[f"{self._prefix}entry:{i}"] for i in range(opens[1]))
            given = json.loads(text)
            self._entries[opens[0]] = number, Entry(tuple(given["told"]), tuple(given["also"]), given["entropy"])
        if trial.state.is_finished():
            self._pending.discard(number)
            self.finished.add(number)
            if trial.state.name == "COMPLETE":
                self.completed.add(number)
        else:
            self._pending.add(number)

    def entries(self) -> list[Entry]:
        """One per generation that was opened, in order and without a gap."""
        found: list[Entry] = []
        while len(found) in self._entries:
            found.append(self._entries[len(found)][1])
        return found

    def place(self, generation: int, number: int) -> int:
        """The row of trial ``number`` in a generation; −1 where it has none."""
        return self._members.get(generation, {}).get(number, -1)

    def free_row(self, generation: int) -> int:
        """The lowest row that nobody has."""
        taken = set(self._members.get(generation, {}).values())
        return next(row for row in range(len(taken) + 1) if row not in taken)

    def closing(self, generation: int, rows: int) -> tuple[int, ...] | None:
        """Trials to tell, row by row, once that many are finished: each row's own, others in place of late ones."""
        members = self._members.get(generation, {})
        back = [number for number in sorted(members) if number in self.finished]
        if len(back) < rows:
            return None
        own: dict[int, int] = {}
        for number in back:
            if members[number] < rows:
                own.setdefault(members[number], number)
        spare = iter([number for number in back if number not in own.values()])
        return tuple(own[row] if row in own else next(spare) for row in range(rows))

    def unlisted(self) -> list[int]:
        """Completed trials that no entry names."""
        used = {number for _, entry in self._entries.values() for number in (*entry.told, *entry.also)}
        return sorted(self.completed - used)

    def write(self, set_attribute: Callable[[str, Any], None], generation: int, entry: Entry) -> None:
        """Onto the trial that opens ``generation``; what makes it count comes last."""
        text = json.dumps(asdict(entry))
        pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
        for i, piece in enumerate(pieces):
            set_attribute(f"{self._prefix}entry:{i}", piece)
        set_attribute(self._prefix + "opens", [generation, len(pieces)])

    def seat(self, set_attribute: Callable[[str, Any], None], generation: int, row: int) -> None:
        """Give a trial its row."""
        set_attribute(self._prefix + "row", [generation, row])
