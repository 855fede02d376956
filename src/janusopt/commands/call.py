"""How a run was started from the command line: kept in its journal, so that ``janusopt resume`` needs nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from janusopt.errors import JournalError
from janusopt.simulator.parameters import Parameters
from janusopt.simulator.program import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The program and its parameters, and what may change from one start to the next."""

    command: str
    parameters: Parameters
    workers: int = 1
    timeout: float | None = None
    on_error: str = "skip"
    target: float | None = None

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Call:
        """As :meth:`plain` made it."""
        if missing := {field.name for field in fields(cls)} - plain.keys():
            raise JournalError(
                f"the journal does not say how its run was started: {', '.join(sorted(missing))} missing"
            )
        known = {field.name: plain[field.name] for field in fields(cls)}
        return cls(**known | {"parameters": Parameters.from_plain(plain["parameters"])})

    def plain(self) -> dict[str, Any]:
        """As a journal keeps it."""
        return {**asdict(self), "parameters": self.parameters.plain()}

    def program(self, kind: str) -> Program:
        """The objective."""
        return Program(self.command, self.parameters, kind=kind, timeout=self.timeout)
