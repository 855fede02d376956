"""Run a simulator for one point: parameters out, a process, a value in.

Each evaluation has a fresh temporary folder, and a process group of its own that dies as a whole: on a timeout, and
when the run is stopped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from janusopt.core.arrays import Vec
from janusopt.errors import JanusError
from janusopt.simulator.output import read_output
from janusopt.simulator.parameters import Parameters
from janusopt.simulator.template import OUT, PARAMS, Template

_TAIL = 2000  # bytes of stderr that a message may quote
_LINES = 5


class ProgramError(JanusError):
    """One run of the program failed; the first line of the message is the reason, the program's last words follow."""

    def __init__(self, reason: str, folder: Path | None = None) -> None:
        words = "" if folder is None else _last_words(folder / "stderr")
        super().__init__(f"{reason}\n{words}" if words else reason)
        self.reason = reason


class Program:
    """The objective ``program(x)``; safe to call from several threads at once.

    kind: "scalar", "residuals" or "objectives", as :func:`~janusopt.simulator.output.read_output` reads them. timeout:
    seconds for one evaluation, None for no limit.
    """

    def __init__(self, command: str, parameters: Parameters, *, kind: str, timeout: float | None = None) -> None:
        self._template = Template(command, parameters.names)
        self._template.require_program()
        self._parameters, self._kind, self._timeout = parameters, kind, timeout
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __call__(self, x: Vec) -> Any:
        with TemporaryDirectory(prefix="janusopt-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            values = self._parameters.values(x)
            (folder / PARAMS).write_text(json.dumps(values), encoding="utf-8")
            words = self._template.words({**values, PARAMS: folder / PARAMS, OUT: folder / OUT})
            self._run(words, folder)
            return self._read(folder)

    def stop(self) -> None:
        """Kill every process that is running, and start no more; what they were asked for fails."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                if process.poll() is None:
                    _kill(process)

    def _run(self, words: list[str], folder: Path) -> None:
        with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
            process = self._started(words, out, err)
            try:
                code = process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                raise ProgramError(f"timeout after {self._timeout:g} s", folder) from None
            finally:
                with self._lock:
                    self._running.discard(process)
                    if process.poll() is None:
                        _kill(process)
                process.wait()
        if code:
            raise ProgramError(_ending(code), folder)

    def _started(self, words: list[str], out: Any, err: Any) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise ProgramError("stopped")
            try:
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
                )
            except OSError as error:
                raise ProgramError(f"the program did not start: {error.strerror}") from error
            self._running.add(process)
            return process

    def _read(self, folder: Path) -> Any:
        try:
            if OUT in self._template.places:
                return read_output((folder / OUT).read_text(encoding="utf-8"), self._kind)
            lines = (folder / "stdout").read_text(encoding="utf-8").split("\n")
            last = next((line for line in reversed(lines) if line.strip()), "")
            return read_output(last, self._kind)
        except FileNotFoundError:
            raise ProgramError(f"no {OUT} was written", folder) from None
        except ValueError as error:
            raise ProgramError(f"unreadable output: {error}", folder) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # pragma: no cover
            process.kill()


def _ending(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _last_words(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _TAIL, 0))
        text = file.read().decode("utf-8", "replace")
    return "\n".join(text.strip().splitlines()[-_LINES:])
