"""One run at the command line: live progress, Ctrl-C in two steps, the best parameters at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scipy.optimize import OptimizeResult

from janusopt.commands.interrupt import Interrupt
from janusopt.commands.recorded import DOORS
from janusopt.commands.watch import Watch
from janusopt.core.arrays import Vec
from janusopt.errors import InputError
from janusopt.journal import Journal
from janusopt.loop import CALLBACK_STOPPED
from janusopt.progress import display
from janusopt.report import counted
from janusopt.simulator.parameters import Parameters

_INTERRUPTED = 128  # plus the signal: the exit code, as shells have it
_SHOWN = 10  # rows of a front that are printed


class Run:
    """Drives a front door. ``stop`` ends at once what the objective has running; ``parameters``: names for x."""

    def __init__(
        self,
        fun: Callable[[Vec], Any],
        kind: str,
        *,
        workers: int,
        skip: bool,
        stop: Callable[[], None],
        parameters: Parameters | None = None,
    ) -> None:
        self._fun, self._kind, self._workers, self._skip = fun, kind, workers, skip
        self._stop, self._parameters = stop, parameters

    def __call__(self, arguments: dict[str, Any], journal: Journal | None, out: Path | None) -> int:
        """The exit code: 0 done, 130 stopped by Ctrl-C, 143 by SIGTERM."""
        shown = display(arguments["budget"])
        watch = Watch(self._fun, arguments["budget"], kind=self._kind, skip=self._skip, display=shown)

        def end() -> None:
            watch.ended = True
            self._stop()

        interrupt = Interrupt(lambda: shown.say("stopping after this generation; Ctrl-C again stops at once"), end)
        pool = ThreadPoolExecutor(self._workers) if self._workers > 1 else None

        def look(_: OptimizeResult) -> None:
            if interrupt.signal is not None:
                raise StopIteration

        result = None
        try:
            with interrupt:
                if journal is not None:
                    watch.recall(journal)
                extra = {"executor": pool, "on_error": watch.failed, "callback": look, "journal": journal}
                result = DOORS[self._kind](watch, **arguments | extra)
        except KeyboardInterrupt:
            pass
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)
            shown.close()
        if result is not None:
            self._tell(result, watch, out)
        if result is None or result.status == CALLBACK_STOPPED:
            _say_resumable(journal)
            return _INTERRUPTED + (interrupt.signal or 0)
        return 0

    def _tell(self, result: OptimizeResult, watch: Watch, out: Path | None) -> None:
        ended = "stopped after a generation" if result.status == CALLBACK_STOPPED else result.message
        print(f"{ended}; {result.nfev} evaluations, failures {counted(watch.failures)}")
        best = self._front(result) if self._kind == "objectives" else self._best(result)
        if out is not None:
            try:
                out.write_text(json.dumps(best, indent=2) + "\n", encoding="utf-8")
            except OSError as error:
                raise InputError(f"{out} cannot be written: {error}") from error
            print(f"written to {out}")

    def _best(self, result: OptimizeResult) -> dict[str, Any]:
        if result.x is None:
            return {"f": None, "evaluations": result.nfev}
        named = self._named(result.x)
        print(f"best f = {result.fun!r}")
        for name, value in named.items():
            print(f"  {name} = {value!r}")
        return {"f": result.fun, "parameters": named, "evaluations": result.nfev}

    def _front(self, result: OptimizeResult) -> dict[str, Any]:
        rows = [
            {"objectives": F.tolist(), "parameters": self._named(x)} for x, F in zip(result.X, result.F, strict=True)
        ]
        print(f"{len(rows)} non-dominated rows" + (f", {_SHOWN} of them:" if len(rows) > _SHOWN else ":"))
        for row in rows[:: max(1, -(-len(rows) // _SHOWN))]:
            values = ", ".join(f"{name} = {value:.6g}" for name, value in row["parameters"].items())
            print(f"  ({', '.join(f'{value:.6g}' for value in row['objectives'])})  at {values}")
        return {"front": rows, "evaluations": result.nfev}

    def _named(self, x: Vec) -> dict[str, float | int]:
        if self._parameters is not None:
            return self._parameters.values(x)
        return {f"x_{i}": value for i, value in enumerate(x.tolist())}


def _say_resumable(journal: Journal | None) -> None:
    if journal is None:
        print("stopped; there is no journal, so this run cannot go on: use --journal next time", file=sys.stderr)
    else:
        print(
            f"stopped; what finished is in {journal.path.name}. To go on: janusopt resume {journal.path}",
            file=sys.stderr,
        )
