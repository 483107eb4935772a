"""Cholesky factor of a sparse symmetric positive definite matrix of 3 x 3 blocks; its pattern is analysed once.

The pattern is that of block_sparse.py, with three rows a node: blocks by rows in one flat array, columns in an order
that keeps the fill small. The factor L takes the place of the matrix; its diagonal is kept inverted.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel

LEAST = 1e-14  # of the diagonal: a smaller pivot is rounding


@kernel
def factor(shape, S, first):
    """S becomes its factor. Returns 0, or one more than the node whose block is not positive definite.

    `first` (node, 3) is scratch: the diagonal as it was.
    """
    for k in range(shape.order.size):
        d = shape.diagonal[k]
        first[k, 0] = S[d] * LEAST
        first[k, 1] = S[d + 4] * LEAST
        first[k, 2] = S[d + 8] * LEAST
    for p in range(shape.order.size):
        k = shape.order[p]
        d = shape.diagonal[k]
        x = S[d]
        if not (x > first[k, 0] and x > 0.0):
            return k + 1
        i00 = 1.0 / math.sqrt(x)
        l10 = S[d + 3] * i00
        l20 = S[d + 6] * i00
        x = S[d + 4] - l10 * l10
        if not (x > first[k, 1] and x > 0.0):
            return k + 1
        i11 = 1.0 / math.sqrt(x)
        l21 = (S[d + 7] - l20 * l10) * i11
        x = S[d + 8] - l20 * l20 - l21 * l21
        if not (x > first[k, 2] and x > 0.0):
            return k + 1
        i22 = 1.0 / math.sqrt(x)
        S[d] = i00
        S[d + 3] = l10
        S[d + 4] = i11
        S[d + 6] = l20
        S[d + 7] = l21
        S[d + 8] = i22
        # L_ik = S_ik L_kk^-T
        for s in range(shape.column[p], shape.column[p + 1]):
            o = shape.offset[s]
            for a in range(o, o + 9, 3):
                x0 = S[a] * i00
                x1 = (S[a + 1] - x0 * l10) * i11
                S[a] = x0
                S[a + 1] = x1
                S[a + 2] = (S[a + 2] - x0 * l20 - x1 * l21) * i22
        # S_ij -= L_ik L_jk^T
        u = shape.update[p]
        for s in range(shape.column[p], shape.column[p + 1]):
            o_i = shape.offset[s]
            for e in range(shape.column[p], s + 1):
                o_j = shape.offset[e]
                t = shape.target[u]
                for a in range(3):
                    x0 = S[o_i + 3 * a]
                    x1 = S[o_i + 3 * a + 1]
                    x2 = S[o_i + 3 * a + 2]
                    for b in range(3):
                        S[t + 3 * a + b] -= x0 * S[o_j + 3 * b] + x1 * S[o_j + 3 * b + 1] + x2 * S[o_j + 3 * b + 2]
                u += 1
    return 0


@kernel
def solve(shape, S, x):
    """x (node, 3) becomes the solution of L L^T x = x; rows of x beyond the pattern are left alone."""
    for p in range(shape.order.size):
        k = shape.order[p]
        d = shape.diagonal[k]
        y0 = x[k, 0] * S[d]
        y1 = (x[k, 1] - S[d + 3] * y0) * S[d + 4]
        y2 = (x[k, 2] - S[d + 6] * y0 - S[d + 7] * y1) * S[d + 8]
        x[k, 0] = y0
        x[k, 1] = y1
        x[k, 2] = y2
        for s in range(shape.column[p], shape.column[p + 1]):
            i = shape.below[s]
            o = shape.offset[s]
            for a in range(3):
                x[i, a] -= S[o + 3 * a] * y0 + S[o + 3 * a + 1] * y1 + S[o + 3 * a + 2] * y2
    for p in range(shape.order.size - 1, -1, -1):
        k = shape.order[p]
        d = shape.diagonal[k]
        y0 = x[k, 0]
        y1 = x[k, 1]
        y2 = x[k, 2]
        for s in range(shape.column[p], shape.column[p + 1]):
            i = shape.below[s]
            o = shape.offset[s]
            for a in range(3):
                y0 -= S[o + 3 * a] * x[i, a]
                y1 -= S[o + 3 * a + 1] * x[i, a]
                y2 -= S[o + 3 * a + 2] * x[i, a]
        y2 *= S[d + 8]
        y1 = (y1 - S[d + 7] * y2) * S[d + 4]
        y0 = (y0 - S[d + 3] * y1 - S[d + 6] * y2) * S[d]
        x[k, 0] = y0
        x[k, 1] = y1
        x[k, 2] = y2
