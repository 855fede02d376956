"""Pareto dominance (minimization) on rows of objective values, vectorized over pairs.

A row is covered where another is at least as good everywhere: that is the test for entering a front. It is dominated
where that row is better somewhere besides, so that equal rows do not exclude each other.
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Mask, Rows, Vec

_BLOCK = 256  # rows compared with each other at once


def covered(S: Rows, A: Rows) -> Mask:
    """(n,): rows of S (n, m) that some row of A (k, m) is at least as good as everywhere."""
    return np.asarray(_no_worse(S, A).any(axis=1))


def dominated(S: Rows, A: Rows) -> Mask:
    """(n,): rows of S (n, m) that some row of A (k, m) dominates (no worse everywhere, better somewhere)."""
    if len(A) == 0 or len(S) == 0:
        return np.zeros(len(S), dtype=bool)
    no_worse = _no_worse(S, A)
    better = np.zeros_like(no_worse)
    for j in range(S.shape[1]):
        better |= A[:, j] < S[:, j : j + 1]
    return np.asarray((no_worse & better).any(axis=1))


def nondominated(F: Rows) -> Mask:
    """(n,): rows of F (n, m) that no other row dominates; of equal rows all are kept, rows with NaN never are.

    More than a block are visited in lexicographic order, so that none can be dominated by a later one: memory stays
    O(block·n) and a block is compared with the survivors only.
    """
    if len(F) <= _BLOCK:
        return _undominated(F)
    keep = np.zeros(len(F), dtype=bool)
    order = np.lexsort(F.T[::-1])
    for start in range(0, len(order), _BLOCK):
        block = order[start : start + _BLOCK]
        block = block[~dominated(F[block], F[keep])]
        keep[block[_undominated(F[block])]] = True
    return keep


def sparsity(S: Rows, of: Index) -> Vec:
    """(k,): distance of the rows of S (n, m) in ``of`` (k,) to the nearest other row; +inf for one alone."""
    lifted, square = lifted_distances(S, of)
    return nearest(lifted, square[of])


def chain_sparsity(S: Rows) -> Vec:
    """(n,): the same for all rows of S (n, 2) where none dominates another: along such a chain the nearest is next."""
    order = np.argsort(S[:, 0])
    chain = S[order]
    step = chain[1:] - chain[:-1]
    gap = np.full(len(S) + 1, np.inf)
    gap[1:-1] = np.hypot(step[:, 0], step[:, 1])
    room = np.empty(len(S))
    room[order] = np.minimum(gap[:-1], gap[1:])
    return room


def lifted_distances(S: Rows, of: Index) -> tuple[Rows, Vec]:
    """``‖s_j‖² − 2 s_iᵀs_j`` (k, n), which is ‖s_i − s_j‖² − ‖s_i‖², for i in ``of`` (k,); +inf for j = i. And ‖s‖²."""
    square = (S * S).sum(axis=1)
    lifted = (-2.0 * S.take(of, axis=0)) @ S.T
    lifted += square
    lifted[np.arange(len(of)), of] = np.inf
    return lifted, square


def nearest(lifted: Rows, square: Vec) -> Vec:
    """(k,): the least distance of each row of :func:`lifted_distances` (k, n), with ‖s_i‖² (k,)."""
    return np.asarray(np.sqrt(np.maximum(lifted.min(axis=1, initial=np.inf) + square, 0.0)))


def _undominated(F: Rows) -> Mask:
    """:func:`nondominated` by comparing all pairs; a row with NaN is not even no worse than itself."""
    no_worse = _no_worse(F, F)
    return np.asarray(no_worse.diagonal() & ~(no_worse & ~no_worse.T).any(axis=1))


def _no_worse(S: Rows, A: Rows) -> Mask:
    """(n, k): where a row of A (k, m) is no worse than one of S (n, m) in any objective."""
    table = np.asarray(A[:, 0] <= S[:, :1])
    for j in range(1, S.shape[1]):
        table &= A[:, j] <= S[:, j : j + 1]
    return table
