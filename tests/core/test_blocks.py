"""Blockwise mode against G with its cross terms struck out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from cases import close, dampings, orthonormal, seeds, spread
from janusopt.core.blocks import blockwise, read_groups
from janusopt.core.geometry import Geometry
from janusopt.errors import InputError


@st.composite
def partitioned(draw):
    d = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(seeds))
    r = draw(st.integers(0, d))
    geometry = Geometry(spread(rng, r, 4), orthonormal(rng, d, r).T, draw(st.sampled_from([0.0, 0.5])))
    owner = rng.integers(0, draw(st.integers(1, 4)), d)
    return geometry, [np.flatnonzero(owner == k) for k in np.unique(owner)], rng.standard_normal(d)


@given(partitioned())
def test_the_blocks_are_g_without_its_cross_terms(case):
    geometry, groups, _ = case
    G = reference.normal_matrix(geometry.curvature, geometry.Vt, geometry.rest)
    kept = blockwise(geometry, groups)
    close(reference.normal_matrix(kept.curvature, kept.Vt, kept.rest), reference.block_diagonal(G, groups), rtol=1e-8)
    np.testing.assert_allclose(kept.Vt @ kept.Vt.T, np.eye(kept.rank), atol=1e-8)


@given(partitioned(), dampings)
def test_the_damped_solve_is_one_dense_solve_a_block(case, damping):
    geometry, groups, slope = case
    G = reference.normal_matrix(geometry.curvature, geometry.Vt, geometry.rest)
    step = blockwise(geometry, groups).descend(slope, damping)
    for group in groups:
        block = G[np.ix_(group, group)] + damping * np.eye(len(group))
        close(step[group], -np.linalg.solve(block, slope[group]), rtol=1e-5)


def test_coordinates_that_no_group_names_are_groups_of_their_own():
    assert [group.tolist() for group in read_groups([[3, 1], []], 5)] == [[3, 1], [0], [2], [4]]


@pytest.mark.parametrize(
    ("groups", "says"),
    [([[0, 5]], "coordinates 0 to 3, got 0 to 5"), ([[-1]], "got -1 to -1"), ([[0, 1], [1, 2]], "named twice")],
)
def test_a_partition_that_is_none_is_refused(groups, says):
    with pytest.raises(InputError, match=says):
        read_groups(groups, 4)
