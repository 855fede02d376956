"""The command line of a simulator, with places for files and values."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Collection, Mapping

from janusopt.errors import InputError

PARAMS, OUT = "params.json", "out.json"
_PLACE = re.compile(r"\{\{|\}\}|\{([^{}\s]+)\}")


class Template:
    """``./sim {params.json} {out.json}`` or ``./sim --mass {mass}``, split as a shell would and run without one.

    A brace that means itself is doubled: ``{{``.
    """

    def __init__(self, command: str, names: Collection[str]) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"the command cannot be split into words: {error}; it was {command!r}") from error
        if not self._words:
            raise InputError("the command is empty; give a program, such as './sim {params.json} {out.json}'")
        self.places = {place for word in self._words for place in _PLACE.findall(word) if place}
        known = {PARAMS, OUT, *names}
        if unknown := sorted(self.places - known):
            raise InputError(
                f"the command has a place {{{unknown[0]}}} that is no parameter; there are "
                f"{', '.join(f'{{{name}}}' for name in sorted(known))}; write {{{{ for a brace that means itself"
            )
        if PARAMS not in self.places and (unused := sorted(set(names) - self.places)):
            raise InputError(
                f"the command never sees parameter {unused[0]!r}: put {{{PARAMS}}} or {{{unused[0]}}} into it"
            )

    def require_program(self) -> None:
        """Raise where the program is not there, before anything is evaluated."""
        program = self._words[0]
        if not _PLACE.search(program) and shutil.which(program) is None:
            raise InputError(f"there is no program {program!r} that can be run; check its path and permissions")

    def words(self, values: Mapping[str, object]) -> list[str]:
        """The words with every place filled."""
        return [_PLACE.sub(lambda found: _filled(found, values), word) for word in self._words]


def _filled(found: re.Match[str], values: Mapping[str, object]) -> str:
    return str(values[found[1]]) if found[1] else found[0][0]
