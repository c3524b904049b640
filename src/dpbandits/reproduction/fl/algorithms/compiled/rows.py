"""The chosen contexts X, of which only what N-IHT reads is drawn, exactly in distribution.

X has n independent rows of N(0, Sigma) with Sigma_ij = rho^|i-j|. N-IHT reads products u'X, for its
gradients, and a few whole columns x_j, for X theta with a sparse theta. `product` and `columns_at`
draw each answer from its conditional law given all earlier ones, so that together they have the
law that they would have if X had been drawn first. `Rows` holds what is known of X: some columns,
and the products p'X with orthonormal n-vectors p. Three facts give the conditional laws.

1. The rows are independent and of one normal law. Therefore p'X and q'X are independent N(0, Sigma)
   for orthonormal p and q: a product with a direction that is orthogonal to all earlier ones does
   not depend on their products, but only on the known columns.
2. Sigma makes the columns a Markov chain, x_j = rho x_{j-1} + sqrt(1 - rho^2) g. Given some known
   columns, another one depends only on its neighbours: the nearest known one on either side.
3. To draw a normal vector given some linear functions of it, draw it freely, then add its
   regression on the differences between the given values of these functions and the drawn ones.

So a new product p'X is a free draw of N(0, Sigma), moved to agree with p'x_j for the known columns
j. A new column is drawn around what its neighbours say; then its component along every known p is
replaced by the known p'x_j. Which product or column is asked for next may depend on the answers so
far, as every law is conditional on these. Both cost O(n + d) or less; X is never drawn as a whole.

Turning. Only inner products of n-vectors matter, so R^n may be rotated. If at most r < n vectors
will ever be read, `turned` puts the present ones into the first few axes, and only r coordinates
are stored. A new standard normal vector has independent normal coordinates on the axes in use; the
rest of it has the length of a chi variate with n - used degrees of freedom, and is put on the next
axis. Entries of X are then unknown, so that clipped contexts are never turned.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse.engine import (
    add_regression,
    normal_row,
    normal_vectors,
    regression_on_neighbours,
    weights_of_two,
)

MISSED = 1e-18  # probability that `largest_excess` is too small
SQRT_2 = math.sqrt(2)


class Rows(NamedTuple):
    """What is known of X. Without turning r = used = n."""

    columns: np.ndarray  # k x r: the known columns, in the order in which they were drawn
    slot: np.ndarray  # d: the row of `columns` that holds a coordinate's column, or -1
    directions: np.ndarray  # m x r: the p
    products: np.ndarray  # m x d: the p'X
    rho: float
    n: int  # rows of X
    used: int  # axes of R^n in use


@jit
def known_columns(d, rho, where, columns, n, used):
    """Rows of which the columns at the coordinates `where` are known and nothing else."""
    slot = np.full(d, -1)
    slot[where] = np.arange(len(where))
    r = columns.shape[1]
    return Rows(columns, slot, np.empty((0, r)), np.empty((0, d)), rho, n, used)


@jit
def turned(vectors, later):
    """n-vectors (rows) in axes of R^n of which they need few; and how many.

    Their new coordinates come from the eigenvectors of their Gram matrix. There is room for `later`
    more vectors; where all of them would need n axes or more, nothing is turned.
    """
    count, n = vectors.shape
    if count + later >= n:
        return vectors, n
    values, axes = np.linalg.eigh(vectors @ vectors.T)
    coordinates = axes * np.sqrt(np.maximum(values, 0.0))  # with the same inner products
    return np.concatenate((coordinates, np.zeros((count, later))), axis=1), count


@jit
def product(stream, rows, u):
    """u'X for all columns, and the rows with what is known then."""
    along = rows.directions @ u
    rest = u - along @ rows.directions
    correction = rows.directions @ rest  # a second time, against rounding
    rest -= correction @ rows.directions
    total = (along + correction) @ rows.products
    length = math.sqrt(np.dot(rest, rest))
    if length <= 1e-13 * math.sqrt(np.dot(u, u)):
        return total, rows
    p = rest / length
    draw = normal_row(stream, rows.rho, len(rows.slot))
    where = np.flatnonzero(rows.slot >= 0)
    differences = (rows.columns @ p)[rows.slot[where]] - draw[where]
    add_regression(draw, differences, regression_on_neighbours(where, len(draw), rows.rho))
    directions = np.concatenate((rows.directions, p.reshape(1, -1)))
    products = np.concatenate((rows.products, draw.reshape(1, -1)))
    rows = Rows(rows.columns, rows.slot, directions, products, rows.rho, rows.n, rows.used)
    return total + length * draw, rows


@jit
def columns_at(stream, rows, where):
    """The columns at the coordinates `where`, and the rows with what is known then."""
    asked = np.zeros(len(rows.slot), np.bool_)
    asked[where] = True
    new = np.flatnonzero(asked & (rows.slot < 0))  # ascending
    if len(new) > 0:
        count = len(rows.columns)
        x = normal_vectors(stream, len(new), rows.n, rows.used, rows.columns.shape[1])
        columns, slot = np.concatenate((rows.columns, x)), rows.slot.copy()
        for i in range(len(new)):
            move_to_neighbours(columns, slot, rows.rho, count + i, new[i])
            slot[new[i]] = count + i
        x = columns[count:]
        differences = np.ascontiguousarray(rows.products[:, new].T) - x @ rows.directions.T
        x += differences @ rows.directions
        used = min(rows.used + len(new), rows.n)
        rows = Rows(columns, slot, rows.directions, rows.products, rows.rho, rows.n, used)
    return rows.columns[rows.slot[where]], rows


@jit
def move_to_neighbours(columns, slot, rho, place, j):
    """columns[place], a standard normal vector, becomes column j given its known neighbours."""
    left, right = nearest_known(slot, rho, j, -1), nearest_known(slot, rho, j, 1)
    left_weight, right_weight = weights_of_two(left[1], right[1])
    sd = math.sqrt((1 - left[1] ** 2) * (1 - right[1] ** 2) / (1 - (left[1] * right[1]) ** 2))
    x = sd * columns[place] + left_weight * columns[left[0]]
    columns[place] = x + right_weight * columns[right[0]]


@jit
def nearest_known(slot, rho, j, step):
    """The nearest known column left (step = -1) or right (1) of j: its slot, its correlation.

    0 and 0 if there is none, or its correlation with column j is below double precision.
    """
    correlation = rho
    j += step
    while 0 <= j < len(slot) and abs(correlation) >= 1e-18:
        if slot[j] >= 0:
            return slot[j], correlation
        correlation *= rho
        j += step
    return 0, 0.0


@jit
def largest_excess(rows, clip, missed=MISSED):
    """A bound on sum_t (|x_tj| - clip)_+ that holds for all columns j at once.

    Clipping changes no product u'x_j by more than max|u| times this. For the known columns the sums
    are known. Given these columns, and while no product is known, |x_tj| of another column is at
    most reach_t + |g| with a standard normal g, independent over t. By Chernoff's bound its sum is
    at most (ln(d/missed) + sum_t ln E exp(rate (|g| + reach_t - clip)_+))/rate, for any rate, but
    for probability missed/d; so the bound fails with probability `missed` at most.
    """
    known, pull = np.flatnonzero(rows.slot >= 0), 0.0
    _, left, right = regression_on_neighbours(known, len(rows.slot), rows.rho)
    for j in np.flatnonzero(rows.slot < 0):
        pull = max(pull, abs(left[j]) + abs(right[j]))
    reach = np.zeros(rows.columns.shape[1])
    for column in rows.columns:
        reach = np.maximum(reach, pull * np.abs(column))
    # A reach counts as the upper end of its bin. A single reach is the middle of unit range.
    margin = 0.5 if len(reach) == 1 else 0.0
    counts, edges = np.histogram(reach, 20, (reach.min() - margin, reach.max() + margin))
    bound = math.inf
    for rate in (1.5, 2.5, 4.0):
        total = math.log(len(rows.slot) / missed)
        for i in range(len(counts)):
            level = clip - edges[i + 1]
            # E exp(rate (|g| - level)_+) - 1, which is at least its logarithm
            growth = math.exp(0.5 * rate * rate - rate * level)
            growth *= math.erfc((level - rate) / SQRT_2)
            total += counts[i] * (growth - math.erfc(level / SQRT_2))
        bound = min(bound, total / rate)
    for column in rows.columns:
        bound = max(bound, np.sum(np.maximum(np.abs(column) - clip, 0.0)))
    return bound
