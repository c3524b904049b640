"""The worst pure loss and the worst delta of report-noisy-max, over all pairs of counts.

The probabilities are computed in `selection`; docs/proofs/AUDIT.md proves which neighbours are
worst. p: `rnm.RnmParams`.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from math import ceil, log

from flint import arb

from dpbandits.audit.computed.balls import highest, lower, positive_part, precision, sharp, upper
from dpbandits.audit.computed.selection import Noise, selection_probabilities, start_bits
from dpbandits.stochastic.mechanisms.rnm_search import few_enough, worst_pair

SHIFT = {"replace": 2, "add-remove": 1}  # of the difference of two counts


# The worst pure loss
def worst_counts(arms: int, rounds: int, adjacency: str) -> tuple[list[int], list[int]]:
    """The worst pair of counts for the event "the first arm wins"."""
    before = 1 if adjacency == "replace" else 0
    return [before] + [rounds - 1] * (arms - 1), [0] + [rounds] * (arms - 1)


def pure_loss(
    scale: float, arms: int, rounds: int, adjacency: str, noise: Noise = "laplace"
) -> arb:
    """The exact pure privacy loss over all neighbouring counts, as a ball."""
    before, after = worst_counts(arms, rounds, adjacency)

    def compute():
        p, q = (selection_probabilities(c, scale, noise)[0] for c in (before, after))
        return p.log() - q.log()

    return _below_limit(sharp(compute, start=start_bits(arms)), SHIFT[adjacency], scale)


def _below_limit(loss: arb, shift: int, scale: float) -> arb:
    """The same ball, cut at its proved upper limit shift/scale.

    With many arms the loss is too close to the limit for the precision to tell them apart.
    """
    with precision(512):
        limit, radius = arb(shift) / arb(scale), arb(2) ** -100
        if loss < limit or not limit.is_exact() or not loss > limit - radius:
            return loss
        return arb(limit - radius, (1, -100))  # exact: the upper end of this ball is the limit


# The worst delta
def event_excess(
    before: Sequence[int], after: Sequence[int], winners: int, scale: float, epsilon: float,
    noise: Noise = "laplace",
) -> arb:  # fmt: skip
    """P(S) - e^eps P'(S) for S = the first `winners` arms: a lower bound on delta, as a ball."""

    def compute():
        p, q = (selection_probabilities(c, scale, noise)[:winners] for c in (before, after))
        return sum(p, arb(0)) - arb(epsilon).exp() * sum(q, arb(0))

    return sharp(compute, relative=1e-16, start=start_bits(len(before)))


def two_counts(difference: int, shift: int) -> tuple[list[int], list[int]]:
    """The smallest two counts with this difference, and neighbours whose difference is `shift`
    lower."""
    after = [max(difference - shift, 0), max(shift - difference, 0)]
    before = [after[0] + (shift == 2), after[1] - 1]
    if before[1] < 0:
        before, after = [before[0] + 1, 0], [after[0] + 1, 1]
    return before, after


def two_level_delta(p, epsilon: float, winners: int) -> tuple[arb, dict]:
    """(the largest P(S) - e^eps P'(S), its pair of counts), where the counts of S, the first
    `winners` arms, are equal, and so are those of the others. This is delta for two arms, else a
    lower bound."""
    shift = SHIFT[p.adjacency]

    def pair(difference: int) -> list[list[int]]:
        levels = two_counts(difference, shift)
        return [[x] * winners + [y] * (p.arms - winners) for x, y in levels]

    @cache
    def excess(difference: int) -> arb:
        return event_excess(*pair(difference), winners, p.scale, epsilon, p.noise)

    reach = p.rounds
    if p.arms > 2:  # at larger differences the winner is almost certain
        reach = min(reach, ceil(p.scale * (40 + epsilon + log(p.arms))) + shift)
    differences = range(shift - reach, reach)  # the excess rises, then falls
    falls = bisect_left(differences, True, key=lambda d: not excess(d + 1) > excess(d))
    best = shift - reach + falls
    before, after = pair(best)
    return excess(best), {"counts": before, "neighbour": after, "outputs": list(range(winners))}


def gumbel_delta(shift: arb, epsilon: float) -> arb:
    """delta of the exponential mechanism over all real scores."""
    gain = positive_part(((shift - epsilon) / 2).expm1())
    return arb(epsilon).exp() * gain**2 / shift.expm1()


def delta_from_above(p, epsilon: float, pure: arb) -> arb:
    """An upper bound for any number of arms."""
    if p.noise == "gumbel":
        return gumbel_delta(arb(SHIFT[p.adjacency]) / arb(p.scale), epsilon)
    response = (pure.exp() - arb(epsilon).exp()) / (1 + pure.exp())
    return positive_part(response)


def theorem(noise: Noise) -> str:
    curve = "exponential mechanism" if noise == "gumbel" else "randomized response"
    return f"above every law of that pure loss: the {curve}'s delta"


def worst_delta(p, epsilon: float, pure: arb) -> tuple[arb, dict, str]:
    """(delta, its pair of counts, method): certified for two arms, enumerated for few arms and
    counts, else bounded from above, with a lower bound beside it."""
    if epsilon >= upper(pure):
        return arb(0), {}, "certified"
    if p.arms == 2:
        delta, where = two_level_delta(p, epsilon, 1)
        return highest([delta, arb(0)]), where, "certified"
    if few_enough(p.scale, p.arms, p.rounds, epsilon):
        winners, before, after, error = worst_pair(p, epsilon)
        delta = event_excess(before, after, winners, p.scale, epsilon, p.noise)
        if delta > 100 * error:  # no other pair is better by 1%
            where = {"counts": before, "neighbour": after, "outputs": list(range(winners))}
            return delta, where, "exact"
    from_below = [two_level_delta(p, epsilon, m) for m in sorted({1, p.arms // 2, p.arms - 1})]
    least, where = max(from_below, key=lambda pair: lower(pair[0]))
    where["delta_at_least"] = max(0.0, lower(least))
    return delta_from_above(p, epsilon, pure), where, "bound"
