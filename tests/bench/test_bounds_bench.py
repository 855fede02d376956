"""The bounds bench: its optima are optima, and a small run holds."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench import bounds


@pytest.mark.parametrize("share", [1 / 3, 1.0])
def test_no_point_of_the_box_is_below_the_stated_least_value(share):
    X = np.random.default_rng(0).uniform(-1, 1, (2000, 6))
    corners = np.sign(X)
    for fun, least in bounds.problems(6, share).values():
        assert min(fun(X).min(), fun(corners).min()) >= least - 1e-9


def test_a_small_run_has_no_loss(capsys):
    assert bounds.main(["--seeds", "2", "--dims", "6", "--hosts", "sep-cma"]) == 0
    assert "6 cases, 0 significant losses" in capsys.readouterr().out
