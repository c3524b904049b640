"""Study: dp-linear where few coordinates matter and where all do, and how many people it needs.

Rows with `few` and `all`: FL's problem, beta* on five or on all coordinates, |b_j| in [0.5, 1];
each algorithm's regret over that of random arms. FLIPHAT and dp-linear get rewards clipped at two
of their standard deviations. All contexts are normal, which dp-signs is made for and dp-linear
makes no use of.

Rows with `own`: one context for all arms, N(0, I); arm a gives 1 with probability
1/(1 + exp(-x'theta_a)), where x'theta_a has the standard deviation `strength` in the mean over
draws of theta; `people` is the first round, of 30 up to `most` times what dp-linear's own rule of
thumb says, at which the mean regret so far is at most half of random arms', over the arms.
"""

import math
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import run
from dpbandits.core.models import Count, Model, Several, parse
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.series import AllSeries, Positive, Positives, Share, algorithms_of
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.reproduction.studies import study
from dpbandits.sparse.dp_linear import DpLinear, LinearProblem, enough
from dpbandits.sparse.engine.dp_linear import play
from dpbandits.sparse.problem import SparseSetting, signal_variance


class Params(Model):
    series: AllSeries
    d: tuple[Annotated[int, Field(ge=5)], ...]
    epsilon: Positives
    rounds: tuple[Count, ...]
    seeds: Several
    delta: Share
    own_d: tuple[Count, ...]
    own_epsilon: Positives
    own_arms: tuple[Several, ...]
    own_seeds: Several
    strength: Positive
    most: Positive


@study("fl/dense", params=Params, runs=lambda params: [*algorithms_of(params), "random-arm"])
def compute(params: Params) -> pd.DataFrame:
    rows = [row for d in params.d for row in _of_fl(params, d)]
    base = params.own_d[len(params.own_d) // 2], params.own_epsilon[0], params.own_arms[0]
    cases = [(d, *base[1:]) for d in params.own_d]
    cases += [(base[0], epsilon, base[2]) for epsilon in params.own_epsilon[1:]]
    cases += [(*base[:2], arms) for arms in params.own_arms[1:]]
    people = [
        {"problem": "own", "d": d, "epsilon": epsilon, "algorithm": "dp-linear", "arms": arms,
         "people": people_needed(params, d, epsilon, arms)}
        for d, epsilon, arms in cases
    ]  # fmt: skip
    return pd.DataFrame(rows + people)


def _of_fl(params: Params, d: int):
    for problem, count in {"few": 5, "all": d}.items():
        setting = {"d": d, "true_sparsity": count, "sparsity": min(2 * count, d)}
        setting["delta"] = params.delta
        clip = 2 * math.sqrt(signal_variance(parse(SparseSetting, setting, "setting")))
        common = max(params.rounds), range(params.seeds), params.rounds
        idle = run("random-arm", setting, math.inf, *common).regret.mean(axis=0)
        for epsilon in params.epsilon:
            for series in params.series:
                shares = series.run(setting | {"clip": clip}, epsilon, *common).regret / idle
                keys = {"problem": problem, "d": d, "epsilon": epsilon, "algorithm": series.id}
                for t, share in zip(params.rounds, shares.T, strict=True):
                    yield keys | {"t": t} | mean_with_band(share)


def people_needed(params: Params, d: int, epsilon: float, arms: int) -> float:
    """Per arm; NaN if the horizon is too short."""
    horizon = round(params.most * enough(arms, d, epsilon))
    key = key_of("fl/dense", f"{d} {arms}")
    generators = [Streams(key, (seed,)).generator(0) for seed in range(params.own_seeds)]
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
