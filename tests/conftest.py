"""What every test starts from."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from janusopt.threads import NAMES

settings.register_profile("house", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))


@pytest.fixture(autouse=True)
def _apart(tmp_path, monkeypatch):
    """Nothing a test writes by a relative name lands in the repository; programs that a test starts use one thread."""
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        monkeypatch.setenv(name, "1")
