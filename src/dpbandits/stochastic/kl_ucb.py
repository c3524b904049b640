"""KL-UCB (Garivier and Cappe 2011): UCB1's rounds with an index in KL divergence; not private."""

import numpy as np

from dpbandits.stochastic.divergences import kl_bound
from dpbandits.stochastic.rounds import bandit_algorithm
from dpbandits.stochastic.ucb1 import Ucb1


@bandit_algorithm("kl-ucb", source="Garivier and Cappe 2011")
class KlUcb(Ucb1):
    def index(self):
        """max{q: n kl(mu, q) <= ln t} as a logit, for all arms."""
        n = np.maximum(self.n, 1)
        mu, level = self.total / n, np.log(self.t)
        return [kl_bound(mu[j], level / n[j]) for j in range(len(n))]
