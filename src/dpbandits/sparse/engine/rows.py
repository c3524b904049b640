"""n rows of N(0, Sigma), Sigma_ij = rho^|i-j|, of which only what is asked for is drawn.

Known are some whole columns of the n x d matrix X, and products p'X with orthonormal n-vectors p.
Given these

- p'X for a new p orthogonal to all others is normal: a free draw of N(0, Sigma), moved so that it
  meets p'x_j for the known columns j. (Rows are independent, so that turning R^n changes nothing.)
- a new column x_j depends on its nearest known columns only (Markov): a normal draw around what
  these two say, moved along the p so that it meets the known p'x_j.

So a product with all columns costs O(n + d), a column O(n), and X is never drawn as a whole.
"""

import math
from collections import namedtuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import gamma, normal, normals

MISSED = 1e-18  # probability that `excess` is too small, over all columns
SQRT_2 = math.sqrt(2)

# What is known. columns: k x r, in the order in which they were drawn; slot: of every coordinate,
# which of these it is, or -1; directions: p; products: p'X, a row for each p. R^n may be turned so
# that all this lies in its first `used` axes; then r is the room for it, else r = n = used.
Rows = namedtuple("Rows", "columns slot directions products rho n used")


@jit
def known_columns(d, rho, where, columns, n, used):
    """Rows of which these columns are known and nothing else."""
    slot = np.full(d, -1)
    slot[where] = np.arange(len(where))
    room = columns.shape[1]
    return Rows(columns, slot, np.empty((0, room)), np.empty((0, d)), rho, n, used)


@jit
def turned(vectors, more):
    """Coordinates of n-vectors (rows) after R^n is turned so that they have few; and how many.

    There is room for so many more vectors. Where that is not less than n, nothing is turned.
    """
    count, n = vectors.shape
    if count + more >= n:
        return vectors, n
    values, axes = np.linalg.eigh(vectors @ vectors.T)
    found = axes * np.sqrt(np.maximum(values, 0.0))  # the same inner products
    return np.concatenate((found, np.zeros((count, more))), axis=1), count


@jit
def normal_vectors(stream, count, n, used, room):
    """Standard normal n-vectors. Of one, what lies outside of the axes in use has length
    chi(n - used): it gives the next axis."""
    x = np.zeros((count, room))
    for i in range(count):
        for t in range(used):
            x[i, t] = normal(stream)
        if used < n:
            x[i, used] = math.sqrt(2.0 * gamma(stream, 0.5 * (n - used)))
            used += 1
    return x


@jit
def product(stream, rows, u):
    """u'X for all columns; and what is known then."""
    inside = rows.directions @ u
    rest = u - inside @ rows.directions
    again = rows.directions @ rest  # orthogonal to all digits: twice is enough
    rest -= again @ rows.directions
    total = (inside + again) @ rows.products
    length = math.sqrt(np.dot(rest, rest))
    if length <= 1e-13 * math.sqrt(np.dot(u, u)):
        return total, rows
    p = rest / length
    draw = colour(normals(stream, len(rows.slot)), rows.rho)
    where = np.flatnonzero(rows.slot >= 0)
    missing = (rows.columns @ p)[rows.slot[where]] - draw[where]
    place, left, right = neighbours(where, len(draw), rows.rho)
    add_regression(draw, missing, place, left, right)
    directions = np.concatenate((rows.directions, p.reshape(1, -1)))
    products = np.concatenate((rows.products, draw.reshape(1, -1)))
    found = Rows(rows.columns, rows.slot, directions, products, rows.rho, rows.n, rows.used)
    return total + length * draw, found


@jit
def columns_at(stream, rows, wanted):
    """These columns; and what is known then."""
    new = np.sort(wanted[rows.slot[wanted] < 0])
    if len(new) > 0:
        x = normal_vectors(stream, len(new), rows.n, rows.used, rows.columns.shape[1])
        _given_neighbours(x, new, rows.columns, rows.slot, rows.rho)
        missing = np.ascontiguousarray(rows.products[:, new].T) - x @ rows.directions.T
        x += missing @ rows.directions
        slot = rows.slot.copy()
        slot[new] = len(rows.columns) + np.arange(len(new))
        used = min(rows.used + len(new), rows.n)
        columns = np.concatenate((rows.columns, x))
        rows = Rows(columns, slot, rows.directions, rows.products, rows.rho, rows.n, used)
    return rows.columns[rows.slot[wanted]], rows


@jit
def excess(rows, clip, missed=MISSED):
    """At least sum_t (|x_tj| - clip)_+ of every column j that is not known, but for `missed`.

    So u'clip(X) differs from u'X by max|u| times this at most. Given the known columns |x_tj| <=
    |g| + reach_t, g standard normal: a Chernoff bound.
    """
    _, left, right = neighbours(np.flatnonzero(rows.slot >= 0), len(rows.slot), rows.rho)
    pull = np.max(np.where(rows.slot < 0, np.abs(left) + np.abs(right), 0.0))
    reach = np.zeros(rows.columns.shape[1])
    for column in rows.columns:
        reach = np.maximum(reach, pull * np.abs(column))
    margin = 0.5 if len(reach) == 1 else 0.0  # NumPy's own choice of bins
    count, edges = np.histogram(reach, 20, (reach.min() - margin, reach.max() + margin))
    found = math.inf
    for rate in (1.5, 2.5, 4.0):  # E exp(rate (|g| - low)_+) - 1 is at most `growth`
        total = math.log(len(rows.slot) / missed)
        for i in range(len(count)):
            low = clip - edges[i + 1]  # rounded: every reach to its bin's upper end
            growth = math.exp(0.5 * rate * rate - rate * low) * math.erfc((low - rate) / SQRT_2)
            total += count[i] * (growth - math.erfc(low / SQRT_2))
        found = min(found, total / rate)
    return found


@jit
def _given_neighbours(x, new, columns, slot, rho):
    """Standard normal vectors x become the columns `new` (sorted), one after the other.

    Each is drawn given the nearest column on its left, known or just drawn, and the nearest known
    one on its right. Correlations below 1e-18 count as none.
    """
    for i in range(len(new)):
        a, b = 1.0, 1.0  # correlations with the two
        left = right = x[i]
        for j in range(new[i] - 1, -1, -1):
            a *= rho
            if abs(a) < 1e-18 or slot[j] >= 0 or (i > 0 and new[i - 1] == j):
                left = columns[slot[j]] if slot[j] >= 0 else x[max(i - 1, 0)]
                break
        else:
            a = 0.0
        for j in range(new[i] + 1, len(slot)):
            b *= rho
            if abs(b) < 1e-18 or slot[j] >= 0:
                right = columns[slot[j]] if slot[j] >= 0 else x[i]
                break
        else:
            b = 0.0
        span = 1 - (a * b) ** 2
        rest = math.sqrt((1 - a * a) * (1 - b * b) / span)
        a, b = a * (1 - b * b) / span, b * (1 - a * a) / span
        for t in range(x.shape[1]):
            x[i, t] = rest * x[i, t] + a * left[t] + b * right[t]


@jit
def colour(g, rho):
    """Standard normal g becomes N(0, Sigma), in place: x_j = rho x_{j-1} + sqrt(1 - rho^2) g_j."""
    fresh = math.sqrt(1 - rho * rho)
    for j in range(1, len(g)):
        g[j] = rho * g[j - 1] + fresh * g[j]
    return g


@jit
def neighbours(where, d, rho):
    """E(x_j | x at `where`) = left_j x_a + right_j x_b for every column j of d.

    a and b are the nearest of `where` at or below j - 1 and at or above j: `where[place - 1]` and
    `where[place]`; the weight is 0 where there is none.
    """
    known = np.zeros(d, np.bool_)
    known[where] = True
    below, above = np.zeros(d + 1), np.zeros(d + 1)  # correlations with the two
    for j in range(d):
        below[j + 1] = rho if known[j] else rho * below[j]
    for j in range(d - 1, -1, -1):
        above[j] = 1.0 if known[j] else rho * above[j + 1]
    below, above = below[:d], above[:d]
    span = 1 - (below * above) ** 2
    left, right = below * (1 - above * above) / span, above * (1 - below * below) / span
    return np.searchsorted(where, np.arange(d)), left, right


@jit
def add_regression(values, missing, place, left, right):
    """values_j += left_j missing_a + right_j missing_b (see `neighbours`)."""
    for j in range(len(values)):
        k = place[j]
        if k > 0:
            values[j] += left[j] * missing[k - 1]
        if k < len(missing):
            values[j] += right[j] * missing[k]
