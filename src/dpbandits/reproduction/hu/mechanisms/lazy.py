"""The privacy loss of a lazy algorithm's transcript.

rnm-ftnl: that of report-noisy-max on the last and longest epoch whose leader is still seen, for any
number of arms. The variants `prefix` and `phase` also draw from how many rewards a leader is found:
for these it is a bound.

anytime-lazy-ucb and lazy-dp-ts, two arms, few rounds: all tables of rewards and all changes of a
row are enumerated, with P(transcript | sums) in closed form (`lazy_ucb`) or by quadrature
(`lazy_ts`). More arms or rounds: Theorems 2 and 4, which hold for all. Proofs:
docs/proofs/AUDIT.md.
"""

import math
from bisect import bisect_left
from dataclasses import replace
from functools import cache
from typing import Literal

from pydantic import Field

from dpbandits.audit.computed.balls import precision
from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.mechanisms import PrivacyLoss, delta_of_pure, mechanism
from dpbandits.core.models import Model, parse
from dpbandits.reproduction.hu.lazy import lazy_ucb
from dpbandits.reproduction.hu.lazy.lazy_ts import ts_law
from dpbandits.reproduction.hu.lazy.transcripts import Law, law_of
from dpbandits.stochastic.mechanisms import rnm

MOST_ROUNDS = 8  # 2^14 tables
LEAST_EPSILON = 1e-3  # of lazy-dp-ts; the loss at a smaller one is lost in rounding
BITS, ACCURATE = 256, 60
NOISES = {  # of rnm-ftnl, by variant: law of the noise, and its scale in units of 1/eps
    "printed": ("laplace", 1),
    "corrected": ("laplace", 2),
    "permute-and-flip": ("exponential", 2),
    "gumbel": ("gumbel", 2),
    "prefix": ("gumbel", 2),
    "phase": ("exponential", 2),
}


class LazyParams(Model):
    algorithm: Literal["anytime-lazy-ucb", "lazy-dp-ts", "rnm-ftnl"] = Field(
        description="whose transcript of played arms is seen"
    )
    epsilon: float = Field(gt=0, le=100, description="eps that the algorithm is given")
    arms: int = Field(2, ge=2, le=100, description="number of arms")
    horizon: int = Field(ge=1, le=10**9, description="rounds played")
    variant: Literal["printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase"] = (
        Field(
            "printed",
            description="of rnm-ftnl: Laplace noise of scale 1/eps, or another of scale 2/eps",
        )
    )


def ucb_law(horizon: int, epsilon: float) -> Law:
    """The law of Anytime-Lazy-UCB."""

    @cache
    def log_probability(transcript, read, sums):
        for doublings in range(8):  # p may be tiny; it is an exact 0 if impossible
            with precision(BITS << doublings):
                p = lazy_ucb.probability(transcript, read, sums, epsilon)
                if p.is_zero():
                    return -math.inf
                if p.rel_accuracy_bits() >= ACCURATE:
                    return float(p.log())
        raise ProofError(f"the probability of {transcript} cannot be distinguished from 0")

    return law_of(horizon, log_probability)


# The mechanism
@mechanism(
    "lazy",
    params=LazyParams,
    examples=(
        {"algorithm": "anytime-lazy-ucb", "epsilon": 1.5, "horizon": 4},
        {"algorithm": "lazy-dp-ts", "epsilon": 1.5, "horizon": 4},
        {"algorithm": "rnm-ftnl", "epsilon": 1.0, "horizon": 7, "arms": 3},
        {"algorithm": "rnm-ftnl", "variant": "prefix", "epsilon": 1.0, "horizon": 9, "arms": 3},
        {"algorithm": "rnm-ftnl", "variant": "phase", "epsilon": 1.0, "horizon": 9, "arms": 3},
    ),
)
def audit_lazy(params: LazyParams, at_epsilon) -> PrivacyLoss:
    """Worst over all tables of rewards and all changes of one row."""
    if params.algorithm == "rnm-ftnl":
        return _audit_rnm_ftnl(params, at_epsilon)
    thompson, epsilon = params.algorithm == "lazy-dp-ts", params.epsilon
    if params.variant != "printed":
        raise InputError(f"audit lazy: variant = {params.variant}: only rnm-ftnl has variants")
    if params.arms > 2 or params.horizon > MOST_ROUNDS:  # too many tables
        deltas = {e: delta_of_pure(epsilon, e) for e in at_epsilon}
        theorem = f"HU-T{4 if thompson else 2} (docs/proofs/HU.md)"
        return PrivacyLoss(epsilon, deltas, {"theorem": theorem}, "bound")
    if thompson and epsilon < LEAST_EPSILON:
        raise InputError(
            f"audit lazy: epsilon = {epsilon:g}: {params.algorithm} "
            f"allows at least {LEAST_EPSILON:g}"
        )
    law = (ts_law if thompson else ucb_law)(params.horizon, epsilon)
    pure, where, deltas = law.worst(list(at_epsilon))
    return PrivacyLoss(pure, deltas, where, "exact")


def _audit_rnm_ftnl(params: LazyParams, at_epsilon) -> PrivacyLoss:
    """The leader of an epoch is seen right after it."""
    rounds = longest_epoch(params.variant, params.horizon)
    if rounds == 0:  # round 1 alone: no reward is read
        return PrivacyLoss(0.0, dict.fromkeys(at_epsilon, 0.0), {}, "exact")
    noise, times = NOISES[params.variant]
    keys = {"scale": times / params.epsilon, "noise": noise, "arms": params.arms}
    keys |= {"rounds": rounds, "adjacency": "replace"}
    loss = rnm.audit_rnm(parse(rnm.RnmParams, keys, "audit lazy: rnm-ftnl"), at_epsilon)
    phase = params.variant == "phase"
    loss.worst_neighbour["epoch"] = int(math.log(rounds)) if phase else rounds.bit_length() - 1
    drawn = phase or params.variant == "prefix"
    if drawn:
        loss.worst_neighbour["gap"] = "as if the drawn lengths were seen"
        for place in loss.worst_neighbour["delta_at"].values():
            place.pop("delta_at_least", None)  # attained only if the lengths are seen
    return replace(loss, method="bound") if drawn else loss


def longest_epoch(variant: str, horizon: int) -> int:
    """Length of the longest epoch whose leader is seen within the horizon.

    Epochs that double: 2^s rounds end with round 2^(s+1) - 1. `phase`: epoch i has floor(e^(i + V))
    rounds; the least V at which the last one has n makes the others floor(n/e), floor(n/e^2), ..
    """
    if variant != "phase":
        return 2 ** (horizon.bit_length() - 2) if horizon > 1 else 0

    def last_round(size: int) -> int:
        return sum(math.floor(size / math.e**i) for i in range(int(math.log(size)) + 1))

    return bisect_left(range(1, horizon), horizon, key=last_round)
