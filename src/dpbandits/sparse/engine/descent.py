"""N-IHT on lazily drawn rows X = G L', compiled: `LazyGaussian` for directions that are sparse.

What is revealed is X v for some sparse v, and X'u for some u. The v are kept on their few columns,
as directions D that are orthonormal under Sigma, the u as an orthonormal P. In the words of
`lazy`, G (L'D) = A and P'G L' = B, with the coloured noise L h in place of h:

    X'u = L h + Sigma D (A'u - D'L h),   h a fresh normal d-vector, u a unit vector orthogonal to P.

A step then costs O(d) plus little, where `LazyGaussian` orthogonalises dense d-vectors. It reads
the same random numbers.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.uncounted import uncounted
from dpbandits.sparse.engine.known import Known, add, copy, keep, met, power, split_right, to_unit
from dpbandits.sparse.engine.selection import RESERVE, contenders


@jit
def descend(rng, selection, powers, asked, images, rate, radius, scales, released):
    """The estimate after a step per scale, from 0. `released`: each step's release noise, unscaled.

    As in `iht`: theta <- projection of peeling(theta + rate X'(target - X theta)). `images`, which
    are overwritten: X v for each v of `asked`, and the target.
    """
    k, target = met(powers, asked, images, *released.shape)
    return go_on(k, rng, selection, target, rate, radius, scales, released)


@jit
def only_product(rng, powers, asked, images):
    """X'u, u the last of `images`, where nothing else will be asked for."""
    k, u = met(powers, asked, images, *images[:1, :0].shape)  # numba compiles anew for a literal
    return rmatvec(k, rng, u)


@jit
def go_on(k, rng, selection, target, rate, radius, scales, released):
    k, rounds = _uncounted(k), released.shape[1]  # the caller holds it
    estimate = np.zeros(len(k.slot))
    chosen, values = np.empty(0, np.int64), np.empty(rounds)
    for step in range(len(scales)):
        residual = target.copy()
        if step > 0:
            add(residual, -1.0, matvec(k, rng, chosen, values))
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
    """As in `iht`, in place: the threshold grows until it leaves the right norm (Michelot)."""
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
def matvec(k, rng, coordinates, values):
    """X v."""
    inside, rest, length = split_right(k, coordinates, values)
    m, p = k.counts[1], k.counts[2]
    out = np.zeros(k.images.shape[1])
    for i in range(m):
        add(out, inside[i], k.images[i])
    if length > 0:
        image = _fresh_image(k, rng)
        for i in range(p):
            missing = -np.dot(k.left[i], image)
            for c in range(len(rest)):
                missing += rest[c] * k.coimages[i, k.columns[c]]
            add(image, missing, k.left[i])
        keep(k, rest, image)
        add(out, length, image)
    return out


@jit
def rmatvec(k, rng, u):
    """X'u."""
    p, m, count = k.counts[2], k.counts[1], k.counts[0]
    inside, rest, length = _split_left(k.left[:p], u)
    out = np.zeros(len(k.slot))
    for i in range(p):
        add(out, inside[i], k.coimages[i])
    if length > 0:
        image = rng.standard_normal(len(k.slot))
        _colour(image, k.powers)
        combined = np.zeros(count)
        for i in range(m):
            missing = np.dot(k.images[i], rest)
            for c in range(count):
                missing -= k.directions[i, c] * image[k.columns[c]]
            add(combined, missing, k.directions[i])
        _add_covariance_times(k, combined, image)
        copy(k.left[p], rest)
        copy(k.coimages[p], image)
        k.counts[2] += 1
        add(out, length, image)
    return out


@jit
def _fresh_image(k, rng):
    used = k.counts[3]
    if used < 0:
        return rng.standard_normal(k.rows)
    fresh = np.zeros(k.images.shape[1])
    copy(fresh, rng.standard_normal(used))
    fresh[used] = math.sqrt(rng.chisquare(k.rows - used))
    k.counts[3] += 1
    return fresh


@jit
def _split_left(basis, u):
    """As `lazy._split`."""
    inside, rest = np.zeros(len(basis)), u.copy()
    for _ in range(2):
        for i in range(len(basis)):
            again = np.dot(basis[i], rest)
            inside[i] += again
            add(rest, -again, basis[i])
    length = math.sqrt(np.dot(rest, rest))
    return inside, rest, to_unit(rest, length, math.sqrt(np.dot(u, u)))


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
        carry *= power(k.powers, end - j)
    carry = 0.0
    for i in range(count - 1, -1, -1):
        j = k.columns[k.order[i]]
        end = k.columns[k.order[i - 1]] if i > 0 else -1
        out[j] += carry
        carry += v[k.order[i]]
        for gap in range(1, min(j - end, len(k.powers))):
            out[j - gap] += k.powers[gap] * carry
        carry *= power(k.powers, j - end)


@jit
def _colour(g, powers):
    """L g, in place (see `_autoregressive`)."""
    rho = powers[1] if len(powers) > 1 else 0.0
    fresh = math.sqrt(1 - rho * rho)
    for j in range(1, len(g)):
        g[j] = rho * g[j - 1] + fresh * g[j]
