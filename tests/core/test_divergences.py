"""Divergences against known answers and against direct sums in plain probabilities."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from dpbandits.core import divergences as dv

weights = st.lists(st.floats(0.01, 1), min_size=2, max_size=6)


def log(p):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(p, float))


@pytest.mark.parametrize("seed", range(50))
def test_sums_of_weights_are_scipys_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    for scale in 10.0 ** np.arange(-3, 4):
        rows = scale * rng.normal(size=(20, rng.integers(1, 40)))
        rows[rng.random(rows.shape) < 0.2] = -np.inf
        rows[3:6] = np.round(rows[3:6])  # several largest ones
        np.testing.assert_array_equal(dv.log_sum(rows), logsumexp(rows, axis=-1))
        np.testing.assert_array_equal(dv.log_sum(rows[0]), logsumexp(rows[0]))


def test_randomized_response_is_exactly_eps():
    eps = 0.7
    p = np.array([math.exp(eps), 1]) / (1 + math.exp(eps))
    assert dv.pure_epsilon(log(p), log(p[::-1])) == pytest.approx(eps, rel=1e-14)
    assert dv.delta_at(log(p), log(p[::-1]), eps) == pytest.approx(0, abs=1e-15)
    half = dv.delta_at(log(p), log(p[::-1]), eps / 2)
    assert half == pytest.approx(p[0] - math.exp(eps / 2) * p[1], rel=1e-12)


def test_an_outcome_possible_on_one_side_only_costs_everything():
    p, q = log([0.5, 0.5, 0.0]), log([0.5, 0.25, 0.25])
    assert dv.max_divergence(p, q) == pytest.approx(math.log(2))
    assert dv.max_divergence(q, p) == math.inf
    assert dv.pure_epsilon(p, q) == math.inf
    assert dv.hockey_stick(q, p, 50.0) == pytest.approx(0.25)


def test_tiny_probabilities_are_ordinary():
    p, q = dv.log_normalise([0.0, -2000.0]), dv.log_normalise([0.0, -2003.0])
    assert dv.pure_epsilon(p, q) == pytest.approx(3.0)


@given(weights, st.randoms(), st.floats(0, 3))
def test_hockey_stick_is_the_direct_sum(raw, random, epsilon):
    p = np.array(raw) / sum(raw)
    q = np.array(random.sample(raw, len(raw))) / sum(raw)
    direct = np.maximum(p - math.exp(epsilon) * q, 0).sum()
    assert dv.hockey_stick(log(p), log(q), epsilon) == pytest.approx(direct, abs=1e-14)


@given(weights, st.randoms())
def test_order_of_divergences(raw, random):
    p = log(np.array(raw) / sum(raw))
    q = log(np.array(random.sample(raw, len(raw))) / sum(raw))
    assert -1e-12 <= dv.kl(p, q) <= dv.max_divergence(p, q) + 1e-12
    assert dv.hockey_stick(p, q, dv.pure_epsilon(p, q) + 1e-9) == 0
