"""The Laplace mechanism, once or n times: exact composition in closed form.

One release loses L = r - 2X, r = sensitivity/scale, X = min(max(x, 0), r), x ~ Lap(1). The sum of n
such losses has a law in closed form (docs/proofs/AUDIT.md), computed here in ball arithmetic:

    P(X_1 + .. + X_n <= t) = 1 - 2^-n e^{-t} sum_{k <= t/r} C(n,k) B_k(t - kr),  0 <= t < nr,

and by symmetry delta(eps) = P(L > eps) - e^eps P(L < -eps).
"""

from functools import lru_cache
from math import factorial

import numpy as np
from flint import arb, arb_poly, fmpq, fmpq_poly, fmpz_poly
from pydantic import Field

from dpbandits.audit.computed.balls import (
    MOST_BITS,
    as_delta,
    positive_part,
    precision,
    sharp,
    upper,
)
from dpbandits.audit.computed.calibrate import Search, smallest
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism
from dpbandits.core.models import Model


class LaplaceTarget(Model):
    """`releases` values, each of that sensitivity under the same change of the data."""

    sensitivity: float = Field(1.0, gt=0, description="by how much a neighbour's value may differ")
    releases: int = Field(1, ge=1, le=200, description="values released, each with its own noise")


class LaplaceParams(LaplaceTarget):
    scale: float = Field(gt=0, description="b of the noise Lap(b)")


def single_delta(shift: arb, epsilon: arb) -> arb:
    """delta of one release with shift r = sensitivity/scale, at any real eps (also negative)."""
    shift, epsilon = arb(shift), arb(epsilon)
    if epsilon >= shift:
        return arb(0)
    if epsilon <= -shift:
        return -epsilon.expm1()
    middle = positive_part(-((epsilon - shift) / 2).expm1())
    return middle if epsilon > -shift else middle.union(-epsilon.expm1())


@lru_cache(maxsize=64)
def _exact_polynomials(releases: int) -> tuple[fmpq_poly, ...]:
    """C(n,k) B_k for every k: B_k(z) = sum_i (sum_{m>i} a_m) z^i/i!, a_m the coefficient of u^m in
    (1 - u)^k (1 + u)^(n - k)."""
    minus, plus = fmpz_poly([1, -1]), fmpz_poly([1, 1])
    polynomials, choose = [], 1
    for k in range(releases + 1):
        a = [int(x) for x in (minus**k * plus ** (releases - k)).coeffs()]
        a += [0] * (releases + 1 - len(a))
        sums = [choose * sum(a[i + 1 :]) for i in range(releases)]
        polynomials.append(fmpq_poly([fmpq(x, factorial(i)) for i, x in enumerate(sums)]))
        choose = choose * (releases - k) // (k + 1)
    return tuple(polynomials)


def _tail(t: arb, shift: arb, releases: int, polynomials: list[arb_poly], with_ties: bool) -> arb:
    """P(X_1 + .. + X_n > t), or P(.. >= t) without ties: atoms stand at the multiples of r.

    A multiple that the balls cannot tell from t counts as a tie.
    """
    total = arb(0)
    for k, polynomial in enumerate(polynomials):
        gap = t - k * shift
        if gap > 0 or (with_ties and not gap < 0):
            total += polynomial(gap)
        elif k == 0:
            return arb(1)
    return (-t).exp() * total / 2**releases


def composed_delta(shift: float | arb, releases: int, epsilon: float | arb) -> arb:
    """The exact delta of n releases at any real eps.

    The ball is narrow in the deepest tail, too, if the shift is given with enough bits: the
    alternating sums lose 8 and more bits per release.
    """
    if releases == 0:
        return positive_part(-arb(epsilon).expm1())
    if arb(epsilon) >= releases * arb(shift):
        return arb(0)
    if releases == 1:
        return sharp(lambda: single_delta(shift, epsilon), 1e-20)
    lost = int(1.5 * max(0.0, float(arb(epsilon))))  # bits, by the factor e^eps
    start = min(96 + 8 * releases + lost, MOST_BITS)
    return sharp(lambda: composed_deltas(arb(shift), releases, [arb(epsilon)])[0], 1e-20, start)


def composed_deltas(shift: arb, releases: int, epsilons: list[arb]) -> list[arb]:
    """`composed_delta` at several eps and the working precision.

    An atom of L that the balls cannot tell from eps counts on both sides or on neither. One of the
    two is right (both are, if they are equal), so the result is the union.
    """
    polynomials = [arb_poly(exact) for exact in _exact_polynomials(releases)]
    most, results = releases * shift, []
    for epsilon in epsilons:
        if epsilon >= most:
            results.append(arb(0))
        elif epsilon <= -most:
            results.append(-epsilon.expm1())
        else:
            t = (most - epsilon) / 2  # P(L > eps) = P(X < t), P(L < -eps) = P(X > nr - t)
            deltas = []
            tie = any((t - k * shift).overlaps(arb(0)) for k in range(releases + 1))
            for ties in (False, True) if tie else (True,):
                above = 1 - _tail(t, shift, releases, polynomials, ties)
                below = _tail(most - t, shift, releases, polynomials, not ties)
                deltas.append(above - epsilon.exp() * below)
            results.append(positive_part(deltas[0].union(deltas[-1])))
    return results


def count_below_0(params: LaplaceParams, which: int, runs: int, generator) -> np.ndarray:
    """How many releases fall below 0: of the value 0, or of its neighbour."""
    size = (runs, params.releases)
    values = which * params.sensitivity + generator.laplace(scale=params.scale, size=size)
    return (values < 0).sum(axis=1)


@mechanism(
    "laplace",
    params=LaplaceParams,
    examples=({"scale": 0.8}, {"scale": 2.0, "sensitivity": 1.5, "releases": 4}),
    sample=count_below_0,
)
def audit_laplace(params: LaplaceParams, at_epsilon=()) -> PrivacyLoss:
    """n releases, the data shifted by the sensitivity in each."""
    with precision(MOST_BITS):
        shift = arb(params.sensitivity) / arb(params.scale)
        pure = params.releases * shift
    deltas = {e: as_delta(composed_delta(shift, params.releases, e)) for e in at_epsilon}
    worst = {"values": [0.0], "neighbour": [params.sensitivity], "event": "all releases below 0"}
    return PrivacyLoss(upper(pure), deltas, worst, "certified")


@calibrator("laplace", params=LaplaceTarget, examples=({"sensitivity": 2.0, "releases": 3},))
def calibrate_laplace(params: LaplaceTarget, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates scale."""

    def audit(scale, at):
        return audit_laplace(LaplaceParams(scale=scale, **params.model_dump()), at)

    search = Search(params.sensitivity * params.releases, least=1e-6)
    return smallest(audit, target_epsilon, target_delta, search)
