"""A curve in a terminal."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.commands.sketch import sketch


@pytest.mark.parametrize(
    "values",
    [[3.0, 3.0], [5.0, -5.0], [1e300, 1e-300], [1.7e308, -1.7e308], [1.0, 5e-324], [2.0, 1.0, 0.0]],
)
def test_every_curve_fits_its_frame_and_falls_from_left_to_right(values):
    lines = list(sketch(np.arange(1.0, len(values) + 1.0), np.array(values)))
    bars = [line.split("┤")[1] for line in lines[:-2]]
    assert {len(bar) for bar in bars} == {60}
    filled = [sum(" ▁▂▃▄▅▆▇█".index(bar[column]) for bar in bars) for column in range(60)]
    assert filled == sorted(filled, reverse=True)
    assert min(filled) >= 1
    assert f"{max(values):.3g}" in lines[0]


def test_wide_positive_values_are_drawn_by_their_logarithms():
    at = np.arange(1.0, 62.0)
    lines = list(sketch(at, 10.0 ** -np.linspace(0, 6, 61)))
    assert "log" in lines[-2]
    assert lines[-1].split() == ["1", "61", "evaluations"]


def test_one_value_is_no_curve():
    assert list(sketch(np.ones(1), np.ones(1))) == []
