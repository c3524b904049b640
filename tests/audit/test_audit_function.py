"""Auditing a user's own function: bounds below the true loss, for outcomes of every kind."""

import math

import numpy as np
import pytest
from flint import arb
from plain import seeded

from dpbandits.audit.computed.laplace import single_delta
from dpbandits.audit.sampled.blackbox import detectable, log_ratio, lower_bound
from dpbandits.audit.sampled.function import FunctionParams, audit_function
from dpbandits.audit.sampled.outcomes import coded, same


def noisy_sum(data, generator):
    return sum(data) + generator.laplace()


def named_winner(data, generator):
    votes = np.array([sum(data), len(data) - sum(data)]) + generator.laplace(scale=2.0, size=2)
    return ("yes", "no")[int(np.argmax(votes))]


def leaks_rarely(data, generator):
    return str(data) if generator.random() < 0.05 else "nothing"


def test_bound_on_continuous_outcomes():
    """Laplace noise of scale 1: the true loss is 1; at confidence 1 - 1e-6 never above it."""
    audit = audit_function(noisy_sum, FunctionParams(data=[0, 1, 1], runs=40_000))
    assert 0.8 < audit.epsilon <= 1.0
    assert not audit.refuted
    assert "outcome in (" in audit.event
    assert audit.neighbours_tried == 5  # two distinct removals, three replacements


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_bound_on_numbers_stays_below_the_exact_loss(delta):
    """20 audits of a Laplace shift of 1.5 at confidence 0.99: 4 or more errors have p < 1e-4."""
    exact = next(e for e in np.linspace(0, 1.5, 1501) if float(single_delta(1.5, arb(e))) <= delta)
    bounds = []
    for trial in range(20):
        generator = seeded(trial)
        first, second = generator.laplace(size=20_000), 1.5 + generator.laplace(size=20_000)
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
    winner = audit_function(named_winner, FunctionParams(data=[0, 1, 1], runs=20_000))
    assert 0 < winner.epsilon <= 1.0  # Laplace(2) under replacement
    assert winner.event in ("yes", "no")
    rare = audit_function(leaks_rarely, FunctionParams(data=[0, 1], neighbour=[1, 1]))
    assert rare.refuted
    allowed = FunctionParams(data=[0, 1], neighbour=[1, 1], delta=0.06)
    assert audit_function(leaks_rarely, allowed).epsilon == 0.0


def test_search_changes_the_record_that_matters():
    """Only the first record is read."""

    def first_only(data, generator):
        return data[0] + generator.laplace(scale=0.2)

    audit = audit_function(first_only, FunctionParams(data=[0, 0, 0], values=[0, 1]))
    assert audit.neighbour[0] == 1
    assert audit.epsilon > 3


def test_detectable_loss_is_refuted_in_nine_of_ten_audits():
    """Randomised response, 200 audits, up to 5 standard errors: fails by chance below 1e-6. No
    bound from these runs exceeds the largest provable one."""
    runs, epsilon, confidence = 2000, 0.5, 0.99
    loss = detectable(epsilon, 0.0, runs, confidence)
    assert epsilon < loss < 1.5
    right, refuted = 1 / (1 + math.exp(-loss)), 0
    for trial in range(200):
        generator = seeded(trial)
        first, second = generator.random(runs) < right, generator.random(runs) > right
        refuted += lower_bound(first, second, confidence=confidence).epsilon > epsilon
    assert refuted / 200 > 0.9 - 5 * math.sqrt(0.9 * 0.1 / 200)
    assert detectable(20.0, 0.0, runs) == math.inf
    certain = lower_bound(np.zeros(runs, int), np.ones(runs, int), confidence=confidence)
    assert certain.epsilon == log_ratio(1000, 0, 1000, 0.0, 0.01 / 4)


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
