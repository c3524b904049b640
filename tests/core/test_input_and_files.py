"""Errors about wrong input, and the arithmetic of privacy losses."""

import math

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.core import mechanisms
from dpbandits.core.errors import InputError
from dpbandits.core.models import Epsilon, Model, parse

# Input


@pytest.mark.parametrize("wrong", ["0.7", "1", True, np.True_], ids=repr)
def test_texts_and_truth_values_are_no_numbers(wrong):
    data, sizes = ([0, 1], [1.0, 0.0]), {"d": 8, "arms": 2, "sparsity": 2, "b_max": 1.0}
    for call in (
        lambda: dp.run("ucb1", {"means": [wrong, 0.5]}, horizon=9, seeds=[0]),
        lambda: dp.audit("rnm", scale=wrong, arms=2, rounds=4),
        lambda: dp.policy("kl-mab", data, eta=wrong, beta0=1.0),
        lambda: dp.learner("ucb1", arms=2, contributions=wrong, allow_not_private=True),
        lambda: dp.learner("lazy-dp-ts", arms=2, epsilon=wrong),
        lambda: dp.choose(arms=2, epsilon=1.0, horizon=wrong),
        lambda: dp.calibrate("rnm", target_epsilon=wrong, arms=2, rounds=4),
        lambda: dp.policy("kl-rlhf", ([[1.0]], [1]), eta=1.0, beta0=1.0, radius=wrong),
        lambda: dp.learner("fliphat", epsilon=1.0, **sizes | {"sparsity": wrong}),
    ):
        with pytest.raises(InputError):
            call()


class Private(Model):
    epsilon: Epsilon


def test_valid_epsilon():
    for right in (math.inf, 1e-100, 1, np.float32(0.5)):
        assert parse(Private, {"epsilon": right}, "here").epsilon == right
    for wrong in (0, -1, "tiny", "0.5", None, math.nan, True, [1], 9.9e-101):
        with pytest.raises(InputError):
            parse(Private, {"epsilon": wrong}, "here")


# Losses


def test_delta_of_pure_loss():
    """(e^l - e^e)/(1 + e^l); at e = 0, l = ln 3: (3 - 1)/4."""
    assert mechanisms.delta_of_pure(math.log(3), 0.0) == pytest.approx(0.5, rel=1e-14)
    assert mechanisms.delta_of_pure(math.log(3), math.log(2)) == pytest.approx(0.25, rel=1e-14)
    assert mechanisms.delta_of_pure(1.0, 1.0) == mechanisms.delta_of_pure(1.0, 2.0) == 0.0
    assert mechanisms.delta_of_pure(math.inf, 5.0) == 1.0
