"""Follow-the-Leader: full information, the sums of all rounds, no noise; not private."""

import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("ftl", source="Van Erven, Kotlowski and Warmuth 2014")
class Ftl(Bandit):
    full_information = True

    def start(self):
        self.Phi = np.zeros(self.K)

    def act(self):
        return int(np.argmax(self.Phi))

    def update(self, X):
        self.Phi += X
