"""How attacks climb, where they stop to speak, and when the likelihood's search has arrived."""

import numpy as np
import pytest

from dpbandits.offline.engine import attack as climbing
from dpbandits.offline.engine.attack import Attack, attack
from dpbandits.offline.linear.attack import LinearAttack
from dpbandits.offline.preference import mle


def test_the_best_takes_the_place_of_the_worst(monkeypatch):
    """Two parents, one child each, and no child is better: from the second round on both children
    are the best's, within a step (at most 1e-3 standard deviations in the last round)."""
    monkeypatch.setattr(climbing, "PARENTS", 2)
    monkeypatch.setattr(climbing, "CHILDREN", 1)
    asked = []

    def ratio(rows):
        asked.append(rows)
        return rows[:, 0] if len(asked) == 1 else np.full(len(rows), -9.0)

    generator = np.random.default_rng(1)
    found = attack(Attack("made up", 1, ratio, dict), 20, 0.0, generator)
    best = asked[0].max()
    assert found.ratio == best
    assert asked[-1] == pytest.approx(best, abs=0.01)
    assert len(asked[-1]) == 2


def test_theorem_2_is_attacked_where_it_speaks():
    """It asks for lambda_min > 1: within rounding of 1 nothing is compared with it."""

    class Given(LinearAttack):
        def prepared(self, floors):
            halves = np.log(np.full((len(floors), 2), 0.5))
            thirds = np.log(np.tile([1 / 3, 2 / 3], (len(floors), 1)))
            data = {"penalty": np.ones(1), "eta": np.ones(1), "beta0": np.ones(1)}
            return data, (halves, thirds), np.full(len(floors), 5.0), floors, None

    with np.errstate(invalid="ignore"):
        ratios = Given(1).pure(np.array([1 - 5e-10, 1 + 5e-10, 1 + 1e-8]))
    assert list(ratios[:2]) == [0.0, 0.0]
    assert 0 < ratios[2] < 1


def test_a_likelihood_that_has_arrived_is_not_searched_on(monkeypatch):
    """At the maximum it rises no more than by rounding, which must not halve the step."""
    asked = []
    likelihood = mle._likelihood

    def counted(*words):
        asked.append(None)
        return likelihood(*words)

    monkeypatch.setattr(mle, "_likelihood", counted)
    none = np.zeros((1, 0, 2))
    for seed in range(20):
        generator = np.random.default_rng(seed)
        signed = generator.standard_normal((50, 2)) * 3
        mle.fit_many(signed, np.ones(50), none, np.zeros((1, 0)), 1e6)
    assert len(asked) <= 20 * 10
