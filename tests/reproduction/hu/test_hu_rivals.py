"""Privacy of the rivals, as proved in docs/proofs/HU.md, Section 5, on their plain files.

The engines take the same paths (tests/stochastic/test_stochastic_engines.py). If one reward
changes, and the noise of one release is shifted by the change, every decision must stay as it was.
The density of that noise changes by a factor of at most e^eps, which is their privacy.
"""

import numpy as np
import pytest

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.port import SimulatedNoise
from dpbandits.stochastic.rounds import decisions

ARMS = 3
RIVALS = ("adap-ucb", "adap-klucb", "dp-klucb", "dp-imed", "dp-se")


class Tape:
    """Rewards from a table, noise from a list; `released`: after which round, and the scale."""

    def __init__(self, table, noise):
        self.table, self.noise, self.round, self.released = table, noise, 0, []

    def reward(self, arm):
        self.round += 1
        return self.table[self.round - 1, arm]

    def laplace(self, scale, size=None):
        first, count = len(self.released), int(np.prod(size or 1))
        self.released += count * [(self.round, scale)]
        drawn = scale * self.noise[first : first + count]
        return drawn if size else drawn[0]


def play(name, epsilon, table, noise):
    tape, cls, horizon = Tape(table, noise), get_algorithm(name).learner, len(table)
    _, setting = cls.from_user(get_algorithm(name).setting, ARMS)
    options = setting.model_dump(exclude={"means"})
    learner = cls(ARMS, epsilon, SimulatedNoise(tape), tape, horizon, **options)
    return decisions(learner, tape.reward, horizon), tape.released


def releases_of(played, released, h):
    """The indices of the releases that round h (from 1) enters: at most one, of its arm, at the end
    of its epoch."""
    ends = sorted({end for end, _ in released if end >= h})
    if not ends:
        return []
    start = max((end for end, _ in released if end < h), default=0)
    arms = np.unique(played[start : ends[0]])
    first = next(i for i, (end, _) in enumerate(released) if end == ends[0])
    return [first + int(np.searchsorted(arms, played[h - 1]))]


ROUNDS = {"dp-se": 6000, "dp-klucb": 120}  # DP-SE has long epochs, DP-KLUCB is slow


@pytest.mark.parametrize("name", RIVALS)
def test_changed_reward_equals_one_shifted_noise(name):
    """Without the shift paths change somewhere: the test would notice."""
    epsilon, horizon = 5.0, ROUNDS.get(name, 400)
    released_rounds, changed_paths = 0, 0
    rng = np.random.default_rng(7)
    for _ in range(4):
        table = (rng.random((horizon, ARMS)) < rng.random(ARMS)).astype(int)
        noise = rng.laplace(size=5000)
        played, released = play(name, epsilon, table, noise)
        for h in rng.integers(1, 20 if name != "dp-se" else 4000, size=6):
            other, shifted = table.copy(), noise.copy()
            other[h - 1] = 1 - other[h - 1]  # the whole vector: only the arm played is read
            for i in releases_of(played, released, h):
                change = table[h - 1, played[h - 1]] - other[h - 1, played[h - 1]]
                shifted[i] += epsilon * change  # in units of the noise's scale
                released_rounds += 1
            again, _ = play(name, epsilon, other, shifted)
            np.testing.assert_array_equal(again, played)
            changed_paths += not np.array_equal(play(name, epsilon, other, noise)[0], played)
    assert released_rounds >= 12
    assert changed_paths or name == "dp-se"  # one reward of thousands changes no decision there
