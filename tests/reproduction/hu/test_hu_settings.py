"""Noise scales, and the attacks' exact values by hand. Nothing flakes."""

import itertools
import math

import numpy as np
import pytest

from dpbandits.reproduction.hu import rate_attacks as attacks
from dpbandits.reproduction.hu import theory

# The attacks' exact values --------------------------------------------------------------------


@pytest.mark.parametrize("noise", ["gumbel", "exponential"])
def test_leader_among_equal_arms_has_the_law_of_the_noisy_leader(noise):
    for arms, lead in itertools.product((2, 3, 6), (-2.5, -0.1, 0.0, 0.1, 3.0)):
        law = attacks.selection(noise, np.array([lead, *[0.0] * (arms - 1)]))
        wrong = attacks.wrong_leader(noise, np.array([arms]), np.array([lead]))
        assert wrong == pytest.approx(1 - law[0])


@pytest.mark.parametrize("schedule", ["prefix", "phase"])
def test_regret_of_equal_arms_path_by_path(schedule):
    """K = 2, leads up by 1 with chance 0.6, down with 0.2; leaders of 1, 2 and 3 rewards."""
    point = np.array([[0.0, 0.6, 0.5, 0.4]])
    epsilon, chances = 0.05 * 200**0.4, {1: 0.6, -1: 0.2, 0: 0.2}
    total = theory.FIRST[schedule]
    for m in (1, 2, 3):
        weight = theory.EXACT_WEIGHT[schedule](m)
        for steps in itertools.product(chances, repeat=m):
            lead = epsilon / 2 * np.array([sum(steps)])
            wrong = attacks.wrong_leader("gumbel", np.array([2]), lead)
            total += weight * math.prod(chances[step] for step in steps) * wrong[0]
    expected = 0.4 * total / theory.theorem_o_bound(2, 0.4, epsilon, schedule)
    assert attacks.copies_ratio("gumbel", schedule, point, rounds=4) == pytest.approx(expected)


def test_privacy_ratio_of_one_pair_by_hand():
    """Sums (3, 8) of 12 rounds and (4, 7); eps = 0.5. Logits: eta 5 and eta 3, eta = eps/2."""
    scale = math.log(10) / math.log(100)
    point = np.array([[3.5 / 13, 8.5 / 13, 0.9, 0.1, scale]])
    by_hand = math.log((1 + math.exp(1.25)) / (1 + math.exp(0.75))) / 0.5
    assert attacks.privacy_ratio("gumbel", 2, point) == pytest.approx(by_hand)
    edge = np.array([[0.0, 0.999, 0.0, 0.9, scale]])  # 0 and 12 stay in their range
    assert attacks.privacy_ratio("gumbel", 2, edge) == pytest.approx(0.0)
