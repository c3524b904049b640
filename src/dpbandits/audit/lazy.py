"""The transcript of a lazy algorithm on a short horizon: its exact privacy loss.

rnm-ftnl: report-noisy-max on the last and longest epoch whose leader is still seen, any K. The
variants `prefix` and `phase` also draw how many rewards a leader is found from: a bound.

anytime-lazy-ucb and lazy-dp-ts, two arms: `lazy_ucb` gives P(transcript | sums) in closed form,
`lazy_ts` by quadrature; every table of rewards and every changed row is enumerated. More arms or
rounds: Theorems 2 and 4, which hold for all. Proofs: docs/proofs/AUDIT.md.
"""

import math
from bisect import bisect_left
from dataclasses import replace
from functools import cache
from typing import Literal

from pydantic import Field

from dpbandits.audit import rnm
from dpbandits.audit.balls import precision
from dpbandits.audit.engine import lazy_ucb
from dpbandits.audit.engine.lazy_ts import ts_law
from dpbandits.audit.engine.transcripts import Law, epochs_of, law_of
from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.mechanisms import PrivacyLoss, delta_of_pure, mechanism
from dpbandits.core.models import Model, parse

MOST_ROUNDS = 8  # 2^14 tables
LEAST_EPSILON = 1e-3  # of lazy-dp-ts: below, the loss drowns in the rounding of the bonuses
BITS, ACCURATE = 256, 60
NOISES = {  # of rnm-ftnl, by its variant: law, and scale in units of 1/eps
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


def ucb_law(horizon: int, epsilon: float, noise: float = 1.0, epochs=epochs_of) -> Law:
    """Anytime-Lazy-UCB with Lap(noise/eps): noise = 1 is the printed algorithm.

    Other `epochs` (deliberately broken variants, studies/zoo.py) may read other rounds.
    """

    @cache
    def log_probability(transcript, read, sums):
        for doublings in range(8):  # probabilities may be tiny; the impossible is an exact 0
            with precision(BITS << doublings):
                p = lazy_ucb.probability(transcript, read, sums, epsilon, noise)
                if p.is_zero():
                    return -math.inf
                if p.rel_accuracy_bits() >= ACCURATE:
                    return float(p.log())
        raise ProofError(f"the probability of {transcript} cannot be distinguished from 0")

    return law_of(horizon, log_probability, epochs)


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
        return audit_rnm_ftnl(params, at_epsilon)
    if params.variant != "printed":
        raise InputError(f"audit lazy: variant = {params.variant}: only rnm-ftnl has variants")
    if params.arms > 2 or params.horizon > MOST_ROUNDS:
        return _by_theorem(params, at_epsilon)
    if params.algorithm == "anytime-lazy-ucb":
        law = ucb_law(params.horizon, params.epsilon)
    else:
        if params.epsilon < LEAST_EPSILON:
            raise InputError(
                f"audit lazy: epsilon = {params.epsilon:g}: {params.algorithm} "
                f"allows at least {LEAST_EPSILON:g}"
            )
        law = ts_law(params.horizon, params.epsilon)
    pure, where, deltas = law.worst(list(at_epsilon))
    return PrivacyLoss(pure, deltas, where, "exact")


def _by_theorem(params: LazyParams, at_epsilon) -> PrivacyLoss:
    """Where the tables are too many: Theorem 2 or 4, which hold for all K and T."""
    number = {"anytime-lazy-ucb": 2, "lazy-dp-ts": 4}[params.algorithm]
    deltas = {e: delta_of_pure(params.epsilon, e) for e in at_epsilon}
    found = {"theorem": f"HU-T{number} (docs/proofs/HU.md)"}
    return PrivacyLoss(params.epsilon, deltas, found, "bound")


def audit_rnm_ftnl(params: LazyParams, at_epsilon) -> PrivacyLoss:
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
    return replace(loss, method="bound") if drawn else loss


def longest_epoch(variant: str, horizon: int) -> int:
    """The most rewards behind a leader that is seen within the horizon.

    Doubling epochs: 2^s rounds end with round 2^(s+1) - 1. `phase`: floor(e^(i + V)) for i = 0, 1,
    ..; the least V with a last epoch of n rounds makes the others floor(n/e), floor(n/e^2), ..
    """
    if variant != "phase":
        return 2 ** (horizon.bit_length() - 2) if horizon > 1 else 0

    def last_round(size: int) -> int:
        return sum(math.floor(size / math.e**i) for i in range(int(math.log(size)) + 1))

    return bisect_left(range(1, horizon), horizon, key=last_round)
