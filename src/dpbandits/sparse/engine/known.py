"""What is known of lazily drawn rows X = G L', in compiled code: products with sparse vectors.

The v of all X v are kept on their few columns, as directions D that are orthonormal under Sigma,
beside their images A = X D, the u of all X'u as an orthonormal P (see `descent`).
"""

import math
from collections import namedtuple
from functools import cache

import numpy as np

from dpbandits.core.compiled import jit

# counts: [columns, directions, left vectors, axes of R^n in use (-1: all)].
# slot: place of a coordinate among the columns, or -1. order: sorts the columns.
# powers: rho^0, rho^1, ... as long as they count.
Known = namedtuple("Known", "counts slot columns order powers directions images left coimages rows")


@cache
def powers(rho: float, d: int) -> np.ndarray:
    reach = 1 if rho == 0 else math.ceil(math.log(1e-18) / math.log(abs(rho)))
    return rho ** np.arange(min(reach + 1, d + 1), dtype=float)


@jit
def known(powers, rows, d, width, room, axes):
    """Nothing known; room for so many columns, products on either side and axes of R^n."""
    width = min(width, d)
    return Known(
        np.array([0, 0, 0, -1]), np.full(d, -1), np.empty(width, np.int64),
        np.empty(width, np.int64), powers, np.zeros((room, width)), np.empty((room, axes)),
        np.empty((room, axes)), np.empty((room, d)), rows,
    )  # fmt: skip


def adopted(powers, white, asked, released) -> Known:
    """What a `LazyGaussian`, turned by now, was asked, with room for the steps of `released`."""
    steps, images = len(released), white.images.rows
    width = released.size + sum(np.count_nonzero(v) for v, _ in asked)
    k = known(powers, white.rows, white.columns, width, len(asked) + steps, images.shape[1])
    k.counts[3] = -1 if white.used is None else white.used
    for v, _ in asked:
        where = np.flatnonzero(v)
        _, rest, length = split_right(k, where, v[where])
        if length > 0:
            keep(k, rest, images[k.counts[1]])
    return k


@jit
def met(powers, asked, images, steps, rounds):
    """What is known of the rows before so many steps, and the target.

    For several steps R^n is turned, if it is large, as `LazyGaussian.rotated` does.
    """
    n, size, width = images.shape[1], len(images) + steps, steps * rounds
    for i in range(len(asked)):
        for j in range(asked.shape[1]):
            width += asked[i, j] != 0
    turns = steps > 1 and size < n
    k = known(powers, n, asked.shape[1], width, size, size if turns else n)
    for i in range(len(asked)):
        adopt(k, asked[i], images, i)
    m = k.counts[1]
    copy(images[m], images[len(asked)])
    target = np.zeros(k.images.shape[1])
    for i in range(m + 1):
        into = k.images[i] if i < m else target
        if turns:
            _turn(images, i, m + 1, into)
        else:
            copy(into, images[i])
    k.counts[3] = m + 1 if turns else -1
    return k, target


@jit
def _turn(rows, i, count, into):
    """Row i in axes of R^n that turn it to the first i + 1 (Householder, with LAPACK's signs)."""
    for j in range(i):
        into[j] = rows[i, j]
    v = rows[i, i:]
    size, lead = math.sqrt(np.dot(v, v)), v[0]
    into[i] = -math.copysign(size, lead)
    for j in range(i + 1, len(into)):
        into[j] = 0.0
    if size > 0:
        v[0] = lead - into[i]
        for j in range(i + 1, count):
            w = rows[j, i:]
            add(w, -np.dot(v, w) / (size * (size + abs(lead))), v)


@jit
def adopt(k, v, images, i):
    """Take X v = `images[i]` as known; if v is new, its direction's image is the next of these."""
    coordinates, values, count = np.empty(len(v), np.int64), np.empty(len(v)), 0
    for j in range(len(v)):
        if v[j] != 0:
            coordinates[count], values[count] = j, v[j]
            count += 1
    inside, rest, length = split_right(k, coordinates[:count], values[:count])
    if length > 0:
        m, image = k.counts[1], images[i]
        for j in range(m):
            add(image, -inside[j], images[j])
        for t in range(len(image)):
            images[m, t] = image[t] / length
        copy(k.directions[m], rest)
        k.counts[1] += 1


@jit
def keep(k, direction, image):
    m = k.counts[1]
    copy(k.directions[m], direction)
    copy(k.images[m], image)
    k.counts[1] += 1


@jit
def split_right(k, coordinates, values):
    """`lazy._split` for a sparse v, under Sigma; the remainder lives on the columns."""
    _enter(k, coordinates)
    count, m = k.counts[0], k.counts[1]
    rest = np.zeros(count)
    for i in range(len(coordinates)):
        rest[k.slot[coordinates[i]]] = values[i]
    inside, size = np.zeros(m), 0.0
    for twice in range(3):
        spread = _covariance_times(k, rest)
        length = math.sqrt(max(np.dot(rest, spread), 0.0))
        if twice == 0:
            size = length
        if twice == 2:
            break
        for i in range(m):
            direction = k.directions[i][:count]
            again = np.dot(direction, spread)
            inside[i] += again
            add(rest, -again, direction)
    return inside, rest, to_unit(rest, length, size)


@jit
def _enter(k, coordinates):
    """Give every coordinate a place among the columns, in their order too."""
    for j in coordinates:
        if k.slot[j] < 0:
            count = k.counts[0]
            k.slot[j], k.columns[count] = count, j
            place = count
            while place > 0 and k.columns[k.order[place - 1]] > j:
                k.order[place] = k.order[place - 1]
                place -= 1
            k.order[place] = count
            k.counts[0] += 1


@jit
def _covariance_times(k, v):
    """Sigma v on the columns, for v on the columns: two sweeps along the sorted ones."""
    out, carry = v.copy(), 0.0
    for i in range(1, len(v)):
        last, this = k.order[i - 1], k.order[i]
        carry = power(k.powers, k.columns[this] - k.columns[last]) * (carry + v[last])
        out[this] += carry
    carry = 0.0
    for i in range(len(v) - 2, -1, -1):
        last, this = k.order[i + 1], k.order[i]
        carry = power(k.powers, k.columns[last] - k.columns[this]) * (carry + v[last])
        out[this] += carry
    return out


@jit
def power(powers, gap):
    return powers[gap] if gap < len(powers) else 0.0


@jit
def to_unit(rest, length, size):
    """Divide by the length, and return it; 0 if it is but rounding of a vector of this size."""
    if length <= 1e-13 * size:
        return 0.0
    for j in range(len(rest)):
        rest[j] /= length
    return length


@jit
def add(v, factor, w):
    for j in range(len(v)):
        v[j] += factor * w[j]


@jit
def copy(into, values):
    """A loop: for a slice numba compiles all words of its complaint, for two seconds."""
    for i in range(len(values)):
        into[i] = values[i]
