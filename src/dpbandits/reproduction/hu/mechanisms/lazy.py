"""The privacy loss of a lazy bandit's transcript.

Two arms, few rounds: all tables of rewards and all changes of a row are enumerated, with
P(transcript | sums) in closed form (`lazy_ucb`) or by quadrature (`lazy_ts`). More arms or rounds:
Theorems 2 and 4, which hold for all. Proofs: docs/proofs/AUDIT.md. For rnm-ftnl see `rnm`.
"""

import math
from functools import cache
from typing import Literal

from pydantic import Field

from dpbandits.audit.computed.balls import precision
from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.mechanisms import PrivacyLoss, delta_of_pure, mechanism
from dpbandits.core.models import Model
from dpbandits.reproduction.hu.lazy import lazy_ucb
from dpbandits.reproduction.hu.lazy.lazy_ts import ts_law
from dpbandits.reproduction.hu.lazy.transcripts import Law, law_of

MOST_ROUNDS = 8  # 2^14 tables
LEAST_EPSILON = 1e-3  # of lazy-dp-ts; the loss at a smaller one is lost in rounding
BITS, ACCURATE = 256, 60


class LazyParams(Model):
    algorithm: Literal["anytime-lazy-ucb", "lazy-dp-ts"] = Field(
        description="whose transcript of played arms is seen"
    )
    epsilon: float = Field(gt=0, le=100, description="eps that the algorithm is given")
    arms: int = Field(2, ge=2, le=100, description="number of arms")
    horizon: int = Field(ge=1, le=10**9, description="rounds played")


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
    ),
)
def audit_lazy(params: LazyParams, at_epsilon) -> PrivacyLoss:
    """Worst over all tables of rewards and all changes of one row."""
    thompson, epsilon = params.algorithm == "lazy-dp-ts", params.epsilon
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
