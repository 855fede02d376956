"""What a simulator wrote, as the value that a front door expects.

    1.25                                                  one number
    {"f": 1.25, "components": [1.0, 1.5]}                 a number and the terms that it is the mean of
    {"residuals": [0.1, -0.3]}                            kind "residuals"
    {"objectives": [1.0, 2.0], "constraints": [-0.1]}     kind "objectives"; satisfied where ≤ 0; may be left out

``nan`` and ``inf`` are numbers here: a failed evaluation, by the policy.
"""

from __future__ import annotations

import json
from typing import Any

_SHOWN = 60


def read_output(text: str, kind: str) -> Any:
    """f, (f, components), residuals, objectives or (objectives, constraints); a ValueError says what was expected."""
    try:
        value = json.loads(text)
    except ValueError:
        value = _plain_number(text)
    if kind == "scalar":
        if isinstance(value, dict) and "f" in value:
            f = _number(value["f"])
            return (f, _numbers(value["components"])) if "components" in value else f
        return _number(value)
    wide = value[kind] if isinstance(value, dict) and kind in value else value
    if not isinstance(wide, list):
        raise ValueError(f'expected {{"{kind}": [...]}}, got {_shown(value)}')
    if kind == "objectives" and isinstance(value, dict) and "constraints" in value:
        return _numbers(wide), _numbers(value["constraints"])
    return _numbers(wide)


def _plain_number(text: str) -> float:
    """Also nan, inf and 1. as C and Fortran print them, which are no JSON."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"expected a number or JSON, got {_shown(text.strip())}") from None


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f'expected a number or {{"f": number}}, got {_shown(value)}')
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _numbers(values: Any) -> list[float]:
    if not isinstance(values, list) or not values:
        raise ValueError(f"expected a list of numbers, got {_shown(values)}")
    return [_number(value) for value in values]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
