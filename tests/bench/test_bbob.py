"""The BBOB duel runs, pairs its seeds and says who lost."""

from __future__ import annotations

import pytest

from janusopt.bench import bbob
from janusopt.errors import InputError


def test_a_small_duel_prints_ratios_and_a_verdict(capsys):
    code = bbob.main(["--dims", "2", "--functions", "1,8", "--seeds", "0:2", "--budget", "120", "--workers", "1"])
    printed = capsys.readouterr().out
    assert code == 0
    assert "f1 " in printed
    assert "f8 " in printed
    assert "janus: geometric-mean ratio to the host" in printed


def test_the_same_run_gives_the_same_error():
    run = bbob.Run(function=8, d=4, instance=1, seed=3, host="cma", infill="janus", budget=200)
    assert bbob.final_error(run) == bbob.final_error(run)


def test_an_infill_that_always_loses_is_called_a_loss():
    host = {f: [1.0] * 12 for f in (1, 2)}
    errors = {"none": {f: bbob.np.array(v) for f, v in host.items()}}
    errors["bad"] = {f: 2.0 * v + 0.01 * bbob.np.arange(12) for f, v in errors["none"].items()}
    assert not bbob._verdicts(errors, ["bad"])
    assert bbob._verdicts(errors, ["none"])


def test_seeds_that_are_no_span_are_refused():
    with pytest.raises(InputError, match="FIRST:LAST"):
        bbob.main(["--seeds", "7"])
