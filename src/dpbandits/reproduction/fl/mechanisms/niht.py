"""N-IHT (FL Algorithm 1): its noise, compared with the true sensitivity of one step.

A step is a gradient step on the mean of (clip_R(y) - x'theta)^2, then Peeling with scale parameter
eta B/n, then projection on the l1 ball of radius C = b_max. Replacing one record (x, y),
|x|_inf <= x_max, moves a coordinate by up to 4 eta x_max (R + x_max |theta|_1)/n; in the first step
theta = 0. The printed B is R + x_max C; `corrected` has B = 4 x_max (R + x_max C).

delta is certified from above, by composition of all steps, and from below, by a test on the sum of
the selected coordinates over all steps or, for one step, by the event of `peeling`
(docs/proofs/AUDIT.md).
"""

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb
from typing import Annotated, Literal

from flint import arb
from pydantic import Field

from dpbandits.audit.computed.balls import as_delta, lower, precision, upper
from dpbandits.audit.computed.calibrate import Search, smallest
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism, named
from dpbandits.core.models import Model
from dpbandits.reproduction.fl.mechanisms import peeling

Positive = Annotated[float, Field(gt=0, le=1e12)]

MOST_SUMMED = 300  # Laplace variables in the lower bound's sum; the bound is 0 for more


class NihtTarget(Model):
    """s-sparse N-IHT of `steps` steps on n records of dimension d."""

    x_max: Annotated[Positive, Field(description="largest |coordinate| of a context")]
    reward_clip: Annotated[Positive, Field(description="R: rewards are clipped to [-R, R]")]
    b_max: Annotated[Positive, Field(description="C: l1 radius of the projection")]
    n: Annotated[int, Field(ge=1, le=10**12, description="records")]
    d: Annotated[int, Field(ge=1, le=10**9, description="dimension")]
    steps: Annotated[int, Field(ge=1, le=50, description="M: gradient steps")]
    s: Annotated[int, Field(ge=1, le=100, description="coordinates that a step keeps")]


class NihtParams(NihtTarget):
    epsilon: Annotated[float, Field(gt=0, le=1e4, description="eps of the printed noise")]
    delta: Annotated[float, Field(gt=0, lt=1, description="delta of the printed noise")]
    variant: Annotated[
        Literal["printed", "corrected"], Field(description="the sensitivity that scales the noise")
    ] = "printed"


def printed_b(p: NihtParams) -> arb:
    return arb(p.reward_clip) + arb(p.x_max) * arb(p.b_max)


def true_b(p: NihtParams, *, first: bool = False) -> arb:
    """n/eta times the true l_inf sensitivity of a step; `first`: of the first, where theta = 0."""
    reach = arb(p.reward_clip) if first else printed_b(p)
    return 4 * arb(p.x_max) * reach


def used_b(p: NihtParams) -> arb:
    return true_b(p) if p.variant == "corrected" else printed_b(p)


def step_ratio(p: NihtParams, *, first: bool = False) -> arb:
    """True sensitivity of a step over the Laplace scale of its Peeling(eps/M, delta/M)."""
    ratio = peeling.printed_ratio(p.s, arb(p.epsilon) / p.steps, arb(p.delta) / p.steps)
    return ratio * true_b(p, first=first) / used_b(p)


def from_above(p: NihtTarget, first: arb, later: arb, at_epsilon) -> tuple[arb, dict]:
    """Upper bounds (pure loss, {eps: delta}) of all steps; `first` and `later` are the ratios of
    sensitivity and scale in the first and the later steps."""
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


def delta_lower(p: NihtParams, epsilon: float) -> tuple[arb, str]:
    """(certified lower bound on delta, its test in words) of the better of two tests."""
    summed = delta_of_sum(p, epsilon), "the sum of the s coordinates is above a threshold"
    ratio = step_ratio(p, first=True)
    if p.steps > 1:
        return summed
    low, gap = peeling.delta_lower(ratio, p.s, p.d, epsilon)
    if not (p.n - 1) * ratio / 2 > gap + ratio:  # the other records cannot make that gap
        return summed
    if low > summed[0]:
        return low, f"the s coordinates, {gap:.3g} scales above the others, lose and are selected"
    return summed


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


SMALL = {"x_max": 3, "reward_clip": 12, "b_max": 3.5, "n": 4096, "d": 40, "steps": 2, "s": 3}


@mechanism(
    "niht",
    params=NihtParams,
    examples=(
        SMALL | {"epsilon": 1.0, "delta": 0.01},
        SMALL | {"epsilon": 2.0, "delta": 0.1, "variant": "corrected", "steps": 1},
    ),
)
def audit_niht(params: NihtParams, at_epsilon) -> PrivacyLoss:
    """The upper bound on delta, with the lower bound in `worst_neighbour`."""
    peeling.check_sizes(params.s, params.d)
    places = {}
    with precision(1024):
        first, later = step_ratio(params, first=True), step_ratio(params)
        pure, deltas = from_above(params, first, later, at_epsilon)
        for epsilon in at_epsilon:
            low, test = delta_lower(params, epsilon)
            places[named(epsilon)] = {"delta_at_least": lower(low), "test": test}
        worst = {
            "record": "y = R, x = x_max signs; replaced by y = -R: every coordinate moves alike",
            "sensitivity_over_noise_parameter": float(true_b(params) / used_b(params)),
            "the_same_in_the_first_step": float(true_b(params, first=True) / used_b(params)),
            "scale_times_n_over_eta": float(true_b(params) / later),
            "theorem": peeling.COMPOSED,
            "delta_at": places,
        }
    return PrivacyLoss(upper(pure), deltas, worst, "bound")


@calibrator("niht", params=NihtTarget, examples=(SMALL,))
def calibrate_niht(params: NihtTarget, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates scale: n/eta times the scale xi of every Laplace variable.

    By upper bounds alone: the target is met, with as little noise as composition can show.
    """
    peeling.check_sizes(params.s, params.d)

    def audit(scale, at):
        with precision(1024):
            first, later = (true_b(params, first=f) / arb(scale) for f in (True, False))
            pure, deltas = from_above(params, first, later, at)
        unit = "scale is n/eta times that of a Laplace variable"
        about = {"unit": unit, "theorem": peeling.COMPOSED}
        return PrivacyLoss(upper(pure), deltas, about, "bound")

    scale_at_1 = 3 * params.s * params.steps * upper(true_b(params))
    search = Search(scale_at_1, tolerance=1e-6, sharpen=15)
    return smallest(audit, target_epsilon, target_delta, search)
