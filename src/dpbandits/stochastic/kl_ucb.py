"""KL-UCB (Garivier and Cappe 2011): UCB1's rounds with an index in KL divergence; not private."""

from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.divergences import kl_bound
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds
from dpbandits.stochastic.ucb1 import ucb


@algorithm("kl-ucb", setting=StochasticSetting, source="Garivier and Cappe 2011")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(ucb, len(setting.means), index)
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def index(mu, n, t):
    """max{q: n kl(mu, q) <= ln t} as a logit, for all arms."""
    return [kl_bound(mu[j], np.log(t) / n[j]) for j in range(len(n))]
