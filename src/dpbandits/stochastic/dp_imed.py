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
    def choose(self, mu, n, t):
        """argmin of n d_eps(mu, mu*) + ln n."""
        distance = np.array([d_eps(x, mu.max(), self.epsilon) for x in mu])
        return np.argmin(n * distance + np.log(n))
