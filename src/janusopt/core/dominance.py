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


def gain(S: Rows, A: Rows) -> Vec:
    """(n,): the maximin gain of each row of S (n, m) over the rows of A (k, m); +inf when A is empty."""
    if len(A) == 0:
        return np.full(len(S), np.inf)
    worst = A[:, 0] - S[:, :1]
    other = np.empty_like(worst)
    for j in range(1, S.shape[1]):
        np.subtract(A[:, j], S[:, j : j + 1], out=other)
        np.maximum(worst, other, out=worst)
    return np.asarray(worst.min(axis=1))


def dominated(S: Rows, A: Rows) -> Mask:
    """(n,): rows of S (n, m) that some row of A (k, m) dominates (no worse everywhere, better somewhere)."""
    if len(A) == 0 or len(S) == 0:
        return np.zeros(len(S), dtype=bool)
    no_worse = np.ones((len(S), len(A)), dtype=bool)
    better = np.zeros_like(no_worse)
    for j in range(S.shape[1]):
        no_worse &= A[:, j] <= S[:, j : j + 1]
        better |= A[:, j] < S[:, j : j + 1]
    return np.asarray((no_worse & better).any(axis=1))


def nondominated(F: Rows) -> Mask:
    """(n,): rows of F (n, m) that no other row dominates; of equal rows all are kept, rows with NaN never are.

    Rows are visited in lexicographic order, so that none can be dominated by a later one, in blocks: memory stays
    O(block·n) and a block is compared with the survivors only.
    """
    finite = ~np.isnan(F).any(axis=1)
    keep = np.zeros(len(F), dtype=bool)
    order = np.flatnonzero(finite)[np.lexsort(F[finite].T[::-1])]
    for start in range(0, len(order), 256):
        block = order[start : start + 256]
        rows = F[block]
        alive = ~dominated(rows, F[keep])
        alive[alive] = ~dominated(rows[alive], rows[alive])
        keep[block[alive]] = True
    return keep


def sparsity(S: Rows, of: Index | None = None) -> Vec:
    """(n,): distance of each row of S (n, m), or of those in ``of``, to its nearest other row; +inf for one alone."""
    rows = np.arange(len(S)) if of is None else of
    square = (S * S).sum(axis=1)
    distance = square - 2.0 * (S[rows] @ S.T)
    distance += square[rows, None]
    distance[np.arange(len(rows)), rows] = np.inf
    return np.asarray(np.sqrt(np.maximum(distance.min(axis=1, initial=np.inf), 0.0)))
