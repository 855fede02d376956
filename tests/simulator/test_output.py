"""What a simulator wrote, read."""

from __future__ import annotations

import math

import pytest

from janusopt.simulator.output import read_output


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("1.5", "scalar", 1.5),
        ("  2\n", "scalar", 2.0),
        ("1.", "scalar", 1.0),
        ("-inf", "scalar", -math.inf),
        ('{"f": 3, "time": 9}', "scalar", 3.0),
        ('{"f": 3, "components": [1, 5]}', "scalar", (3.0, [1.0, 5.0])),
        ('{"f": 1' + 400 * "0" + "}", "scalar", math.inf),
        ('{"residuals": [1, -2]}', "residuals", [1.0, -2.0]),
        ("[1, -2]", "residuals", [1.0, -2.0]),
        ('{"objectives": [1, 2]}', "objectives", [1.0, 2.0]),
        ('{"objectives": [1, 2], "constraints": [0]}', "objectives", ([1.0, 2.0], [0.0])),
    ],
)
def test_it_becomes_the_value_that_a_front_door_expects(text, kind, value):
    assert read_output(text, kind) == value


def test_nan_is_a_number_here():
    assert math.isnan(read_output("nan", "scalar"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "scalar"),
        ("done", "scalar"),
        ("[1, 2]", "scalar"),
        ("true", "scalar"),
        ('{"g": 1}', "scalar"),
        ('{"f": null}', "scalar"),
        ('{"f": 1, "components": []}', "scalar"),
        ("1.5", "residuals"),
        ('{"objectives": "many"}', "objectives"),
        ('{"objectives": [1, "2"]}', "objectives"),
    ],
)
def test_what_is_no_value_is_told(text, kind):
    with pytest.raises(ValueError, match="expected"):
        read_output(text, kind)
