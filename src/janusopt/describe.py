"""What shapes a run, as plain JSON: for a journal to record, to compare, and to name what differs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

_SHOWN = 5  # differences that a message spells out


def plain(value: Any) -> Any:
    """``value`` as JSON can hold it; what has no such form by the name of its type, or its own if it has one."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {"type": type(value).__qualname__} | {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Of the installed packages, by name; "absent" where there is none."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def differences(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What differs, in words ("budget was 100, is 200; …"); empty where nothing does."""
    old, new = dict(_leaves("", recorded)), dict(_leaves("", now))
    names = [name for name in sorted(old.keys() | new.keys()) if old.get(name, "absent") != new.get(name, "absent")]
    told = [f"{name} was {old.get(name, 'absent')}, is {new.get(name, 'absent')}" for name in names[:_SHOWN]]
    more = len(names) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


def _leaves(name: str, value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _leaves(f"{name}.{key}" if name else str(key), part)
    elif isinstance(value, list) and value:
        for i, part in enumerate(value):
            yield from _leaves(f"{name}[{i}]", part)
    else:
        yield name, json.dumps(value)
