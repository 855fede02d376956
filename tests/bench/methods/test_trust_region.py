"""The peers for residuals solve a small fit, read roots of components, and refuse what has neither."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench.job import Job, execute
from janusopt.bench.methods import find
from janusopt.bench.methods.trust_region import scipy_lsq
from janusopt.bench.problem import Problem
from janusopt.bench.task import Run, Task
from janusopt.errors import InputError

_BOX = np.full(2, -1.0), np.full(2, 1.0)


@pytest.mark.parametrize("method", ["scipy-lsq", "dfo-ls"])
def test_a_peer_solves_bard_within_its_evaluations(method):
    if method == "dfo-ls":
        pytest.importorskip("dfols")
    record = execute(Job(Run(Task("lsq", "bard", 3, 1), method, 1, 400), find(method), target=1e-9))
    assert record.status == "ok", record.error
    assert record.evaluations <= 400
    assert abs(record.final) < 1e-7


def test_components_are_read_as_squares():
    seen = []

    class Enough(Exception):
        pass

    def fun(X):
        seen.append(X[0])
        if len(seen) > 60:
            raise Enough
        squares = (X - [0.3, -0.2]) ** 2
        return squares.sum(axis=1), squares

    with pytest.raises(Enough):
        scipy_lsq(Problem(*_BOX, fun), 1, 60, np.array([0.9, 0.9]))
    assert min(np.abs(x - [0.3, -0.2]).max() for x in seen) < 1e-6


def test_a_problem_without_parts_is_refused():
    plain = Problem(*_BOX, lambda X: X.sum(axis=1))
    with pytest.raises(InputError, match="one value only"):
        scipy_lsq(plain, 1, 10, np.zeros(2))
