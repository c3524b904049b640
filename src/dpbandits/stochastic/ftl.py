"""Follow-the-Leader: full information, the sums of all rounds, no noise; not private."""

import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit_algorithm


@bandit_algorithm("ftl", source="Van Erven, Kotlowski and Warmuth 2014")
class Ftl(Bandit):
    full_information = True
    state = ("Phi",)

    def start(self):
        self.new, self.Phi = [], np.zeros(self.K)

    def index(self):
        return self.Phi

    def update(self, J, X):
        self.Phi += X
