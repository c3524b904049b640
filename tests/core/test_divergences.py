"""Divergences against known answers and against direct sums in plain probabilities."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbandits.core import divergences as dv

drawn = settings(max_examples=25, derandomize=True, deadline=None)


def log(p):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(p, float))


def test_randomized_response_is_exactly_eps():
    eps = 0.7
    p = np.array([math.exp(eps), 1]) / (1 + math.exp(eps))
    assert dv.pure_epsilon(log(p), log(p[::-1])) == pytest.approx(eps, rel=1e-14)
    assert dv.delta_at(log(p), log(p[::-1]), eps) == pytest.approx(0, abs=1e-15)
    half = dv.delta_at(log(p), log(p[::-1]), eps / 2)
    assert half == pytest.approx(p[0] - math.exp(eps / 2) * p[1], rel=1e-12)


def test_one_sided_outcome_has_infinite_loss():
    p, q = log([0.5, 0.5, 0.0]), log([0.5, 0.25, 0.25])
    assert dv.pure_epsilon(p, q) == math.inf
    assert dv.hockey_stick(q, p, 50.0) == pytest.approx(0.25)


def test_tiny_probabilities():
    p, q = dv.log_normalise([0.0, -2000.0]), dv.log_normalise([0.0, -2003.0])
    assert dv.pure_epsilon(p, q) == pytest.approx(3.0)


pairs = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=n, max_size=n)
)


@drawn
@given(pairs, st.floats(0, 2), st.floats(0.01, 1))
def test_properties_of_divergences(counts, at, step):
    """Definition in plain probabilities, monotonicity, convexity, merging, products, symmetry."""
    p, q = np.array(counts, float).T + 0.5 * (np.array(counts).T.sum(axis=1, keepdims=True) == 0)
    p, q = p / p.sum(), q / q.sum()
    a, b = log(p), log(q)

    def delta(e, a=a, b=b):
        return dv.hockey_stick(a, b, e)

    assert delta(at) == pytest.approx(np.maximum(p - math.exp(at) * q, 0).sum(), abs=1e-14)
    assert dv.delta_at(a, b, at) == dv.delta_at(b, a, at) == max(delta(at), delta(at, b, a))
    assert dv.pure_epsilon(a, b) == dv.pure_epsilon(b, a) >= 0
    middle = math.log((math.exp(at) + math.exp(at + step)) / 2)
    assert delta(at + step) <= delta(middle) + 1e-15 <= delta(at) + 2e-15
    assert delta(middle) <= (delta(at) + delta(at + step)) / 2 + 1e-14
    complement = 1 - math.exp(at) + math.exp(at) * dv.hockey_stick(b, a, -at)
    assert delta(at) == pytest.approx(complement, abs=1e-13)
    merged = [log(np.r_[x[0] + x[1], x[2:]]) for x in (p, q)]
    assert delta(at, *merged) <= delta(at) + 1e-15
    twice = [np.add.outer(x, x).ravel() for x in (a, b)]
    assert delta(2 * at, *twice) <= 2 * delta(at) + 1e-14
    rows = np.stack([a, b]), np.stack([b, a])
    assert dv.hockey_stick(*rows, at).tolist() == [delta(at), delta(at, b, a)]
    assert np.exp(dv.log_normalise(a + 7)) == pytest.approx(p, abs=1e-14)
