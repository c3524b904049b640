"""DP-SE, private successive elimination (Sajed and Sheffet 2019), with beta = 1/T.

Constants as in two independent implementations, which agree.
"""

from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED, StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "dp-se", setting=StochasticSetting, source="Sajed and Sheffet 2019", claim=PROVED, notion=PURE
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(dp_se, len(setting.means), epsilon, 1 / horizon)
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def dp_se(K, epsilon, beta, rng):
    """`X = yield i` pulls arm i and receives its reward (see `rounds`)."""
    S = np.arange(K)
    for e in count(1):
        if len(S) == 1:
            while True:
                yield S[0]
        Delta, size = 2.0**-e, len(S)
        sampling = 32 * np.log(8 * size * e**2 / beta) / Delta**2
        privacy = 8 * np.log(4 * size * e**2 / beta) / (epsilon * Delta)
        R = max(sampling, privacy) + 1
        total, r = np.zeros(size), 0
        while r < R:
            r += 1
            for i in range(size):
                X = yield S[i]
                total[i] += X
        mu = (total + rng.laplace(scale=1 / epsilon, size=size)) / r
        h = np.sqrt(np.log(8 * size * e**2 / beta) / (2 * R))
        c = np.log(4 * size * e**2 / beta) / (R * epsilon)
        S = S[mu.max() - mu <= 2 * h + 2 * c]
