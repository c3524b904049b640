"""Report-noisy-max: argmax of counts plus noise of one scale, its worst neighbours proved.

The noise is Laplace, exponential (permute-and-flip) or Gumbel (the exponential mechanism); the
probabilities stand in `selection`. All three densities f are log-concave, so is F, and nothing else
is used of them below.

Neighbours. replace: every count may move by -1, 0 or +1. add-remove: all counts move by 0 or 1 in
one direction. Counts stay in 0..rounds.

Worst pure loss. Write P_j as g(d), d_k = c_j - c_k; g rises in each d_k, so at given c' the worst c
has every d_k higher by s = 2 (replace) or s = 1 (add-remove). Let X have the law with density
proportional to f(x) prod F(x + d_k): then g(d - s)/g(d) = E[f(X + s)/f(X)], and f(x + s)/f(x) falls
in x because ln f is concave. Lowering a d_k multiplies that density by F(x + d_k')/F(x + d_k),
which rises in x because ln F is concave; so X moves up and the ratio falls. Hence g(d)/g(d - s)
rises as any d_k falls, and the worst pair has arm j at 0, all others at `rounds`, afterwards. (An f
that vanishes somewhere is a limit of positive log-concave ones, and so is its g.) As f(x + s) is at
least e^{-s/b} f(x) for all three, the loss is at most s/b, and it tends to it as `rounds` grows.

Worst delta. The best test says "the winner is in S". P(S) rises in the counts of S and falls in
those of its complement T, so at given c the worst c' moves S down and T up as far as allowed, and
where a count could not move, changing c so that it can only raises P(S). So only these pairs
count, for each size of S. Moreover the hockey-stick divergence is quasi-concave in each single
count (a function with one change of sign keeps at most one under the kernel f(x - c), which is
totally positive), so for two arms the best difference is found by bisection; for more arms all
multisets of counts are enumerated while that is affordable; beyond, delta is bounded from above:
by the exponential mechanism's over all scores for Gumbel noise, else by that of randomized response
with the same pure loss.
"""

from functools import cache
from typing import Annotated, Literal

import numpy as np
from flint import arb
from pydantic import Field

from dpbandits.audit import exponential
from dpbandits.audit.balls import as_delta, compare, highest, lower, precision, sharp, upper
from dpbandits.audit.calibrate import Audit, bisect, check_target, meets, smallest
from dpbandits.audit.engine import rnm_search
from dpbandits.audit.engine.rnm_search import SHIFT
from dpbandits.audit.selection import Noise, event_excess, selection_probabilities, start_bits
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism, named
from dpbandits.core.models import Model

Adjacency = Literal["replace", "add-remove"]
LEAST_SCALE, MOST_ARMS = 1e-6, 1000


class RnmTarget(Model):
    """Each arm's count is in 0..rounds."""

    arms: Annotated[int, Field(ge=2, le=MOST_ARMS, description="number of counts")]
    rounds: Annotated[int, Field(ge=1, le=10**9, description="the largest count")]
    adjacency: Annotated[
        Adjacency,
        Field(description="replace: a count moves by at most 1; add-remove: by 0 or 1, one way"),
    ]
    noise: Annotated[Noise, Field(description="law of the noise")] = "laplace"


class RnmParams(RnmTarget):
    scale: Annotated[
        float, Field(ge=LEAST_SCALE, le=1e12, description="scale b of every count's noise")
    ]


# The worst pure loss
def worst_counts(arms: int, rounds: int, adjacency: Adjacency) -> tuple[list[int], list[int]]:
    """The proved worst pair for the event "the first arm wins"."""
    before = 1 if adjacency == "replace" else 0
    return [before] + [rounds - 1] * (arms - 1), [0] + [rounds] * (arms - 1)


def pure_loss(
    scale: float, arms: int, rounds: int, adjacency: Adjacency, noise: Noise = "laplace"
) -> arb:
    """The exact pure privacy loss over all neighbouring counts, as a ball."""
    before, after = worst_counts(arms, rounds, adjacency)

    def compute():
        p, q = (selection_probabilities(c, scale, noise)[0] for c in (before, after))
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
def delta_two_arms(
    scale: float, rounds: int, adjacency: Adjacency, epsilon: float, noise: Noise = "laplace"
):
    """(delta, counts before, counts after) by bisection on the difference of two counts."""
    shift = SHIFT[adjacency]

    @cache
    def excess(d: int) -> arb:
        return event_excess(*rnm_search.two_counts(d, shift), 1, scale, epsilon, noise)

    low, high = shift - rounds, rounds  # of the difference before
    while low < high:  # excess rises, then falls (module docstring)
        middle = (low + high) // 2
        rising = compare(excess(middle + 1), excess(middle))
        low, high = (middle + 1, high) if rising else (low, middle)
    return highest([excess(low), arb(0)]), *rnm_search.two_counts(low, shift)


def delta_from_pure(pure: arb, epsilon: float) -> arb:
    """Above every mechanism of that pure loss: delta of binary randomized response."""
    excess = (pure.exp() - arb(epsilon).exp()) / (1 + pure.exp())
    return highest([excess, arb(0)])


def _from_above(p: RnmParams, epsilon: float, pure: arb) -> arb:
    """An upper bound for any number of arms."""
    if p.noise == "gumbel":
        return exponential.delta(arb(SHIFT[p.adjacency]) / arb(p.scale), epsilon)
    return delta_from_pure(pure, epsilon)


def play(params: RnmParams, which: int, runs: int, generator) -> np.ndarray:
    """The winner of the worst counts for the pure loss."""
    counts = worst_counts(params.arms, params.rounds, params.adjacency)[which]
    draw = getattr(generator, params.noise)
    return (counts + draw(scale=params.scale, size=(runs, params.arms))).argmax(axis=1)


SMALL = {"scale": 1.5, "arms": 3, "rounds": 3, "adjacency": "replace"}


@mechanism(
    "rnm",
    params=RnmParams,
    examples=(
        SMALL,
        SMALL | {"noise": "exponential", "adjacency": "add-remove", "scale": 1.0},
        SMALL | {"noise": "gumbel"},
        SMALL | {"arms": 2, "rounds": 40},
        SMALL | {"arms": 20},
        SMALL | {"arms": 20, "noise": "gumbel"},
    ),
    sample=play,
)
def audit_rnm(params: RnmParams, at_epsilon) -> PrivacyLoss:
    """Worst over all pairs of counts in 0..rounds."""
    p = params
    pure = pure_loss(p.scale, p.arms, p.rounds, p.adjacency, p.noise)
    before, after = worst_counts(p.arms, p.rounds, p.adjacency)
    worst = {"counts": before, "neighbour": after, "output": 0, "delta_at": {}}
    deltas, method = {}, "certified"
    for epsilon in at_epsilon:
        delta, here, how = worst_delta(p, epsilon, pure)
        deltas[epsilon] = as_delta(delta)
        worst["delta_at"][named(epsilon)] = here
        method = max(method, how, key=("certified", "exact", "bound").index)
    if method == "bound":
        curve = "exponential mechanism" if p.noise == "gumbel" else "randomized response"
        worst["theorem"] = f"above every law of that pure loss: the {curve}'s delta"
    return PrivacyLoss(upper(pure), deltas, worst, method)


def worst_delta(p: RnmParams, epsilon: float, pure: arb) -> tuple[arb, dict, str]:
    """(delta, its pair, method): certified for two arms, enumerated for few, bounded for many."""
    if epsilon >= upper(pure):
        return arb(0), {}, "certified"
    if p.arms == 2:
        delta, before, after = delta_two_arms(p.scale, p.rounds, p.adjacency, epsilon, p.noise)
        return delta, {"counts": before, "neighbour": after, "outputs": [0]}, "certified"
    feasible = rnm_search.affordable(p.scale, p.arms, p.rounds, epsilon)
    find = rnm_search.enumerate_pairs if feasible else rnm_search.climb
    winners, before, after, doubt = find(p, epsilon)
    found = event_excess(before, after, winners, p.scale, epsilon, p.noise)
    here = {"counts": before, "neighbour": after, "outputs": list(range(winners))}
    if found > 100 * doubt:  # no pair that the search has missed is better by 1%
        return found, here, "exact"
    at_least = {"delta_at_least": max(0.0, lower(found))}
    return _from_above(p, epsilon, pure), here | at_least, "bound"


@calibrator(
    "rnm",
    params=RnmTarget,
    examples=(
        {"arms": 2, "rounds": 9, "adjacency": "replace"},
        {"arms": 3, "rounds": 4, "adjacency": "add-remove", "noise": "exponential"},
        {"arms": 12, "rounds": 4, "adjacency": "replace", "noise": "gumbel"},
    ),
)
def calibrate_rnm(params: RnmTarget, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates scale."""
    check_target(target_epsilon, target_delta)
    enough = max(LEAST_SCALE, SHIFT[params.adjacency] / target_epsilon)  # proved

    def audit(scale, at):
        return audit_rnm(RnmParams(scale=scale, **params.model_dump()), at)

    if params.arms > 2 and target_delta > 0:
        return calibrate_by_pairs(audit, target_epsilon, target_delta, enough, params.noise)
    floor = LEAST_SCALE
    least = max(floor, enough * 1e-4)
    return smallest(audit, target_epsilon, target_delta, enough, least=least, floor=floor)


def calibrate_by_pairs(
    audit: Audit, epsilon: float, delta: float, enough: float, noise: Noise
) -> Calibration:
    """Where one audit is a long search: calibrate on the worst pairs found so far, then audit.

    Every audit that fails gives another pair; one that passes is the certificate.
    """
    pairs, floor = [], LEAST_SCALE
    scale = max(floor, enough / 20)
    while scale > floor and meets(audit(scale, [epsilon]), epsilon, delta):
        enough, scale = scale, max(floor, scale / 20)
    for _ in range(20):
        loss = audit(scale, [epsilon])
        if meets(loss, epsilon, delta):
            return Calibration({"scale": scale}, loss, min(epsilon, loss.pure_epsilon))
        if loss.method == "bound":  # a closed form: fast
            return smallest(audit, epsilon, delta, enough, least=scale, floor=floor, sharpen=0)
        where = loss.worst_neighbour["delta_at"][named(epsilon)]
        pairs.append((where["counts"], where["neighbour"], len(where["outputs"])))

        def passes(scale):
            at_pairs = (event_excess(*pair, scale, epsilon, noise) for pair in pairs)
            return all(excess <= delta for excess in at_pairs)

        scale = bisect(passes, scale, scale * (1 - 1e-9), 1e-6) * (1 + 1e-6)
    return smallest(audit, epsilon, delta, enough, least=scale, tolerance=1e-3, sharpen=0)
