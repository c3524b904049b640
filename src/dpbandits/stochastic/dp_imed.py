"""DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025): DP-KLUCB's phases with IMED's index."""

from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.dp_klucb import phases
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "dp-imed",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim=PROVED,
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(phases, len(setting.means), epsilon, setting.growth, partial(choose, epsilon))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def choose(epsilon, mu, n, t):
    """argmin of n d_eps(mu, mu*) + ln n."""
    distance = np.array([d_eps(x, mu.max(), epsilon) for x in mu])
    return np.argmin(n * distance + np.log(n))
