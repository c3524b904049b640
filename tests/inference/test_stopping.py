"""`na-tt` ends and is right."""

import math

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.core.port import SimulatedNoise
from dpbandits.stochastic.na_tt import FLOOR

MEANS = {"two": (0.6, 0.4), "five": (0.75, 0.625, 0.5, 0.375, 0.25), "ends": (1.0, 0.5, 0.0)}


def experiment(means, epsilon, confidence, seed):
    """A finished `na-tt`, and its least play count over an even share at each release."""
    rng = np.random.default_rng(seed)
    made = {"noise": SimulatedNoise(rng), "rng": rng, "confidence": confidence}
    algorithm, lowest, t = get_algorithm("na-tt").learner(len(means), epsilon, **made), [], 0
    while not algorithm.over:
        arm = algorithm.act()
        algorithm.update(arm, float(rng.random() < means[arm]))
        t += 1
        if algorithm.n.sum() == t and algorithm.m.min() > 0:
            lowest.append(algorithm.n.min() * len(means) / t)
    return algorithm, lowest


@pytest.mark.parametrize("means", MEANS.values(), ids=MEANS)
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 20.0])
def test_na_tt_ends_with_the_best_arm_and_leaves_no_arm_alone(means, epsilon):
    algorithm, lowest = experiment(means, epsilon, 0.99, 1)
    assert algorithm.answer[0] == 0  # wrong with probability 0.01 at most; the seed is fixed
    assert algorithm.inference(0).best(0.99).arm == 0
    assert algorithm.stopped[0] == algorithm.n.sum()
    assert min(lowest) >= FLOOR / 6  # Theorem A, step 1


def test_a_learner_says_that_the_experiment_has_ended_and_goes_no_further():
    learner = dp.learner("na-tt", arms=2, epsilon=2.0, confidence=0.9, noise="simulated", seed=4)
    rng = np.random.default_rng(4)
    while not learner.over:
        arm = learner.act()
        learner.update(float(rng.random() < (0.2, 0.9)[arm]))
    rounds = learner.rounds
    with pytest.raises(dp.InputError, match="arm 1 is the best"):
        learner.act()
    assert learner.rounds == rounds
    assert learner.best(0.9).arm == 1


def test_a_retired_arm_needs_no_evidence():
    learner = dp.learner("na-tt", arms=3, epsilon=2.0, confidence=0.9, noise="simulated", seed=4)
    rng = np.random.default_rng(4)
    learner.retire(2)
    while not learner.over:
        arm = learner.act()
        assert arm != 2
        learner.update(float(rng.random() < (0.2, 0.9, 1.0)[arm]))
    assert "arm 1 is the best" in learner.over


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_an_answer_is_wrong_as_rarely_as_promised(epsilon):
    """Of two equal arms each is declared best with probability 0.1 at most; at 5 standard errors
    the test fails by chance with probability below 1e-6."""
    setting = {"means": [0.5, 0.5], "confidence": 0.9}
    answer = run("na-tt", setting, epsilon, 20_000, range(400)).extras["answer"]
    for arm in (0, 1):
        assert np.mean(answer == arm) <= 0.1 + 5 * math.sqrt(0.1 * 0.9 / 400)
