"""The black-box auditor: its bounds hold (and tests/core/test_algorithm_contract.py)."""

import math

import numpy as np
import pytest
from plain import seeded

from dpbandits.audit.sampled import blackbox


def test_clopper_pearson_by_hand():
    low, high = blackbox.clopper_pearson(0, 100, 0.01)
    assert (low, high) == (0.0, pytest.approx(1 - 0.01**0.01))
    low, high = blackbox.clopper_pearson(100, 100, 0.01)
    assert (low, high) == (pytest.approx(0.01**0.01), 1.0)
    assert blackbox.log_ratio(0, 5, 100, 0.0, 0.01) == -math.inf  # an event that was never seen


def test_bound_is_below_the_true_loss_and_near_it():
    """Randomized response with loss 1: 30 audits at 99%, each may err with probability 1%.

    More than 4 errors of 30 would have probability below 1e-5; the seed is fixed anyway.
    """
    p = np.exp(1) / (1 + np.exp(1))
    bounds = []
    for trial in range(30):
        generator = seeded(trial)
        first, second = generator.random(4000) < p, generator.random(4000) > p
        bound = blackbox.lower_bound(first.astype(int), second.astype(int), confidence=0.99)
        bounds.append(bound.epsilon)
    assert np.sum(np.array(bounds) > 1.0) <= 4
    assert np.median(bounds) > 0.75


def test_confidence_is_shared_by_two_directions_and_two_frequencies():
    """All of n runs against none of n: ln of q/(1 - q), q = (error/4)^(1/n)."""
    for runs, confidence in ((400, 1 - 1e-6), (401, 0.9)):
        first, second = np.zeros(runs, int), np.ones(runs, int)
        bound = blackbox.lower_bound(first, second, confidence=confidence)
        q = ((1 - confidence) / 4) ** (1 / (runs - runs // 2))
        assert bound.epsilon == pytest.approx(math.log(q / (1 - q)), rel=1e-9)
        assert (bound.runs, bound.confidence, bound.event) == (runs, confidence, "0")
        approximate = blackbox.lower_bound(first, second, confidence=confidence, delta=0.5)
        assert approximate.epsilon == pytest.approx(math.log((q - 0.5) / (1 - q)), rel=1e-9)
    assert blackbox.lower_bound([0, 0], [1, 1]).unclipped < 0
