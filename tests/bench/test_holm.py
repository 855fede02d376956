"""Holm's correction by hand."""

from __future__ import annotations

import pytest

from janusopt.bench.holm import holm


def test_holm_multiplies_by_the_tests_not_yet_rejected_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.5]) == pytest.approx([1.0, 1.0])
