"""The record of one run in one SQLite file: what shapes the run, and every evaluated row.

Rows are written in transactions, in write-ahead mode: a killed process loses nothing that was committed, and a reader
may look on. Every row carries a checksum. Nothing is ever unpickled, and a file with tables, views or triggers that are
not ours is refused: a journal from a stranger cannot run code.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any

from janusopt.entry import COLUMNS, ROWS_A_GENERATION, Entry, read
from janusopt.errors import JournalError, JournalWarning
from janusopt.lock import Lock

APPLICATION = 0x4A414E55  # "JANU"
FORMAT = 2
_EVERY = 0.05  # seconds: how much finished work may wait for a commit, or for the disk
_PAGE = 16384  # bytes: holds a row of 500 variables without an overflow page
_SCHEMA = (
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB, digest BLOB)",
    "CREATE TABLE evaluations (id INTEGER PRIMARY KEY, generation INTEGER, row INTEGER, failed INTEGER, seconds REAL, "
    "source BLOB, reason BLOB, x BLOB, f BLOB, wide BLOB, constraints BLOB, digest BLOB)",
)
_OBJECTS = {("table", "settings"), ("table", "evaluations"), ("index", "sqlite_autoindex_settings_1")}
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM evaluations WHERE id > ? AND id < ? ORDER BY id"
_END = 2**63 - 1


class Journal:
    """Opened for writing by one process at a time; an open one may be passed in place of its path.

    ``settings``: what shapes the run, None until :meth:`begin`. ``call``: how a command started it, None if none did.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        self._lock = Lock(self.path.with_name(self.path.name + ".lock"))
        self._pending: list[Entry] = []
        self.call: dict[str, Any] | None = None
        self._committed = self._synced = time.monotonic()
        self.last = -1
        try:
            _finish_repair(self.path)
            self._connection = connect(self.path)
            self.settings = self._read()
        except (sqlite3.Error, OSError) as error:
            self._close()
            raise JournalError(
                f"{self.path} cannot be read as a journal: {error}; nothing in it was changed"
            ) from error
        except BaseException:
            self._close()
            raise

    def __fspath__(self) -> str:
        return str(self.path)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if error is None:
                self.commit()
        finally:
            self._close()

    def _close(self) -> None:
        with suppress(sqlite3.Error, AttributeError):
            self._connection.close()
        self._lock.release()

    def begin(self, settings: dict[str, Any]) -> None:
        """Record what shapes the run; called only on a new journal."""
        self._write(lambda: create(self._connection, settings, self.call))
        self.settings = settings

    def extend(self, settings: dict[str, Any]) -> None:
        """The same run with a larger budget."""
        self._write(lambda: store(self._connection, "run", settings))
        self.settings = settings

    def remember(self, call: dict[str, Any]) -> None:
        """Record how the run is started, so that the file alone is enough to resume it; a later call may differ."""
        self.call = call
        if self.settings is not None:
            self._write(lambda: store(self._connection, "call", call))

    def recorded(self, generation: int) -> dict[int, Entry]:
        """The rows of one generation that are known, by row."""
        if generation > self.last:
            return {}
        first = generation * ROWS_A_GENERATION
        try:
            entries = [
                read(cells) for cells in self._connection.execute(_SELECT, (first - 1, first + ROWS_A_GENERATION))
            ]
        except sqlite3.Error as error:
            raise JournalError(
                f"{self.path} was damaged while it was open: {error}; start again to repair it"
            ) from error
        return {entry.row: entry for entry in entries if entry is not None}

    def append(self, entry: Entry) -> None:
        """A finished row: kept until the next commit, which comes by itself when the last is 50 ms ago."""
        self._pending.append(entry)
        if time.monotonic() - self._committed >= _EVERY:
            self.commit()

    def commit(self) -> None:
        """Write what is pending; wait for the disk where that was not done for 50 ms."""
        if not self._pending:
            self._committed = time.monotonic()
            return
        sync = time.monotonic() - self._synced >= _EVERY
        self._write(lambda: self._insert("FULL" if sync else "NORMAL"))
        self._pending.clear()
        self._committed = time.monotonic()
        if sync:
            self._synced = self._committed

    def forget(self, generation: int) -> None:
        """Drop the rows of this generation and all later ones."""
        self._write(
            lambda: self._connection.execute("DELETE FROM evaluations WHERE id >= ?", (generation * ROWS_A_GENERATION,))
        )
        self.last = generation - 1

    def _insert(self, synchronous: str) -> None:
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")
        insert(self._connection, self._pending)

    def _write(self, action: Any) -> None:
        try:
            action()
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise JournalError(
                f"writing {self.path} failed: {error}; what was committed before is safe: make room or fix the disk "
                "and run again with this journal to go on from there"
            ) from error

    def _read(self) -> dict[str, Any] | None:
        """Check everything once, repairing a damaged file; the settings, None in a new journal."""
        if not ours(self._connection, self.path):
            return None
        settings = read_settings(self._connection, self.path)
        self.call = stored(self._connection).get("call")
        sound = _sound(self._connection)
        kept = dropped = 0
        for entry in scan(self._connection):
            kept, dropped = kept + (entry is not None), dropped + (entry is None)
            self.last = self.last if entry is None else entry.generation
        if not sound or dropped:
            aside = self._repair(settings)
            warnings.warn(
                f"{self.path} was damaged: {kept} evaluations are intact and kept; what else it held ({dropped} "
                f"unreadable places) was dropped and will be evaluated again; the damaged file is kept as {aside}",
                JournalWarning,
                stacklevel=6,
            )
        return settings

    def _repair(self, settings: dict[str, Any]) -> Path:
        fresh = _beside(self.path, ".repaired")
        fresh.unlink(missing_ok=True)
        with closing(connect(fresh)) as connection:
            create(connection, settings, self.call)
            insert(connection, (entry for entry in scan(self._connection) if entry is not None))
        with suppress(sqlite3.Error):
            self._connection.close()
        number = 1
        while (aside := _beside(self.path, f".damaged-{number}")).exists():
            number += 1
        self.path.rename(aside)
        if _beside(self.path, "-wal").exists():
            _beside(self.path, "-wal").rename(_beside(aside, "-wal"))
        _finish_repair(self.path)
        self._connection = connect(self.path)
        return aside


def connect(path: Path, *, readonly: bool = False) -> sqlite3.Connection:
    """Autocommit, bytes for text, no trust in what the file's schema says."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode={'ro' if readonly else 'rwc'}", uri=True, isolation_level=None)
    try:
        connection.text_factory = bytes
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def ours(connection: sqlite3.Connection, path: Path) -> bool:
    """False for a file with nothing in it; a JournalError for one that is something else."""
    objects = {
        (kind.decode(), name.decode()) for kind, name in connection.execute("SELECT type, name FROM sqlite_master")
    }
    ((application,),) = connection.execute("PRAGMA application_id")
    ((form,),) = connection.execute("PRAGMA user_version")
    if not objects and not application:
        return False
    if objects != _OBJECTS or application != APPLICATION:
        raise JournalError(f"{path} is no journal of janusopt, or its head is damaged; nothing in it was changed")
    if form != FORMAT:
        raise JournalError(f"{path} has journal format {form}, this version of janusopt reads {FORMAT}")
    return True


def create(connection: sqlite3.Connection, settings: dict[str, Any], call: dict[str, Any] | None) -> None:
    """Tables and settings of a new journal, all or nothing."""
    connection.execute(f"PRAGMA page_size = {_PAGE}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA:
        connection.execute(statement)
    store(connection, "run", settings)
    if call is not None:
        store(connection, "call", call)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def store(connection: sqlite3.Connection, name: str, value: dict[str, Any]) -> None:
    """One named setting, in place of an earlier one."""
    text = json.dumps(value).encode()
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?, ?)", (name, text, _digest(text)))


def stored(connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """The settings that are intact, by name."""
    try:
        rows = connection.execute("SELECT name, value, digest FROM settings NOT INDEXED").fetchall()
    except sqlite3.Error:
        rows = []
    found = {}
    for name, text, digest in rows:
        if isinstance(name, bytes) and isinstance(text, bytes) and _digest(text) == digest:
            with suppress(ValueError, RecursionError):
                value = json.loads(text)
                if isinstance(value, dict):
                    found[name.decode(errors="replace")] = value
    return found


def insert(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """One transaction."""
    connection.execute("BEGIN IMMEDIATE")
    marks = ", ".join("?" * len(COLUMNS))
    connection.executemany(f"INSERT OR REPLACE INTO evaluations VALUES ({marks})", (entry.cells() for entry in entries))
    connection.execute("COMMIT")


def read_settings(connection: sqlite3.Connection, path: Path) -> dict[str, Any]:
    """What shaped the run, or a JournalError where that is damaged."""
    settings = stored(connection).get("run")
    if settings is None:
        raise JournalError(f"the settings in {path} are damaged, so it cannot be continued; nothing in it was changed")
    return settings


def scan(connection: sqlite3.Connection) -> Iterator[Entry | None]:
    """Every row in order of evaluation, None for one that cannot be read; goes on behind pages that are damaged."""
    last, skip = -1, 1
    while last < _END - 1:
        try:
            for cells in connection.execute(_SELECT, (last, _END)):
                if isinstance(cells[0], int) and cells[0] > last:
                    last, skip = cells[0], 1
                yield read(cells)
            return
        except sqlite3.Error:
            last, skip = min(last + skip, _END - 1), 2 * skip
            yield None


def _sound(connection: sqlite3.Connection) -> bool:
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchall() == [(b"ok",)])
    except sqlite3.Error:
        return False


def _finish_repair(path: Path) -> None:
    """Put the repaired file in place; also after a kill in the midst of that."""
    fresh = _beside(path, ".repaired")
    if not path.exists() and fresh.exists():
        for suffix in ("-wal", "-shm"):
            _beside(path, suffix).unlink(missing_ok=True)
        fresh.rename(path)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
