"""The hyperparameter table."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from janusopt.config import JanusConfig
from janusopt.errors import InputError


def test_the_papers_preset_is_the_papers_table():
    config = JanusConfig.paper(30)
    assert (config.window, config.ridge, config.kappa, config.step, config.damping) == (300, 1e-3, 1.0, 1.0, 1.0)
    assert (config.w_base, config.w_min, config.w_max) == (0.5, 0.02, 0.6)
    assert (config.chart, config.anchor, config.weight_rule, config.lbfgs) == ("quadratic", "best", "dimension", False)
    assert (config.trust_region, config.relevance) == (False, False)


@pytest.mark.parametrize(("d", "scalar", "cadence"), [(30, True, 50), (100, True, 50), (101, True, 5), (30, False, 5)])
def test_the_papers_cadence_is_fifty_for_scalar_objectives_up_to_a_hundred_variables(d, scalar, cadence):
    assert JanusConfig.paper(d, scalar=scalar).refit_every == cadence
    assert JanusConfig.paper(d, scalar=scalar).chart == ("quadratic" if scalar else "components")


def test_a_copy_with_changes_leaves_the_original_alone_and_is_checked_again():
    config = JanusConfig()
    other = config.replace(window=50, chart="linear")
    assert (other.window, other.chart) == (50, "linear")
    assert config == JanusConfig()
    with pytest.raises(InputError, match="window must be a whole number of at least"):
        config.replace(window=2)
    with pytest.raises(InputError, match=r"unknown setting 'windo'; the settings are: .*window"):
        config.replace(windo=50)


def test_it_is_frozen_and_pickles():
    config = JanusConfig(kappa=2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.kappa = 3.0
    assert pickle.loads(pickle.dumps(config)) == config


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"chart": "cubic"}, "chart must be one of .*'newton'.* got 'cubic'"),
        ({"component_scale": "log"}, "component_scale must be one of .* got 'log'"),
        ({"cmix": "on"}, "cmix must be one of .* got 'on'"),
        ({"weight_rule": "x"}, "weight_rule must be one of"),
        ({"anchor": "worst"}, "anchor must be one of 'mean', 'best', got 'worst'"),
        ({"aspiration": "sky"}, "aspiration must be one of"),
        ({"window": 9}, "window must be a whole number of at least 10, got 9"),
        ({"window": 20.0}, "window must be a whole number"),
        ({"refit_every": 0}, "refit_every must be a whole number of at least 1 or 'auto', got 0"),
        ({"mix_every": True}, "mix_every must be a whole number"),
        ({"ridge": 0.0}, "ridge must be positive and finite, got 0.0"),
        ({"kappa": float("inf")}, "kappa must be positive and finite, got inf"),
        ({"step": float("nan")}, "step must be positive and finite, got nan"),
        ({"mix_damping": "a"}, "mix_damping must be positive and finite, got 'a'"),
        ({"damping": -1.0}, "damping must be positive or 'auto', got -1.0"),
        ({"damping": "big"}, "damping must be positive or 'auto', got 'big'"),
        ({"w_min": 0.7}, "w_min=0.7"),
        ({"w_base": 1.5}, "w_base=1.5"),
        ({"trim": 0.95}, "trim=0.95"),
        ({"recency": -1.0}, "recency=-1.0"),
        ({"curvature": -1.0}, "curvature=-1.0"),
        ({"fraction": 1.5}, r"fraction must lie in \[0, 1\], got 1.5"),
    ],
)
def test_a_bad_setting_is_refused_with_what_was_expected_and_what_came(change, says):
    with pytest.raises(InputError, match=says):
        JanusConfig(**change)
