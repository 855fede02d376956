"""A journal damaged in any way: our error or a repair, and never a row that was not written."""

from __future__ import annotations

import sqlite3
import warnings
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import janusopt
from janusopt.errors import JournalError, JournalWarning
from janusopt.journal import Journal, connect, scan
from janusopt.report import Report


def crashing(x):
    if x[0] > 2.0:
        raise RuntimeError("crashed")
    return float(((x - 1.0) ** 2).mean()), (x - 1.0) ** 2


def _key(entry):
    parts = (entry.x, entry.wide, entry.constraints)
    head = (entry.generation, entry.row, repr(entry.f), entry.failed, entry.source, repr(entry.seconds), entry.reason)
    return (*head, *(part.tobytes() for part in parts))


@cache
def _intact():
    """The files of a run as a kill after 90 rows leaves them (rows in both), and as its end does; all rows by id."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        killed = {}

        def look(progress):
            if progress.nfev == 45:
                with sqlite3.connect(path) as connection:
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                connection.close()
            if progress.nfev == 90:
                killed.update({suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")})

        janusopt.minimize(
            crashing, bounds=[(-5.0, 5.0)] * 3, budget=150, popsize=15, rng=1, on_error="skip",
            journal=path, callback=look,
        )  # fmt: skip
        with closing(connect(path, readonly=True)) as connection:
            whole = {entry.id: _key(entry) for entry in scan(connection)}
        return (killed, {"": path.read_bytes()}), whole


@st.composite
def damage(draw):
    """A few wounds: (which file, what is done to it, where as a share of it, seed)."""
    kinds = st.sampled_from(["flip", "burst", "truncate", "zero", "swap", "append"])
    wound = st.tuples(st.sampled_from(["", "-wal"]), kinds, st.floats(0, 1, exclude_max=True), st.integers(0, 2**32))
    return draw(st.lists(wound, min_size=1, max_size=4))


def _hurt(content, kind, share, seed):
    rng = np.random.default_rng(seed)
    data = bytearray(content)
    at = int(share * len(data))
    if kind == "flip":
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == "burst":
        end = min(at + int(rng.integers(1, 400)), len(data))
        data[at:end] = rng.bytes(end - at)
    elif kind == "truncate":
        del data[at:]
    elif kind == "zero":
        end = min(at + int(rng.integers(1, 20_000)), len(data))
        data[at:end] = bytes(end - at)
    elif kind == "swap":
        first, second = (int(k) * 16_384 for k in rng.integers(0, max(len(data) // 16_384, 1), 2))
        data[first : first + 16_384], data[second : second + 16_384] = (
            data[second : second + 16_384],
            data[first : first + 16_384],
        )
    else:
        data += rng.bytes(int(rng.integers(1, 20_000)))
    return bytes(data)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), damage())
def test_a_damaged_journal_gives_our_error_or_rows_that_were_written(finished, wounds):
    files, whole = _intact()[0][finished], _intact()[1]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        hurt = dict(files)
        for suffix, kind, share, seed in wounds:
            if hurt.get(suffix):
                hurt[suffix] = _hurt(hurt[suffix], kind, share, seed)
        for suffix, content in hurt.items():
            Path(f"{path}{suffix}").write_bytes(content)
        try:
            found = Report(path).entries
            assert all(whole.get(entry.id) == _key(entry) for entry in found)
        except JournalError:
            pass
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", JournalWarning)
                with Journal(path):
                    pass
        except JournalError:
            return
        with closing(connect(path.resolve(), readonly=True)) as connection:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                found = list(scan(connection))
                assert None not in found
                assert all(whole.get(entry.id) == _key(entry) for entry in found)
