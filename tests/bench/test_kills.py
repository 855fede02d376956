"""kill -9 and resume, for every host; the long form is ``python -m janusopt.bench.kills``."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from janusopt.bench import kills


def test_every_host_killed_a_few_times_ends_as_if_unbroken():
    done = subprocess.run(
        [sys.executable, "-m", "janusopt.bench.kills", "--kills", "4"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[:3] for line in done.stdout.splitlines()] == [[host, "4", "kills"] for host in kills.HOSTS]


@pytest.mark.parametrize("change", ["UPDATE evaluations SET failed = 1 WHERE row = 3", "DELETE FROM evaluations"])
def test_a_difference_would_be_found(change, tmp_path, monkeypatch):
    def tampering(host, seed, journal, most, rng):
        kills.run(host, seed, journal)
        with sqlite3.connect(journal) as connection:
            connection.execute(change)
        connection.close()
        return most

    monkeypatch.setattr(kills, "_BUDGET", 60)
    monkeypatch.setattr(kills, "_killed", tampering)
    assert "DIFFERENT" in str(kills.judge("de", 2, tmp_path, np.random.default_rng(0)))
