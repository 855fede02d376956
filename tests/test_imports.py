"""What importing janusopt costs and loads, and what core may know."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

CORE = sorted((Path(__file__).parents[1] / "src" / "janusopt" / "core").glob("*.py"))
OPTIONAL = (
    "pymoo",
    "optuna",
    "cmaes",
    "nevergrad",
    "matplotlib",
    "rich",
    "ioh",
    "moocore",
    "pandas",
    "numba",
    "plotly",
    "pytest",
    "pyarrow",
    "duckdb",
    "nlopt",
    "dask",
    "distributed",
)


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_no_optional_package():
    loaded = _python("import sys, janusopt; print(*sorted({name.split('.')[0] for name in sys.modules}))").split()
    assert not set(loaded) & set(OPTIONAL)


def test_import_takes_less_than_half_a_second():
    """The best of a few: a busy machine only ever adds time. numpy, scipy and cma are included."""
    code = "from time import perf_counter as t; s = t(); import janusopt; print(t() - s)"
    assert min(float(_python(code)) for _ in range(5)) < 0.5


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_core_knows_only_numpy_scipy_and_itself(path):
    allowed = set(sys.stdlib_module_names) | {"numpy", "scipy"}
    ours = ("janusopt.core", "janusopt.config", "janusopt.errors")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else names
        for name in names:
            assert name.split(".")[0] in allowed or name.startswith(ours), f"{path.name} imports {name}"
