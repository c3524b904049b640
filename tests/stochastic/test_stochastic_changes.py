"""What happens if an arm is added, or the means change, while a learner runs: batch by batch."""

import numpy as np

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.port import SimulatedNoise


class Run:
    """A learner, and the regret of what it plays; a batch of rewards is one Binomial."""

    def __init__(self, name, means, epsilon, rng):
        entry = get_algorithm(name)
        setting = entry.setting(means=[0.5] * len(means)).model_dump(exclude={"means"})
        self.rng, self.means, self.regret, self.t = rng, np.array(means), 0.0, 0
        noise = SimulatedNoise(rng)
        self.learner = entry.learner(len(means), epsilon, noise, rng, **setting)

    def play(self, rounds):
        """The plays of each arm."""
        learner, plays = self.learner, np.zeros(len(self.means), int)
        while plays.sum() < rounds:
            learner.t = self.t + int(plays.sum()) + 1
            J = learner.new[0] if learner.new else learner.choose()
            full = learner.length[J] if learner.rewards[J] else learner.size(J)
            n = int(min(full - learner.rewards[J], rounds - plays.sum()))
            plays[J] += n
            learner.length[J] = full
            learner.rewards[J] += n - 1
            learner.total[J] += self.rng.binomial(n, self.means[J])
            learner.update(J, 0.0)  # the last round of these
        self.t += rounds
        self.regret += float((self.means.max() - self.means) @ plays)
        return plays


def test_a_new_best_arm_is_played_at_once():
    """Of 5,000 rounds after it came, after its first batch."""
    rng, epsilon = np.random.default_rng(1), 1.0
    for _ in range(6):
        run = Run("na-imed", [0.1, 0.2, 0.3, 0.4, 0.5], epsilon, rng)
        run.play(50_000)
        run.learner.add_arm()
        run.means = np.append(run.means, 0.9)
        assert run.play(5000)[5] > 4900


def test_no_learner_recovers_from_reversed_means_and_ours_least():
    """As docs/which.md says: 10^5 rounds, the means reversed at half-time, epsilon 0.1."""
    lost = {}
    for name in ("na-imed", "dp-imed", "dp-klucb"):
        rng, found = np.random.default_rng(2), []
        for _ in range(20):
            means = np.sort(rng.random(5))
            run = Run(name, means, 0.1, rng)
            run.play(50_000)
            before, run.means = run.regret, means[::-1]
            run.play(50_000)
            assert before >= 0
            found.append(run.regret - before)
        lost[name] = np.mean(found)
    assert min(lost.values()) > 5000
    assert lost["na-imed"] > lost["dp-klucb"]
