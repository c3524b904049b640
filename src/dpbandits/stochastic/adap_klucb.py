"""AdaP-KLUCB (Azize and Basu 2022, Section 4): AdaP-UCB's episodes with the index of KL-UCB."""

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.adap_ucb import AdapUcb
from dpbandits.stochastic.divergences import kl_bound
from dpbandits.stochastic.problem import PROVED, AdapSetting
from dpbandits.stochastic.rounds import bandit_algorithm


@bandit_algorithm(
    "adap-klucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim=PROVED,
    notion=PURE,
)
class AdapKlucb(AdapUcb):
    def index(self):
        """max{q: n kl(mu_bar, q) <= alpha ln t} as a logit, for all arms."""
        mu, n, level = self.mu, self.n, self.alpha * np.log(self.t)
        mu_bar = np.clip(mu + level / (self.epsilon * n), 0.0, 1.0)
        index = np.empty(self.K)
        for a in range(self.K):
            index[a] = kl_bound(mu_bar[a], level / n[a])
        return index
