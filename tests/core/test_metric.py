"""T as its few special directions, against T as a matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, orthonormal, seeds, spread
from janusopt.core.metric import Metric


@st.composite
def metrics(draw):
    d = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(seeds))
    k = draw(st.integers(0, d))
    return Metric(orthonormal(rng, d, k), spread(rng, k, 6), float(spread(rng, 1, 6)[0]))


def dense(metric):
    return reference.normal_matrix(metric.values, metric.V.T, metric.rest)


@given(metrics())
def test_trace_and_diagonal_are_those_of_the_matrix(metric):
    close(metric.trace, np.trace(dense(metric)))
    close(metric.diagonal(), np.diag(dense(metric)))


@given(metrics(), st.floats(0.0, 1.0))
def test_a_blend_without_limits_is_eq_3_on_the_identity(metric, weight):
    close(dense(metric.blended(weight, 0.0, np.inf)), reference.mix(np.eye(metric.d), dense(metric), weight))


@given(metrics(), st.floats(0.0, 1.0))
def test_a_blend_changes_no_variance_by_more_than_its_limits(metric, weight):
    values = np.linalg.eigvalsh(dense(metric.blended(weight, 0.2, 5.0)))
    assert values.min() >= 0.2 - 1e-9
    assert values.max() <= 5.0 + 1e-9


def test_no_weight_is_the_identity():
    blend = Metric(np.eye(3, 1), np.array([9.0]), 1.0).blended(0.0, 0.2, 5.0)
    close(dense(blend), np.eye(3))
