"""N-IHT (FL Algorithm 1): its noise, compared with the true sensitivity of one step.

A step is a gradient step on the mean of (clip_R(y) - x'theta)^2, then Peeling with scale parameter
eta B/n, then projection on the l1 ball of radius C = b_max. Replacing one record (x, y),
|x|_inf <= x_max, moves a coordinate by up to 4 eta x_max (R + x_max |theta|_1)/n; in the first step
theta = 0. The printed B is R + x_max C.

delta is certified from above, by composition of all steps, and from below, by a test on the sum of
the selected coordinates over all steps (docs/proofs/AUDIT.md).
"""

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb
from typing import Annotated

from flint import arb
from pydantic import Field

from dpbandits.audit.computed.balls import as_delta, lower, precision, upper
from dpbandits.core.mechanisms import PrivacyLoss, mechanism, named
from dpbandits.core.models import Model
from dpbandits.reproduction.fl.mechanisms import peeling

Positive = Annotated[float, Field(gt=0, le=1e12)]

MOST_SUMMED = 300  # Laplace variables in the lower bound's sum; the bound is 0 for more


class NihtParams(Model):
    """s-sparse N-IHT of `steps` steps on n records of dimension d."""

    x_max: Annotated[Positive, Field(description="largest |coordinate| of a context")]
    reward_clip: Annotated[Positive, Field(description="R: rewards are clipped to [-R, R]")]
    b_max: Annotated[Positive, Field(description="C: l1 radius of the projection")]
    n: Annotated[int, Field(ge=1, le=10**12, description="records")]
    d: Annotated[int, Field(ge=1, le=10**9, description="dimension")]
    steps: Annotated[int, Field(ge=1, le=50, description="M: gradient steps")]
    s: Annotated[int, Field(ge=1, le=100, description="coordinates that a step keeps")]
    epsilon: Annotated[float, Field(gt=0, le=1e4, description="eps of the printed noise")]
    delta: Annotated[float, Field(gt=0, lt=1, description="delta of the printed noise")]


def printed_b(p: NihtParams) -> arb:
    return arb(p.reward_clip) + arb(p.x_max) * arb(p.b_max)


def true_b(p: NihtParams, *, first: bool = False) -> arb:
    """n/eta times the true l_inf sensitivity of a step; `first`: of the first, where theta = 0."""
    reach = arb(p.reward_clip) if first else printed_b(p)
    return 4 * arb(p.x_max) * reach


def step_ratio(p: NihtParams, *, first: bool = False) -> arb:
    """True sensitivity of a step over the Laplace scale of its Peeling(eps/M, delta/M)."""
    ratio = peeling.printed_ratio(p.s, arb(p.epsilon) / p.steps, arb(p.delta) / p.steps)
    return ratio * true_b(p, first=first) / printed_b(p)


def from_above(p: NihtParams, at_epsilon) -> tuple[arb, dict]:
    """Upper bounds (pure loss, {eps: delta}) of all steps."""
    first, later = step_ratio(p, first=True), step_ratio(p)
    pure = peeling.pure_loss(first, p.s, p.d) + (p.steps - 1) * peeling.pure_loss(later, p.s, p.d)
    worst = first if p.steps == 1 else later  # first < later
    deltas = {
        e: 0.0 if e >= pure else as_delta(peeling.delta_upper(worst, p.s, p.d, e, p.steps))
        for e in at_epsilon
    }
    return pure, deltas


# From below
@lru_cache(maxsize=8)
def _sum_tail_weights(count: int) -> tuple[Fraction, ...]:
    """The weights of P(W > t) = e^-t sum_i weights[i] t^i/i!, t >= 0, W the sum of `count` standard
    Laplace variables."""
    n = count
    mixture = [Fraction(comb(2 * n - j - 1, n - 1), 2 ** (2 * n - j)) for j in range(1, n + 1)]
    return tuple(accumulate(reversed(mixture)))[::-1]


def sum_tail(count: int, t: arb) -> arb:
    """P(the sum of `count` standard Laplace variables > t)."""
    if t < 0:
        return 1 - sum_tail(count, -t)
    total, power = arb(0), arb(1)
    for i, weight in enumerate(_sum_tail_weights(count)):
        power = power * t / i if i else arb(1)
        total += power * arb(weight.numerator) / weight.denominator
    return (-t).exp() * total


def delta_of_sum(p: NihtParams, epsilon: float) -> arb:
    """The largest value found over t of P(W > t) - missed - e^eps (P(W > t + shift) + missed).

    W is the sum of M s standard Laplace variables; `missed` bounds the probability that another set
    of coordinates is selected.
    """
    ratio, count = step_ratio(p, first=True), p.steps * p.s
    if count > MOST_SUMMED:
        return arb(0)
    shift = count * ratio
    missed = _missed_selections(p, ratio)

    def value(t: float) -> arb:
        with precision(128):
            p, q = sum_tail(count, arb(t)), sum_tail(count, arb(t) + shift)
            return p - missed - arb(epsilon).exp() * (q + missed)

    start = -float(shift)  # of t; the grid starts at 0
    best = peeling.best_of_grid(lambda x: value(start + x), 0.0, 1 - 2 * start, 9, 4)
    return value(start + best).max(arb(0))


def _missed_selections(p: NihtParams, ratio: arb) -> arb:
    """An upper bound on P(some step does not select the s leading coordinates)."""
    if p.d == p.s:
        return arb(0)
    gap = (arb(p.n - 1) / 2 - 1) * ratio
    return p.steps * p.s * (p.d + 1) * (-gap / 4).exp()


@mechanism(
    "niht",
    params=NihtParams,
    examples=(
        {"x_max": 3, "reward_clip": 12, "b_max": 3.5, "n": 4096, "d": 40, "steps": 2, "s": 3,
         "epsilon": 1.0, "delta": 0.01},
    ),
)  # fmt: skip
def audit_niht(params: NihtParams, at_epsilon) -> PrivacyLoss:
    """The upper bound on delta, with the lower bound in `worst_neighbour`."""
    peeling.check_sizes(params.s, params.d)
    with precision(1024):
        pure, deltas = from_above(params, at_epsilon)
        lows = {named(e): {"delta_at_least": lower(delta_of_sum(params, e))} for e in at_epsilon}
        worst = {
            "record": "y = R, x = x_max signs; replaced by y = -R: every coordinate moves alike",
            "test": "the sum of the s coordinates is above a threshold",
            "sensitivity_over_noise_parameter": float(true_b(params) / printed_b(params)),
            "the_same_in_the_first_step": float(true_b(params, first=True) / printed_b(params)),
            "scale_times_n_over_eta": float(true_b(params) / step_ratio(params)),
            "theorem": peeling.COMPOSED,
            "delta_at": lows,
        }
    return PrivacyLoss(upper(pure), deltas, worst, "bound")
