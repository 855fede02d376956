"""The Optuna bench: optima are optima, and a small run tells the samplers apart."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench import optuna as bench


@pytest.mark.parametrize("fun", [*bench.SMOOTH, *bench.RUGGED], ids=lambda fun: fun.__name__)
def test_the_optimum_is_at_zero_with_value_zero(fun):
    assert fun(np.zeros(5)) == pytest.approx(0.0, abs=1e-12)
    assert min(fun(y) for y in np.random.default_rng(0).uniform(-3.0, 3.0, (200, 5))) > 0.0


def test_a_small_run_prints_a_line_a_case(capsys):
    assert bench.main(["--seeds", "1", "--dims", "3", "--trials", "10", "--functions", "sphere,ackley"]) == 0
    assert "2 cases: 0 wins, 2 even, 0 losses" in capsys.readouterr().out
