"""Who wins a noisy argmax: exact selection probabilities, as balls.

Arm j of scores c wins with probability P_j = int f(x - c_j) prod_{k != j} F(x - c_k) dx, f and F
the density and distribution function of the noise.

laplace      Between two neighbouring scores the integrand is a Laurent polynomial in e^x.
exponential  With p_k = e^{c_k - max c} and z = e^{max c - x}, P_j = p_j int_0^1 prod (1 - p_k z) dz
             over k != j: permute-and-flip (McKenna and Sheldon 2020) is the same selection (Ding
             et al. 2021).
gumbel       P_j is proportional to e^{c_j}: the exponential mechanism.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Literal

from flint import arb, arb_poly

Noise = Literal["laplace", "exponential", "gumbel"]


def selection_probabilities(
    scores: Sequence[float | arb], scale: float | arb = 1.0, noise: Noise = "laplace"
) -> list[arb]:
    """P(arm j wins) for every arm, as balls of the working precision."""
    counted = Counter(scores)
    levels = sorted(counted, key=lambda u: float(u))
    units = [arb(u) / arb(scale) for u in levels]
    win = {"laplace": _laplace, "exponential": _exponential, "gumbel": _gumbel}[noise]
    by_level = win(units, [counted[u] for u in levels])
    return [by_level[levels.index(u)] for u in scores]


def two_levels(gap: arb, first: int, others: int) -> arb:
    """P(one of `first` arms, all at `gap` above the `others`, wins), noise Lap(1), for any ball."""
    if gap >= 0:
        return first * _laplace([arb(0), gap], [others, first])[1]
    if gap < 0:
        return first * _laplace([gap, arb(0)], [first, others])[0]
    size = arb(0).union(abs(gap))  # the sign of the gap is unknown: the union of both orders
    above = _laplace([arb(0), size], [others, first])[1]
    return first * above.union(_laplace([-size, arb(0)], [first, others])[0])


def start_bits(arms: int) -> int:
    """A precision at which the alternating sums of `_integral` leave enough bits."""
    return 96 + 4 * arms


# Each of the next three returns the probability of one arm at each of the rising levels `units`, if
# `copies` arms are at each of them


def _gumbel(units: list[arb], copies: list[int]) -> list[arb]:
    masses = [(u - units[-1]).exp() for u in units]
    total = sum((n * mass for n, mass in zip(copies, masses, strict=True)), arb(0))
    return [mass / total for mass in masses]


def _exponential(units: list[arb], copies: list[int]) -> list[arb]:
    heights = [(u - units[-1]).exp() for u in units]
    return [p * _integral(_others(heights, copies, j)) for j, p in enumerate(heights)]


def _laplace(units: list[arb], copies: list[int]) -> list[arb]:
    """Between levels lo and hi put z = e^{lo - x} in (w, 1]: an arm at or below lo has
    F = 1 - a z with a = e^{u - lo}/2, and f = a z; an arm above has F = f = A/z, A = e^{lo - u}/2.

    With `weight` the product of the A of the `above` arms, and k over the arms at or below lo, an
    arm j of these wins there with weight a_j int prod_{k != j} (1 - a_k z) z^(1 - above) dz/z, each
    one above with weight int prod_k (1 - a_k z) z^-above dz/z.
    """
    wins = [_below_all(units, copies)] * len(units)
    for i, (lo, hi) in enumerate(pairwise([*units, None])):
        span = None if hi is None else hi - lo
        above = sum(copies[i + 1 :])
        weight = _tails(lo, units[i + 1 :], copies[i + 1 :])
        slopes = [(u - lo).exp() / 2 for u in units[: i + 1]]
        below = slopes, copies[: i + 1]
        for j in range(i + 1):
            wins[j] += weight * slopes[j] * _integral(_others(*below, j), 1 - above, span)
        if span is not None:
            shared = weight * _integral(_others(*below), -above, span)
            wins[i + 1 :] = [p + shared for p in wins[i + 1 :]]
    return wins


def _others(slopes: list[arb], copies: list[int], winner: int | None = None) -> arb_poly:
    """The product of all F = 1 - a z except that of one arm, the winner."""
    factors = enumerate(zip(slopes, copies, strict=True))
    powers = (arb_poly([1, -a]) ** (n - (k == winner)) for k, (a, n) in factors)
    return prod(powers, start=arb_poly([1]))


def _below_all(units: list[arb], copies: list[int]) -> arb:
    """The part of the integral below the lowest level: every factor is exponential there."""
    return _tails(units[0], units, copies) / sum(copies)


def _tails(x: arb, units: list[arb], copies: list[int]) -> arb:
    """The product of F(x - u) over arms at or above x."""
    return prod(
        (((x - u).exp() / 2) ** n for u, n in zip(units, copies, strict=True)), start=arb(1)
    )


def _integral(polynomial: arb_poly, power: int = 1, span: arb | None = None) -> arb:
    """int of polynomial(z) z^power dz/z from e^-span to 1; without a span from 0 (power 1)."""
    if span is None:
        return polynomial.integral()(1)
    terms = enumerate(polynomial.coeffs(), power)
    return sum((x * (-(-m * span).expm1() / m if m else span) for m, x in terms), arb(0))
