"""`dpbandits audit rnm` and `calibrate rnm`: report-noisy-max, the argmax of counts plus noise.

The noise, of one scale, is Laplace, exponential (permute-and-flip) or Gumbel (the exponential
mechanism).

certified: the worst pure loss of any number of arms (arm j at 0, all others at `rounds`), and the
worst delta of two arms. exact: the worst delta of three to eight arms, where all pairs of counts
that may be the worst can be enumerated. bound: the worst delta of more arms or counts, at most that
of the exponential mechanism (Gumbel noise) or of randomized response with the same pure loss.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from dpbandits.audit.computed.balls import as_delta, upper
from dpbandits.audit.computed.calibrate import Search, smallest
from dpbandits.audit.computed.selection import Noise
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism, named
from dpbandits.core.models import Model
from dpbandits.stochastic.mechanisms.rnm_loss import (
    SHIFT,
    delta_from_above,
    pure_loss,
    theorem,
    worst_counts,
    worst_delta,
)
from dpbandits.stochastic.mechanisms.rnm_search import few_enough

Adjacency = Literal["replace", "add-remove"]
LEAST_SCALE, MOST_ARMS = 1e-6, 1000
MOST_FOR_DELTA = 400  # arms: beyond, delta takes minutes, but for Gumbel noise


class RnmTarget(Model):
    """Each arm's count is in 0..rounds."""

    arms: int = Field(
        ge=2, le=MOST_ARMS, description=f"number of counts; for delta {MOST_FOR_DELTA} at most"
    )
    rounds: int = Field(ge=1, le=10**9, description="the largest count")
    adjacency: Adjacency = Field(
        description="replace: a count moves by at most 1; add-remove: by 0 or 1, one way"
    )
    noise: Noise = Field("laplace", description="law of the noise")


class RnmParams(RnmTarget):
    scale: float = Field(ge=LEAST_SCALE, le=1e12, description="scale b of every count's noise")


def sample_winners(params: RnmParams, which: int, runs: int, generator) -> np.ndarray:
    """Winners on the worst pair of counts for the pure loss."""
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
    sample=sample_winners,
)
def audit_rnm(params: RnmParams, at_epsilon=()) -> PrivacyLoss:
    """Worst over all pairs of counts in 0..rounds."""
    p = params
    if p.arms > MOST_FOR_DELTA and p.noise != "gumbel" and at_epsilon:
        limit = f"allowed with at_epsilon: at most {MOST_FOR_DELTA}, or noise=gumbel"
        raise InputError(f"audit rnm: arms = {p.arms}: {limit}")
    pure = pure_loss(p.scale, p.arms, p.rounds, p.adjacency, p.noise)
    before, after = worst_counts(p.arms, p.rounds, p.adjacency)
    worst = {"counts": before, "neighbour": after, "output": 0, "delta_at": {}}
    deltas, method = {}, "certified"
    for epsilon in at_epsilon:
        delta, worst["delta_at"][named(epsilon)], how = worst_delta(p, epsilon, pure)
        deltas[epsilon] = as_delta(delta)
        method = max(method, how, key=("certified", "exact", "bound").index)
    if method == "bound":
        worst["theorem"] = theorem(p.noise)
    return PrivacyLoss(upper(pure), deltas, worst, method)


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

    def audit(scale, at):
        p = RnmParams(scale=scale, **params.model_dump())
        if p.arms == 2 or not at or few_enough(p.scale, p.arms, p.rounds, target_epsilon):
            return audit_rnm(p, at)
        pure = pure_loss(p.scale, p.arms, p.rounds, p.adjacency, p.noise)
        deltas = {e: as_delta(delta_from_above(p, e, pure)) for e in at}
        return PrivacyLoss(upper(pure), deltas, {"theorem": theorem(p.noise)}, "bound")

    few = {"tolerance": 1e-6, "sharpen": 0} if params.arms > 2 else {}  # each may take seconds
    search = Search(SHIFT[params.adjacency], floor=LEAST_SCALE, **few)
    return smallest(audit, target_epsilon, target_delta, search)
