"""n releases with Laplace noise: their exact delta in closed form.

One release loses L = r - 2X, r = sensitivity/scale, X = min(max(x, 0), r), x ~ Lap(1). The sum of n
such losses has a law in closed form (docs/proofs/AUDIT.md), computed here in ball arithmetic:

    P(X_1 + .. + X_n <= t) = 1 - 2^-n e^{-t} sum_{k <= t/r} C(n,k) B_k(t - kr),  0 <= t < nr,

and by symmetry delta(eps) = P(L > eps) - e^eps P(L < -eps).
"""

from functools import lru_cache
from math import factorial

from flint import arb, arb_poly, fmpq, fmpq_poly, fmpz_poly

from dpbandits.audit.computed.balls import MOST_BITS, positive_part, sharp


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
