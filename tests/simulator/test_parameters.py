"""What space.toml says, and what the program gets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janusopt.errors import InputError
from janusopt.simulator.parameters import Parameter, Parameters

SPACE = """
[parameters.mass]
low = 1.0
high = 1000.0
log = true
x0 = 10.0

[parameters.angle]
low = -2
high = 2
sigma = 0.1

[parameters.blades]
low = 2
high = 5
integer = true
"""


def _read(text):
    Path("space.toml").write_text(text)
    return Parameters.read(Path("space.toml"))


def test_a_space_is_read_in_its_order_with_its_scales():
    space = _read(SPACE)
    assert space.names == ["mass", "angle", "blades"]
    assert space.integers == ["blades"]
    np.testing.assert_allclose(space.bounds, [(0.0, 3.0), (-2.0, 2.0), (1.5, 5.5)])
    np.testing.assert_allclose(space.x0, [1.0, 0.0, 3.5])
    np.testing.assert_allclose(space.sigma0, [0.6, 0.1, 0.8])


def test_without_any_x0_the_start_is_left_to_the_front_door():
    assert _read("[parameters.a]\nlow = 0\nhigh = 1").x0 is None


def test_a_space_comes_back_from_a_journal_as_it_was():
    space = _read(SPACE)
    assert Parameters.from_plain(space.plain()) == space


@given(st.floats(-300, 300), st.floats(1e-3, 300), st.booleans(), st.floats(0, 1))
def test_every_point_of_the_box_is_a_value_inside_the_bounds(start, width, log, share):
    low, high = (10.0 ** (start / 2), 10.0 ** ((start + width) / 2)) if log else (start, start + width)
    if not low < high:
        return
    parameter = Parameter("p", low, high, log=log)
    first, last = parameter.box
    assert low <= parameter.value(first + share * (last - first)) <= high


def test_every_whole_number_has_an_equal_share():
    parameter = Parameter("n", 2, 5, integer=True)
    values = [parameter.value(c) for c in np.linspace(*parameter.box, 4001)]
    assert {type(value) for value in values} == {int}
    counts = [values.count(n) for n in (2, 3, 4, 5)]
    assert max(counts) - min(counts) <= 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there are no parameters"),
        ("[parameters]\na = 3", "expected a table with low and high"),
        ("[parameters.a]\nlow = 0", "high is missing"),
        ("[parameters.a]\nlow = 0\nhigh = 0", "low must be below high"),
        ("[parameters.a]\nlow = 0\nhigh = inf", "high must be a finite number"),
        ('[parameters.a]\nlow = "0"\nhigh = 1', "low must be a finite number"),
        ("[parameters.a]\nlow = 0\nhigh = 1\nlog = true", "low must be positive"),
        ("[parameters.a]\nlow = 0\nhigh = 1\nlog = 1", "log must be true or false"),
        ("[parameters.a]\nlow = 0.5\nhigh = 2\ninteger = true", "must be whole"),
        ("[parameters.a]\nlow = 0\nhigh = 1\nx0 = 2", "outside"),
        ("[parameters.a]\nlow = 0\nhigh = 1\nsigma = 0", "sigma must be positive"),
        ("[parameters.a]\nlow = 0\nhigh = 1\nlgo = true", "unknown key 'lgo'"),
        ("[parameter.a]\nlow = 0\nhigh = 1", "unknown key 'parameter'"),
        ("low =", "cannot be read as TOML"),
    ],
)
def test_a_wrong_space_is_told_in_words(text, told):
    with pytest.raises(InputError, match=told):
        _read(text)


def test_a_space_that_is_not_there_is_told():
    with pytest.raises(InputError, match="cannot be read"):
        Parameters.read(Path("absent.toml"))
