"""DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025): DP-KLUCB's phases with IMED's index."""

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.dp_klucb import DpKlucb
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import bandit_algorithm


@bandit_algorithm(
    "dp-imed",
    setting=GrowthSetting,
    source="Azize et al. 2025; how batches grow is our choice (hu/rivals_tuning)",
    claim=PROVED,
    notion=PURE,
)
class DpImed(DpKlucb):
    relative = True
    tuned = {0.01: (2.0, 8.0), 0.05: (2.0, 8.0), 0.1: (2.0, 8.0), 0.25: (2.0, 16.0),
             0.5: (1.2, 16.0), 1.0: (1.1, 16.0), 2.0: (1.2, 8.0), 5.0: (1.1, 2.0)}  # fmt: skip

    def index(self):
        """-(n d_eps(mu, mu*) + ln n): IMED plays the arm that minimises the sum; mu* is
        the best of the arms that can be played."""
        mu, n, best = self.mu, np.maximum(self.n, 1), self.mu[self.among].max()
        index = np.empty(self.K)
        for i in range(self.K):
            index[i] = -(n[i] * d_eps(mu[i], best, self.epsilon) + np.log(n[i]))
        return index
