"""DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025): DP-KLUCB's phases with IMED's index."""

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.dp_klucb import DpKlucb
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import bandit


@bandit(
    "dp-imed",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim=PROVED,
    notion=PURE,
)
class DpImed(DpKlucb):
    relative = True

    def index(self):
        """-(n d_eps(mu, mu*) + ln n): IMED plays the arm that minimises the sum; mu* is
        the best of the arms that can be played."""
        mu, n, best = self.mu, np.maximum(self.n, 1), self.mu[self.among].max()
        index = np.empty(self.K)
        for i in range(self.K):
            index[i] = -(n[i] * d_eps(mu[i], best, self.epsilon) + np.log(n[i]))
        return index
