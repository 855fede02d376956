"""The duel pairs its seeds and says who lost."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.bench import duel
from janusopt.errors import InputError


def test_a_small_duel_prints_ratios_and_a_verdict(capsys):
    options = ["--dims", "2", "--functions", "1,8", "--seeds", "0:2", "--budget", "120", "--workers", "1"]
    code = duel.main([*options, "--methods", "cma,janus window=60"])
    printed = capsys.readouterr().out
    assert code == 0
    assert "f1   cma" in printed
    assert "f8   cma" in printed
    assert "janus window=60: geometric-mean ratio to cma" in printed


def test_a_method_that_always_loses_is_called_a_loss():
    errors = {"cma": {f: np.ones(12) for f in ("f1", "f2")}}
    errors["bad"] = {f: 2.0 * v + 0.01 * np.arange(12) for f, v in errors["cma"].items()}
    assert not duel.verdicts(errors)
    assert duel.verdicts({"bad": errors["bad"], "cma": errors["cma"]})


def test_seeds_that_are_no_span_are_refused():
    with pytest.raises(InputError, match="FIRST:LAST"):
        duel.main(["--seeds", "7"])
