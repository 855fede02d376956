"""One owner for a file: a lock that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from janusopt.errors import JournalError


class Lock:
    """Held from its making to :meth:`release`; a second one on the same path raises a JournalError.

    A POSIX record lock, because a forked worker does not inherit it: a killed run is not kept locked by its orphans.
    Such a lock does not stop its own process, which is why the paths held here are remembered too. The side file stays
    behind (removing it would race) and names the owner.
    """

    _held: ClassVar[set[Path]] = set()

    def __init__(self, path: Path) -> None:
        self._path = path
        if path in self._held:
            raise JournalError(f"{_subject(path)} is already in use by this process; wait for that run to end")
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise JournalError(
                f"{_subject(path)} cannot be locked: {error}; is the folder there and writable?"
            ) from error
        try:
            _take(self._handle)
        except OSError:
            owner = os.pread(self._handle, 32, 0).decode("ascii", "replace").strip() if hasattr(os, "pread") else "?"
            os.close(self._handle)
            raise JournalError(
                f"{_subject(path)} is in use by another process (pid {owner or 'unknown'}); wait for it to end, or "
                "give this run a journal of its own"
            ) from None
        self._held.add(path)
        with suppress(OSError):  # a full disk: the lock holds all the same
            os.truncate(self._handle, 0)
            os.write(self._handle, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let others have it; a second call does nothing."""
        if self._path in self._held:
            self._held.discard(self._path)
            os.close(self._handle)


def _subject(path: Path) -> str:
    return f"the journal {str(path).removesuffix('.lock')}"


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _take(handle: int) -> None:
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
