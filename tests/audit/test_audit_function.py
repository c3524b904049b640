"""Auditing a user's own function: bounds below the true loss, for outcomes of every kind."""

import math

import numpy as np
import pytest
from plain import seeded

import dpbandits as dp
from dpbandits.audit.sampled.blackbox import lower_bound
from dpbandits.audit.sampled.outcomes import coded, same


def sampled(function, **keys):
    return dp.audit(function=function, noise="sampled", **keys)


def noisy_sum(data, generator):
    return sum(data) + generator.laplace()


def named_winner(data, generator):
    votes = np.array([sum(data), len(data) - sum(data)]) + generator.laplace(scale=2.0, size=2)
    return ("yes", "no")[int(np.argmax(votes))]


def leaks_rarely(data, generator):
    return str(data) if generator.random() < 0.05 else "nothing"


def test_bound_on_continuous_outcomes():
    """Laplace noise of scale 1: the true loss is 1; at confidence 1 - 1e-6 never above it."""
    found = sampled(noisy_sum, data=[0, 1, 1], values=[0, 1], runs=20_000)
    assert 0.8 < found.at_least <= 1.0
    assert found.answer == "not judged"
    assert found.pairs == 10  # both ways: two distinct removals, three replacements
    refuted = sampled(noisy_sum, data=[0, 1, 1], epsilon=0.5, runs=4000)
    assert refuted.answer == "refuted"
    assert "outcome in (" in refuted.verdict


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_bound_on_numbers_stays_below_the_exact_loss(delta):
    """20 audits of a Laplace shift of 1.5 at confidence 0.99: 4 or more errors have p < 1e-4.
    delta(eps) = 1 - e^((eps - 1.5)/2)."""
    exact = 1.5 + 2 * math.log(1 - delta)
    bounds = []
    for trial in range(20):
        generator = seeded(trial)
        first, second = generator.laplace(size=8000), 1.5 + generator.laplace(size=8000)
        bounds.append(lower_bound(first, second, delta=delta, confidence=0.99).epsilon)
    assert sum(bound > exact for bound in bounds) < 4
    assert np.median(bounds) > 0.7 * exact


@pytest.mark.parametrize("seed", range(5))
def test_bound_on_equal_laws_is_0(seed):
    integers = seeded(seed).integers(0, 50, size=(2, 5000))
    numbers = seeded(seed).normal(size=(2, 5000))
    vectors = seeded(seed).normal(size=(2, 3000, 3))
    for samples in (integers, numbers, vectors):
        assert lower_bound(*samples).epsilon == 0.0


def test_outcomes_may_be_texts():
    winner = sampled(named_winner, data=[0, 1, 1], epsilon=0.1, runs=4000)
    assert 0 < winner.at_least <= 1.0  # Laplace(2) under replacement
    assert any(f": {word} (" in winner.verdict for word in ("yes", "no"))
    rarely = {"data": [0, 1], "neighbour": [1, 1], "runs": 4000}
    assert sampled(leaks_rarely, **rarely).refuted
    assert sampled(leaks_rarely, **rarely, delta=0.06).at_least == 0.0


def test_search_changes_the_record_that_matters():
    """Only the first record is read."""

    def first_only(data, generator):
        return data[0] + generator.laplace(scale=0.2)

    found = sampled(first_only, data=[0, 0, 0], values=[0, 1], runs=4000)
    assert found.data[0] != found.neighbour[0]
    assert found.at_least > 3


def test_bins_depend_on_the_first_half_alone():
    first, second = seeded(3).normal(size=(2, 4000))
    codes = coded(first, second, 2000)
    order = np.argsort(first)
    assert (np.diff(codes.first[order]) >= 0).all()
    assert codes.describe(np.array([0, 1, 3])).count("(") == 2
    assert codes.describe(np.array([0])).startswith("outcome in (-inf, ")
    moved = np.r_[first[:2000], first[2000:] + 50]
    again = coded(moved, second, 2000)
    np.testing.assert_array_equal(again.first[:2000], codes.first[:2000])
    np.testing.assert_array_equal(again.second, codes.second)
    moved = np.r_[second[:2000], second[2000:] + 50]
    np.testing.assert_array_equal(coded(first, moved, 2000).first, codes.first)


def test_outcomes_are_told_apart_by_type_and_order():
    different = [3, 3.0, True, "3", (3,), [3], {"a": 3}, {"b": 3}, -0.0, 0.0, None, np.array(3)]
    one = np.arange(2000) == 1000
    different += [np.True_, 1 * one, 2 * one]  # NumPy writes the same for the last two
    for i, a in enumerate(different):
        assert [same(a, b) for b in different] == [i == k for k in range(len(different))]
        assert len(set(coded([a, 7], different[:2], 1).first)) == 2
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same({"a": math.nan}, {"a": math.nan})
    first, second = [f"{x:.3f}" for x in seeded(1).normal(size=2000)], ["7.5"] * 2000
    assert lower_bound(first, second).epsilon > 2
