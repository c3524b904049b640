"""Study: how many people dp-linear needs.

One context for all arms, N(0, I); arm a gives 1 with probability 1/(1 + exp(-x'theta_a)), where
x'theta_a has the standard deviation `strength` in the mean over draws of theta; `people` is the
first round, of 30 up to `most` times what dp-linear's own rule of thumb says, at which the mean
regret so far is at most half of random arms', over the arms.
"""

import math

import numpy as np
import pandas as pd

from dpbandits.core.models import Count, Model, Several
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.series import Positive, Positives, Share
from dpbandits.reproduction.studies import study
from dpbandits.sparse.dp_linear import DpLinear, LinearProblem, enough
from dpbandits.sparse.engine.dp_linear import play


class Params(Model):
    d: tuple[Count, ...]
    epsilon: Positives
    arms: tuple[Several, ...]
    seeds: Several
    delta: Share
    strength: Positive
    most: Positive


@study("fl/dense_people", params=Params, runs=("dp-linear",))
def compute(params: Params) -> pd.DataFrame:
    base = params.d[len(params.d) // 2], params.epsilon[0], params.arms[0]
    cases = [(d, *base[1:]) for d in params.d]
    cases += [(base[0], epsilon, base[2]) for epsilon in params.epsilon[1:]]
    cases += [(*base[:2], arms) for arms in params.arms[1:]]
    return pd.DataFrame([
        {"d": d, "epsilon": epsilon, "arms": arms}
        | {"people": people_needed(params, d, epsilon, arms)}
        for d, epsilon, arms in cases
    ])  # fmt: skip


def people_needed(params: Params, d: int, epsilon: float, arms: int) -> float:
    """Per arm; NaN if the horizon is too short."""
    horizon = round(params.most * enough(arms, d, epsilon))
    key = key_of("fl/dense", f"{d} {arms}")
    generators = [Streams(key, (seed,)).generator(0) for seed in range(params.seeds)]
    shares = [_share(params, d, epsilon, arms, horizon, rng) for rng in generators]
    low = np.flatnonzero(np.mean(shares, axis=0) <= 0.5)
    low = low[low >= 30]
    return float(low[0] + 1) / arms if len(low) else math.nan


def _share(params: Params, d, epsilon, arms, horizon, rng) -> np.ndarray:
    """Regret over that of random arms after each round of a run."""
    theta = rng.standard_normal((arms, d)) * params.strength / math.sqrt(d)

    def draw(n):
        x = rng.standard_normal((n, d))
        means = 1 / (1 + np.exp(-x @ theta.T))
        return x, means, lambda played: rng.random(n) < means[np.arange(n), played]

    own = LinearProblem(arms=arms, d=d, delta=params.delta)
    regret = play(DpLinear(own, epsilon, SimulatedNoise(rng), rng), horizon, draw)
    means = draw(20_000)[1]
    idle = (means.max(axis=1) - means.mean(axis=1)).mean()
    return np.cumsum(regret) / (idle * np.arange(1, horizon + 1))
