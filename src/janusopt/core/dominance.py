"""Pareto dominance (minimization) on rows of objective values, vectorized over pairs.

    gain(x | A) = min_{a ∈ A} max_j (a_j − x_j)

is how far x is from being weakly dominated by A: positive if and only if no row of A is at least as good everywhere,
and then the amount by which x could worsen before one is. It rises with progress and with distance from the rows
that are already there, costs O(n·|A|·m) for any number of objectives, and so serves both as the test for entering a
front and as the credit of a candidate (a small step that merely survives earns next to nothing).
"""

from __future__ import annotations

import numpy as np

from janusopt.core.arrays import Index, Mask, Rows, Vec

_BLOCK = 256  # rows compared with each other at once


def gain(S: Rows, A: Rows) -> Vec:
    """(…, n): the maximin gain of each row of S (…, n, m) over the rows of A (…, k, m); +inf when A is empty."""
    if A.shape[-2] == 0:
        return np.full(S.shape[:-1], np.inf)
    worst = A[..., None, :, 0] - S[..., :, None, 0]
    other = np.empty_like(worst)
    for j in range(1, S.shape[-1]):
        np.subtract(A[..., None, :, j], S[..., :, None, j], out=other)
        np.maximum(worst, other, out=worst)
    return np.asarray(worst.min(axis=-1))


def covered(S: Rows, A: Rows) -> Mask:
    """(n,): rows of S (n, m) that some row of A (k, m) is at least as good as everywhere: those without gain."""
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
    finite = ~np.isnan(F).any(axis=1)
    keep = np.zeros(len(F), dtype=bool)
    order = np.flatnonzero(finite)
    if len(order) > _BLOCK:
        order = order[np.lexsort(F[order].T[::-1])]
    for start in range(0, len(order), _BLOCK):
        block = order[start : start + _BLOCK]
        block = block[~dominated(F[block], F[keep])]
        no_worse = _no_worse(F[block], F[block])
        keep[block[~(no_worse & ~no_worse.T).any(axis=1)]] = True
    return keep


def sparsity(S: Rows, of: Index | None = None) -> Vec:
    """(n,): distance of each row of S (n, m), or of those in ``of``, to its nearest other row; +inf for one alone."""
    return nearest(squared_distances(S, np.arange(len(S)) if of is None else of))


def squared_distances(S: Rows, of: Index) -> Rows:
    """(k, n): from the rows of S (n, m) in ``of`` (k,) to all of S, but for rounding; +inf from a row to itself."""
    square = (S * S).sum(axis=1)
    distance = S[of] @ S.T
    distance *= -2.0
    distance += square
    distance += square[of, None]
    distance[np.arange(len(of)), of] = np.inf
    return distance


def nearest(squared: Rows) -> Vec:
    """(k,): the least distance of each row of squared ones (k, n)."""
    return np.asarray(np.sqrt(np.maximum(squared.min(axis=1, initial=np.inf), 0.0)))


def _no_worse(S: Rows, A: Rows) -> Mask:
    """(n, k): where a row of A (k, m) is no worse than one of S (n, m) in any objective."""
    table = np.asarray(A[:, 0] <= S[:, :1])
    for j in range(1, S.shape[1]):
        table &= A[:, j] <= S[:, j : j + 1]
    return table
