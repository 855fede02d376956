"""From a journal's settings back to the call that made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy.optimize import Bounds, OptimizeResult

from janusopt.config import JanusConfig
from janusopt.doors.least_squares import least_squares
from janusopt.doors.minimize import minimize
from janusopt.doors.minimize_multi import minimize_multi
from janusopt.errors import JournalError
from janusopt.journal import Journal
from janusopt.pareto import ParetoConfig

Door = Callable[..., OptimizeResult]

DOORS: dict[str, Door] = {"scalar": minimize, "residuals": least_squares, "objectives": minimize_multi}
_CONFIGS = {"JanusConfig": JanusConfig, "ParetoConfig": ParetoConfig}
_SAME = ("budget", "popsize", "host_options", "restarts")


def recorded_arguments(journal: Journal) -> tuple[str, dict[str, Any]]:
    """The kind of objective and the front door's arguments, all but the objective and what may change."""
    settings = journal.settings
    if settings is None:
        raise JournalError(f"{journal.path} is empty: there is no run to resume")
    if "in_flight" in settings:
        raise JournalError(f"{journal.path} is of an asynchronous run: resume it from Python, by the same call")
    try:
        kind, space = settings["kind"], settings["space"]
        arguments = {name: settings[name] for name in _SAME}
        arguments["bounds"] = Bounds(space["lower"], space["upper"])
        if kind == "objectives":
            arguments["n_obj"] = settings["n_obj"]
        else:
            arguments |= {"x0": space["x0"], "sigma0": space["sigma0"]}
        for name in ("host", "infill"):
            arguments[name] = _rebuilt(name, settings[name])
        return kind, arguments
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(f"the settings of {journal.path} are not those of a run that can be resumed") from error


def _rebuilt(name: str, value: Any) -> Any:
    """A name as it is, a configuration from its fields; an object that only has a type cannot be made again."""
    if isinstance(value, dict) and value.get("type") in _CONFIGS:
        parts = {key: tuple(part) if isinstance(part, list) else part for key, part in value.items() if key != "type"}
        return _CONFIGS[value["type"]](**parts)
    if value is None or (isinstance(value, str) and "." not in value):
        return value
    shown = value["type"] if isinstance(value, dict) and "type" in value else value
    raise JournalError(
        f"the run was started from Python with an object as {name} ({shown}), which a journal cannot make again: "
        "resume it from there, by the same call"
    )
