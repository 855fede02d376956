"""Named parameters of a simulator: what ``space.toml`` says, and the way between them and the optimizer's vector.

[parameters.mass]
low = 1.0
high = 1000.0
log = true        # searched in log10
x0 = 30.0         # start, optional
sigma = 0.5       # initial standard deviation, optional; in decades where log = true

[parameters.blades]
low = 2
high = 9
integer = true    # rounded before the program sees it
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from janusopt.core.arrays import Vec
from janusopt.errors import InputError

_SHARE = 0.2  # of the box: the initial standard deviation, as at the front doors


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``log``: searched in log10; ``integer``: rounded, each whole number with an equal share."""

    name: str
    low: float
    high: float
    log: bool = False
    integer: bool = False
    x0: float | None = None
    sigma: float | None = None

    def __post_init__(self) -> None:
        numbers = {"low": self.low, "high": self.high, "x0": self.x0, "sigma": self.sigma}
        for key, value in numbers.items():
            if value is None and key in ("x0", "sigma"):
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
                raise InputError(f"parameter {self.name}: {key} must be a finite number, got {value!r}")
        for key, switch in (("log", self.log), ("integer", self.integer)):
            if not isinstance(switch, bool):
                raise InputError(f"parameter {self.name}: {key} must be true or false, got {switch!r}")
        if not self.low < self.high:
            raise InputError(f"parameter {self.name}: low must be below high, got {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise InputError(f"parameter {self.name}: with log = true low must be positive, got {self.low}")
        if self.integer and (self.low != round(self.low) or self.high != round(self.high)):
            raise InputError(f"parameter {self.name}: integer bounds must be whole, got {self.low} and {self.high}")
        if self.x0 is not None and not self.low <= self.x0 <= self.high:
            raise InputError(f"parameter {self.name}: x0 = {self.x0} is outside [{self.low}, {self.high}]")
        if self.sigma is not None and self.sigma <= 0:
            raise InputError(f"parameter {self.name}: sigma must be positive, got {self.sigma}")

    @property
    def box(self) -> tuple[float, float]:
        """Where the optimizer searches."""
        half = 0.5 if self.integer else 0.0
        return self._inward(self.low - half), self._inward(self.high + half)

    @property
    def start(self) -> float:
        """x0 as the optimizer sees it; the middle of the box where there is none."""
        return sum(self.box) / 2.0 if self.x0 is None else self._inward(self.x0)

    @property
    def spread(self) -> float:
        """sigma, or 0.2 of the box."""
        low, high = self.box
        return _SHARE * (high - low) if self.sigma is None else self.sigma

    def value(self, coordinate: float) -> float | int:
        """What the program gets for the optimizer's coordinate."""
        value = 10.0**coordinate if self.log else coordinate
        value = float(min(max(value, self.low), self.high))
        return round(value) if self.integer else value

    def _inward(self, value: float) -> float:
        return float(np.log10(value)) if self.log else float(value)


@dataclass(frozen=True, slots=True)
class Parameters:
    """All of them, in the order of the optimizer's vector."""

    all: tuple[Parameter, ...]

    @classmethod
    def read(cls, path: Path) -> Parameters:
        """From a TOML file."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path} cannot be read as TOML: {error}") from error
        if unknown := sorted(content.keys() - {"parameters"}):
            raise InputError(f"{path}: unknown key {unknown[0]!r}; expected tables [parameters.NAME]")
        return cls.from_plain(content.get("parameters"))

    @classmethod
    def from_plain(cls, tables: Any) -> Parameters:
        """From name → table, as TOML and a journal have it."""
        if not isinstance(tables, Mapping) or not tables:
            raise InputError("there are no parameters: expected tables [parameters.NAME] with low and high")
        return cls(tuple(_parameter(name, table) for name, table in tables.items()))

    def plain(self) -> dict[str, dict[str, Any]]:
        """name → table, for a journal."""
        return {
            parameter.name: {key: value for key, value in asdict(parameter).items() if key != "name"}
            for parameter in self.all
        }

    @property
    def names(self) -> list[str]:
        return [parameter.name for parameter in self.all]

    @property
    def integers(self) -> list[str]:
        return [parameter.name for parameter in self.all if parameter.integer]

    @property
    def bounds(self) -> list[tuple[float, float]]:
        return [parameter.box for parameter in self.all]

    @property
    def x0(self) -> Vec | None:
        """None where no parameter has one: the start is then drawn in the box."""
        if all(parameter.x0 is None for parameter in self.all):
            return None
        return np.array([parameter.start for parameter in self.all])

    @property
    def sigma0(self) -> Vec:
        return np.array([parameter.spread for parameter in self.all])

    def values(self, x: Vec | Sequence[float]) -> dict[str, float | int]:
        """name → value at the optimizer's x (d,)."""
        return {parameter.name: parameter.value(float(c)) for parameter, c in zip(self.all, x, strict=True)}


def _parameter(name: str, table: Any) -> Parameter:
    known = [field.name for field in fields(Parameter) if field.name != "name"]
    if not isinstance(table, Mapping):
        raise InputError(f"parameter {name}: expected a table with low and high, got {table!r}")
    if unknown := sorted(table.keys() - set(known)):
        raise InputError(f"parameter {name}: unknown key {unknown[0]!r}; the keys are {', '.join(known)}")
    if missing := [key for key in ("low", "high") if key not in table]:
        raise InputError(f"parameter {name}: {missing[0]} is missing; every parameter needs low and high")
    return Parameter(name, **table)
