"""AdaP-KLUCB (Azize and Basu 2022, Section 4): AdaP-UCB's episodes with the index of KL-UCB."""

from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.adap_ucb import adap
from dpbandits.stochastic.divergences import kl_bound
from dpbandits.stochastic.problem import PROVED, AdapSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "adap-klucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim=PROVED,
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(adap, len(setting.means), epsilon, partial(index, setting.alpha, epsilon))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def index(alpha, epsilon, mu, n, t):
    """max{q: n kl(mu_bar, q) <= alpha ln t} as a logit, for all arms."""
    level = alpha * np.log(t)
    mu_bar = np.clip(mu + level / (epsilon * n), 0, 1)
    return [kl_bound(mu_bar[a], level / n[a]) for a in range(len(n))]
