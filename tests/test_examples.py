"""Every script in examples/ runs as a user would run it, warnings as errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_prints_a_result(script, tmp_path):
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_is_short(script):
    assert len(script.read_text(encoding="utf-8").splitlines()) < 60


def test_there_are_six_examples():
    assert len(EXAMPLES) >= 6
