"""The documents tell the truth: links resolve, the README's example runs, METHOD.md names things that exist."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
METHOD = ROOT / "docs" / "METHOD.md"


def _names(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_names)
def test_every_link_inside_the_repository_resolves(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


def test_the_readme_fits_one_screen():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 60


def test_the_readme_example_runs_as_written(tmp_path):
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in example.splitlines() if line.strip()]) <= 12
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "with JANUS" in done.stdout


def test_every_file_that_method_names_has_the_function_it_names():
    """In METHOD.md ``core/geometry.py:Geometry.descend`` points to a file of the package and a name in it."""
    pointers = re.findall(r"`([\w/]+)\.py:([\w.]+)`", METHOD.read_text(encoding="utf-8"))
    assert pointers
    for path, name in pointers:
        thing = importlib.import_module("janusopt." + path.replace("/", "."))
        for part in name.split("."):
            assert hasattr(thing, part), f"{path}.py has no {name}"
            thing = getattr(thing, part)


@pytest.mark.parametrize("page", PAGES, ids=_names)
def test_every_python_file_that_a_page_names_exists(page):
    named = set(
        re.findall(
            r"`((?:src/janusopt/|core/|hosts/|bench/|tests/|examples/)[\w/]+\.py)", page.read_text(encoding="utf-8")
        )
    )
    missing = [name for name in named if not any((root / name).exists() for root in (ROOT, ROOT / "src" / "janusopt"))]
    assert not missing
