"""N-IHT on lazily drawn rows X = G L', compiled: `LazyGaussian` for directions that are sparse.

What is revealed is X v for some sparse v, and X'u for some u. The v are kept on their few columns,
as directions D that are orthonormal under Sigma, the u as an orthonormal P. In the words of
`_lazy`, G (L'D) = A and P'G L' = B, with the coloured noise L h in place of h:

    X'u = L h + Sigma D (A'u - D'L h),   h a fresh normal d-vector, u a unit vector orthogonal to P.

A step then costs O(d) plus little, where `LazyGaussian` orthogonalises dense d-vectors. It reads
the same random numbers.
"""

import math
from collections import namedtuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.uncounted import uncounted
from dpbandits.sparse.engine.selection import RESERVE, contenders

# counts: [columns, directions, left vectors, axes of R^n in use (-1: all)].
# slot: place of a coordinate among the columns, or -1. order: sorts the columns.
# powers: rho^0, rho^1, ... as long as they count.
Known = namedtuple("Known", "counts slot columns order powers directions images left coimages rows")


def known(rho: float, rows: int, d: int, width: int, room: int, used: int, axes: int) -> Known:
    """Nothing known; room for so many columns, products on either side and axes of R^n."""
    reach = 1 if rho == 0 else math.ceil(math.log(1e-18) / math.log(abs(rho)))
    width = min(width, d)
    return Known(
        np.array([0, 0, 0, used]), np.full(d, -1), np.empty(width, np.int64),
        np.empty(width, np.int64), rho ** np.arange(min(reach + 1, d + 1), dtype=float),
        np.zeros((room, width)), np.empty((room, axes)),
        np.empty((room, axes)), np.empty((room, d)), rows,
    )  # fmt: skip


@jit
def descend(k, rng, selection, target, rate, radius, scales, released):
    """The estimate after a step per scale, from 0. `released`: each step's release noise, unscaled.

    As in `_iht`: theta <- projection of peeling(theta + rate X'(target - X theta)).
    """
    k = _uncounted(k)
    rounds = released.shape[1]
    estimate = np.zeros(len(k.slot))
    chosen, values = np.empty(0, np.int64), np.empty(rounds)
    for step in range(len(scales)):
        residual = target.copy()
        if step > 0:
            _add(residual, -1.0, matvec(k, rng, chosen, values))
        v, sizes = rmatvec(k, rng, residual), np.empty(len(estimate))
        for j in range(len(v)):
            v[j] = estimate[j] + rate * v[j]
            sizes[j], estimate[j] = abs(v[j]), 0.0
        _, chosen, _ = contenders(selection, rounds, sizes, 0.0, scales[step], RESERVE)
        for i in range(rounds):
            values[i] = v[chosen[i]] + scales[step] * released[step, i]
        project_l1(values, radius)
        for i in range(rounds):
            estimate[chosen[i]] = values[i]
    return estimate


@jit
def _uncounted(k):
    return Known(
        uncounted(k.counts), uncounted(k.slot), uncounted(k.columns), uncounted(k.order),
        uncounted(k.powers), uncounted(k.directions), uncounted(k.images),
        uncounted(k.left), uncounted(k.coimages), k.rows,
    )  # fmt: skip


@jit
def project_l1(v, radius):
    """As in `_iht`, in place: the threshold grows until it leaves the right norm (Michelot)."""
    level, count = 0.0, len(v) + 1
    while True:
        total, left = 0.0, 0
        for x in v:
            if abs(x) > level:
                total, left = total + abs(x), left + 1
        if left == count or (total <= radius and level == 0):
            break
        level, count = max((total - radius) / left, 0.0), left
    for j in range(len(v)):
        v[j] = math.copysign(max(abs(v[j]) - level, 0.0), v[j])


@jit
def adopt(k, coordinates, values, images):
    """Orthogonalise v as a direction whose image is the next of `images`, if it is a new one."""
    _, rest, length = _split_right(k, coordinates, values)
    if length > 0:
        _keep(k, rest, images[k.counts[1]])


@jit
def _keep(k, direction, image):
    m = k.counts[1]
    _copy(k.directions[m], direction)
    _copy(k.images[m], image)
    k.counts[1] += 1


@jit
def _copy(into, values):
    """A loop: for a slice numba compiles all words of its complaint, for two seconds."""
    for i in range(len(values)):
        into[i] = values[i]


@jit
def matvec(k, rng, coordinates, values):
    """X v."""
    inside, rest, length = _split_right(k, coordinates, values)
    m, p = k.counts[1], k.counts[2]
    out = np.zeros(k.images.shape[1])
    for i in range(m):
        _add(out, inside[i], k.images[i])
    if length > 0:
        image = _fresh_image(k, rng)
        for i in range(p):
            missing = -np.dot(k.left[i], image)
            for c in range(len(rest)):
                missing += rest[c] * k.coimages[i, k.columns[c]]
            _add(image, missing, k.left[i])
        _keep(k, rest, image)
        _add(out, length, image)
    return out


@jit
def rmatvec(k, rng, u):
    """X'u."""
    p, m, count = k.counts[2], k.counts[1], k.counts[0]
    inside, rest, length = _split_left(k.left[:p], u)
    out = np.zeros(len(k.slot))
    for i in range(p):
        _add(out, inside[i], k.coimages[i])
    if length > 0:
        image = rng.standard_normal(len(k.slot))
        _colour(image, k.powers)
        combined = np.zeros(count)
        for i in range(m):
            missing = np.dot(k.images[i], rest)
            for c in range(count):
                missing -= k.directions[i, c] * image[k.columns[c]]
            _add(combined, missing, k.directions[i])
        _add_covariance_times(k, combined, image)
        _copy(k.left[p], rest)
        _copy(k.coimages[p], image)
        k.counts[2] += 1
        _add(out, length, image)
    return out


@jit
def _fresh_image(k, rng):
    used = k.counts[3]
    if used < 0:
        return rng.standard_normal(k.rows)
    fresh = np.zeros(k.images.shape[1])
    _copy(fresh, rng.standard_normal(used))
    fresh[used] = math.sqrt(rng.chisquare(k.rows - used))
    k.counts[3] += 1
    return fresh


@jit
def _split_left(basis, u):
    """As `_lazy._split`."""
    inside, rest = np.zeros(len(basis)), u.copy()
    for _ in range(2):
        for i in range(len(basis)):
            again = np.dot(basis[i], rest)
            inside[i] += again
            _add(rest, -again, basis[i])
    length = math.sqrt(np.dot(rest, rest))
    return inside, rest, _to_unit(rest, length, math.sqrt(np.dot(u, u)))


@jit
def _split_right(k, coordinates, values):
    """`_lazy._split` for a sparse v, under Sigma; the remainder lives on the columns."""
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
            _add(rest, -again, direction)
    return inside, rest, _to_unit(rest, length, size)


@jit
def _to_unit(rest, length, size):
    """Divide by the length, and return it; 0 if it is but rounding of a vector of this size."""
    if length <= 1e-13 * size:
        return 0.0
    for j in range(len(rest)):
        rest[j] /= length
    return length


@jit
def _add(v, factor, w):
    for j in range(len(v)):
        v[j] += factor * w[j]


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
def _power(powers, gap):
    return powers[gap] if gap < len(powers) else 0.0


@jit
def _covariance_times(k, v):
    """Sigma v on the columns, for v on the columns: two sweeps along the sorted ones."""
    out, carry = v.copy(), 0.0
    for i in range(1, len(v)):
        last, this = k.order[i - 1], k.order[i]
        carry = _power(k.powers, k.columns[this] - k.columns[last]) * (carry + v[last])
        out[this] += carry
    carry = 0.0
    for i in range(len(v) - 2, -1, -1):
        last, this = k.order[i + 1], k.order[i]
        carry = _power(k.powers, k.columns[last] - k.columns[this]) * (carry + v[last])
        out[this] += carry
    return out


@jit
def _add_covariance_times(k, v, out):
    """out += Sigma v in R^d, for v on the columns: from each column to its neighbours."""
    count, carry = len(v), 0.0
    for i in range(count):
        j = k.columns[k.order[i]]
        end = k.columns[k.order[i + 1]] if i + 1 < count else len(out)
        carry += v[k.order[i]]
        for gap in range(min(end - j, len(k.powers))):
            out[j + gap] += k.powers[gap] * carry
        carry *= _power(k.powers, end - j)
    carry = 0.0
    for i in range(count - 1, -1, -1):
        j = k.columns[k.order[i]]
        end = k.columns[k.order[i - 1]] if i > 0 else -1
        out[j] += carry
        carry += v[k.order[i]]
        for gap in range(1, min(j - end, len(k.powers))):
            out[j - gap] += k.powers[gap] * carry
        carry *= _power(k.powers, j - end)


@jit
def _colour(g, powers):
    """L g, in place (see `_autoregressive`)."""
    rho = powers[1] if len(powers) > 1 else 0.0
    fresh = math.sqrt(1 - rho * rho)
    for j in range(1, len(g)):
        g[j] = rho * g[j - 1] + fresh * g[j]
