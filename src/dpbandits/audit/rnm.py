"""Report-noisy-max: argmax of counts plus Lap(b) noise, its worst neighbours proved.

Arm j wins with probability P_j(c) = int f(x - c_j) prod_{k != j} F(x - c_k) dx, f and F the
density and distribution function of Lap(b). Between two neighbouring counts the integrand is a
Laurent polynomial in e^{x/b}: the integral is a closed form (`selection_probabilities`).

Neighbours. replace: every count may move by -1, 0 or +1. add-remove: all counts move by 0 or 1 in
one direction. Counts stay in 0..rounds.

Worst pure loss. Write P_j as g(d), d_k = c_j - c_k; g rises in each d_k, so at given c' the worst c
has every d_k higher by s = 2 (replace) or s = 1 (add-remove). Let X have the law with density
proportional to f(x) prod F(x + d_k): then g(d - s)/g(d) = E[f(X + s)/f(X)], and f(x + s)/f(x) falls
in x because ln f is concave. Lowering a d_k multiplies that density by F(x + d_k')/F(x + d_k),
which rises in x because ln F is concave; so X moves up and the ratio falls. Hence g(d)/g(d - s)
rises as any d_k falls, and the worst pair has arm j at 0, all others at `rounds`, afterwards. This
holds for any log-concave noise, and for Lap(b) the loss tends to s/b as `rounds` grows.

Worst delta. The best test says "the winner is in S". P(S) rises in the counts of S and falls in
those of its complement T, so at given c the worst c' moves S down and T up as far as allowed, and
where a count could not move, changing c so that it can only raises P(S). So only these pairs
count, for each size of S. Moreover the hockey-stick divergence is quasi-concave in each single
count (a function with one change of sign keeps at most one under the kernel f(x - c), which is
totally positive), so for two arms the best difference is found by bisection; for three and four
arms all multisets of counts are enumerated; beyond, delta is bounded from above by that of
randomized response with the same pure loss.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Literal

from flint import arb, arb_poly
from pydantic import Field

from dpbandits.audit.intervals import as_delta, compare, highest, lower, precision, sharp, upper
from dpbandits.core.mechanisms import PrivacyLoss, mechanism, named
from dpbandits.core.models import Model

Adjacency = Literal["replace", "add-remove"]
SHIFT = {"replace": 2, "add-remove": 1}  # of the difference of two counts
LEAST_SCALE, MOST_ARMS = 1e-6, 1000


class RnmParams(Model):
    """Each arm's count is in 0..rounds; scale is b of Lap(b)."""

    scale: Annotated[float, Field(ge=LEAST_SCALE, le=1e12)]
    arms: Annotated[int, Field(ge=2, le=MOST_ARMS)]
    rounds: Annotated[int, Field(ge=1, le=10**9)]
    adjacency: Adjacency


# Selection probabilities


def selection_probabilities(scores: Sequence[float | arb], scale: float | arb = 1.0) -> list[arb]:
    """P(arm j wins) for every arm, as balls of the working precision."""
    counted = Counter(scores)
    levels = sorted(counted, key=lambda u: float(u))
    units = [arb(u) / arb(scale) for u in levels]
    by_level = _win_by_level(units, [counted[u] for u in levels])
    return [by_level[levels.index(u)] for u in scores]


def two_levels(gap: arb, first: int, others: int) -> arb:
    """P(some one of `first` arms, all at `gap` above the `others`, wins); unit noise, any ball."""
    if gap >= 0:
        return first * _win_by_level([arb(0), gap], [others, first])[1]
    if gap < 0:
        return first * _win_by_level([gap, arb(0)], [first, others])[0]
    doubt = arb(0).union(abs(gap))  # the sign is unknown: both orders, over the whole ball
    above = _win_by_level([arb(0), doubt], [others, first])[1]
    return first * above.union(_win_by_level([-doubt, arb(0)], [first, others])[0])


def _win_by_level(units: list[arb], copies: list[int]) -> list[arb]:
    """Win probability of one arm at each of the rising levels, `copies` arms standing at each.

    Between levels lo and hi put z = e^{lo - x} in (w, 1]: an arm at or below lo has
    F = 1 - a z with a = e^{u - lo}/2, and f = a z; an arm above has F = f = A/z, A = e^{lo - u}/2.
    """
    wins = [_below_all(units, copies)] * len(units)
    for i, lo in enumerate(units):
        last = i + 1 == len(units)
        span = None if last else units[i + 1] - lo
        weight, above = arb(1), sum(copies[i + 1 :])
        for u, n in zip(units[i + 1 :], copies[i + 1 :], strict=True):
            weight *= ((lo - u).exp() / 2) ** n
        slopes = [(u - lo).exp() / 2 for u in units[: i + 1]]
        factors = [arb_poly([1, -a]) for a in slopes]
        whole = arb_poly([1])
        for factor, n in zip(factors, copies, strict=False):
            whole *= factor**n
        for j, a in enumerate(slopes):
            rest = arb_poly([1])
            for k, (factor, n) in enumerate(zip(factors, copies, strict=False)):
                rest *= factor ** (n - (k == j))
            wins[j] += weight * a * _integral(rest, 1 - above, span)
        if not last:
            shared = weight * _integral(whole, -above, span)
            for j in range(i + 1, len(units)):
                wins[j] += shared
    return wins


def _below_all(units: list[arb], copies: list[int]) -> arb:
    """The part of the integral below the lowest level: every factor is exponential there."""
    arms, lowest = sum(copies), units[0]
    product = arb(1)
    for u, n in zip(units, copies, strict=True):
        product *= ((lowest - u).exp() / 2) ** n
    return product / arms


def _integral(polynomial: arb_poly, power: int, span: arb | None) -> arb:
    """int of polynomial(z) z^power dz/z from w = e^-span to 1; w = 0 if span is None."""
    total = arb(0)
    for i, coefficient in enumerate(polynomial.coeffs()):
        m = i + power
        if m == 0:
            total += coefficient * span
        else:
            reach = arb(1) if span is None else -(-m * span).expm1()
            total += coefficient * reach / m
    return total


def start_bits(arms: int) -> int:
    """Bits that the alternating sums of `_integral` cost, and some."""
    return 96 + 4 * arms


def win_probability(counts: Sequence[int], winners: int, scale: float) -> arb:
    """P(the winner is one of the first `winners` arms)."""

    def compute():
        return sum(selection_probabilities(list(counts), scale)[:winners], arb(0))

    return sharp(compute, relative=1e-25, start=start_bits(len(counts)))


# The worst pure loss


def worst_counts(arms: int, rounds: int, adjacency: Adjacency) -> tuple[list[int], list[int]]:
    """The proved worst pair for the event "the first arm wins"."""
    before = 1 if adjacency == "replace" else 0
    return [before] + [rounds - 1] * (arms - 1), [0] + [rounds] * (arms - 1)


def pure_loss(scale: float, arms: int, rounds: int, adjacency: Adjacency) -> arb:
    """The exact pure privacy loss over all neighbouring counts, as a ball."""
    before, after = worst_counts(arms, rounds, adjacency)

    def compute():
        p = selection_probabilities(before, scale)[0]
        q = selection_probabilities(after, scale)[0]
        return p.log() - q.log()

    return _below_limit(sharp(compute, start=start_bits(arms)), SHIFT[adjacency], scale)


def _below_limit(loss: arb, shift: int, scale: float) -> arb:
    """The same ball, cut at the proved limit shift/scale if it reaches beyond.

    With many arms the loss is closer to the limit than any sensible precision can tell.
    """
    with precision(512):
        limit, radius = arb(shift) / arb(scale), arb(2) ** -100
        if loss < limit or not limit.is_exact() or not loss > limit - radius:
            return loss
        return arb(limit - radius, (1, -100))  # exact: the upper end of this ball is the limit


# The worst delta


def test_excess(before: Sequence[int], after: Sequence[int], winners: int, scale: float, eps):
    """P(S) - e^eps P'(S) for S = the first `winners` arms: a lower bound on delta, as a ball."""
    p = win_probability(before, winners, scale)
    q = win_probability(after, winners, scale)
    with precision(256):
        return p - arb(eps).exp() * q


def delta_two_arms(scale: float, rounds: int, adjacency: Adjacency, epsilon: float):
    """(delta, counts before, counts after) by bisection on the difference of two counts."""
    shift = SHIFT[adjacency]
    win = cache(lambda d: win_probability([max(d, 0), max(-d, 0)], 1, scale))

    def excess(d: int) -> arb:
        return win(d) - arb(epsilon).exp() * win(d - shift)

    low, high = shift - rounds, rounds  # of the difference before
    while low < high:  # excess rises, then falls (module docstring)
        middle = (low + high) // 2
        with precision(256):
            rising = compare(excess(middle + 1), excess(middle))
        low, high = (middle + 1, high) if rising else (low, middle)
    after = [max(low - shift, 0), max(shift - low, 0)]
    before = [after[0] + (shift == 2), after[1] - 1]
    if before[1] < 0:
        before, after = [before[0] + 1, 0], [after[0] + 1, 1]
    with precision(256):
        return highest([excess(low), arb(0)]), before, after


def delta_from_pure(pure: arb, epsilon: float) -> arb:
    """Above every mechanism of that pure loss: delta of binary randomized response."""
    excess = (pure.exp() - arb(epsilon).exp()) / (1 + pure.exp())
    return highest([excess, arb(0)])


@mechanism("rnm", params=RnmParams)
def audit_rnm(params: RnmParams, at_epsilon) -> PrivacyLoss:
    """Worst over all pairs of counts in 0..rounds."""
    scale, arms, rounds, adjacency = params.scale, params.arms, params.rounds, params.adjacency
    pure = pure_loss(scale, arms, rounds, adjacency)
    before, after = worst_counts(arms, rounds, adjacency)
    worst = {"counts": before, "neighbour": after, "output": 0, "delta_at": {}}
    deltas, method = {}, "certified"
    for epsilon in at_epsilon:
        delta, here, how = worst_delta(scale, arms, rounds, adjacency, epsilon, pure)
        deltas[epsilon] = as_delta(delta)
        worst["delta_at"][named(epsilon)] = here
        method = max(method, how, key=("certified", "exact", "bound").index)
    return PrivacyLoss(upper(pure), deltas, worst, method)


def worst_delta(scale, arms, rounds, adjacency, epsilon, pure):
    """(delta, its pair, method): certified for two arms, enumerated for few, bounded for many."""
    from dpbandits.audit.engine import rnm_search as search

    if epsilon >= upper(pure):
        return arb(0), {}, "certified"
    if arms == 2:
        delta, before, after = delta_two_arms(scale, rounds, adjacency, epsilon)
        return delta, {"counts": before, "neighbour": after, "outputs": [0]}, "certified"
    feasible = search.affordable(scale, arms, rounds, epsilon)
    find = search.enumerate_pairs if feasible else search.climb
    winners, before, after = find(scale, arms, rounds, adjacency, epsilon)
    found = highest([test_excess(before, after, winners, scale, epsilon), arb(0)])
    here = {"counts": before, "neighbour": after, "outputs": list(range(winners))}
    if feasible:
        return found, here, "exact"
    return delta_from_pure(pure, epsilon), here | {"delta_at_least": lower(found)}, "bound"
