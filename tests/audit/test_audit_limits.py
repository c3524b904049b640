"""Numbers that decide where something begins or ends, each asked for on both sides."""

import math

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import balls, blackbox, calibrate, lazy, niht, peeling, rnm
from dpbandits.audit.engine.outcomes import coded
from dpbandits.audit.studies import zoo
from dpbandits.core.errors import InputError
from dpbandits.core.models import parse


def test_where_balls_are_sharp_enough():
    """A relative radius of 1e-14, if not told otherwise; one that stays asks for one more try."""
    for radius, tries in ((0.9e-14, 1), (1.1e-14, 2)):
        asked = []
        balls.sharp(lambda r=radius, asked=asked: asked.append(1) or arb(1, r))
        assert len(asked) == tries
    assert balls.precisely(lambda: balls.ctx.prec)() == 192


def test_which_peelings_have_an_exact_delta():
    assert peeling.one_of_two(arb("49.9"), 1, 2)
    for ratio, s, d in (("50.1", 1, 2), ("1", 1, 3), ("1", 2, 2)):
        assert not peeling.one_of_two(arb(ratio), s, d)


def test_how_many_variables_are_summed():
    keys = niht.SMALL | {"d": 100, "n": 10**6, "epsilon": 300.0, "delta": 0.1}
    for steps, s, found in ((10, 30, True), (7, 43, False)):  # 300 and 301
        p = niht.NihtParams(**(keys | {"steps": steps, "s": s}))
        assert (niht.delta_of_sum(p, 1.0) > 0) == found


def test_the_least_noise_that_is_audited():
    keys = {"arms": 2, "rounds": 3, "adjacency": "replace"}
    assert rnm.audit_rnm(rnm.RnmParams(scale=1e-6, **keys), ()).pure_epsilon > 1e6
    with pytest.raises(InputError, match="scale = "):
        parse(rnm.RnmParams, keys | {"scale": 0.99e-6}, "audit")
    found = rnm.calibrate_rnm(rnm.RnmTarget(**keys), 1e7)
    assert found.noise == {"scale": 1e-6}


def test_how_far_tables_are_enumerated():
    keys = {"algorithm": "anytime-lazy-ucb", "epsilon": 1.0}
    for arms, most in ((2, 8), (3, 6)):
        for horizon, method in ((most - 3, "exact"), (most + 1, "bound")):
            params = lazy.LazyParams(arms=arms, horizon=horizon, **keys)
            assert lazy.audit_lazy(params, []).method == method
    assert lazy.MOST_ROUNDS == {2: 8, 3: 6}  # 2^14 and 2^15 tables
    thompson = lazy.LazyParams(algorithm="lazy-dp-ts", epsilon=1.0, horizon=3, arms=3)
    assert "HU-T4" in lazy.audit_lazy(thompson, []).worst_neighbour["theorem"]


def test_bins_of_the_zoo():
    values = np.array([-100.0, -15.1, -0.1, 0.0, 0.3, 14.9, 15.1, 100.0])
    assert zoo._bins(values).tolist() == [-60, -60, -1, 0, 1, 59, 60, 60]
    assert zoo._bins(values, 0.5).tolist() == [-60, -31, -1, 0, 0, 29, 30, 60]


def test_targets_that_are_none():
    calibrate.check_target(1e-9, 0.0)
    calibrate.check_target(5.0, 0.999)
    for epsilon, delta in ((0.0, 0.1), (-1.0, 0.1), (math.inf, 0.1), (1.0, 1.0), (1.0, -1e-9)):
        with pytest.raises(InputError, match="target"):
            calibrate.check_target(epsilon, delta)


# Outcomes


@pytest.mark.parametrize(("distinct", "runs", "binned"), [(50, 60, False), (51, 60, True)])
def test_when_numbers_are_cut_into_bins(distinct, runs, binned):
    """More than 50 different ones, and more than one in ten outcomes."""
    sample = np.resize(np.arange(distinct) / 7, runs)
    said = coded(sample, sample, runs // 2).said(np.array([0]))
    assert said.startswith("outcome in (") == binned


def test_values_that_come_twenty_times_each_are_told_apart():
    for distinct, binned in ((100, False), (101, True)):
        sample = np.resize(np.arange(distinct) / 7, 1000)
        said = coded(sample, sample, 500).said(np.array([0]))
        assert said.startswith("outcome in (") == binned


@pytest.mark.parametrize(("half", "bins"), [(299, 2), (899, 2), (900, 3), (30_000, 60)])
def test_one_bin_for_300_numbers_to_learn_from_and_no_more_than_60(half, bins):
    sample = np.random.Generator(np.random.Philox(1)).random(2 * half)
    found = coded(sample, sample, half)
    assert len(np.unique(found.first)) == bins


def test_many_texts_are_refused_and_few_told():
    texts = [f"t{i:03}" for i in range(51)] * 2
    with pytest.raises(InputError, match="51 different texts in 204 runs"):
        coded(texts, texts, 50)
    few = texts[:50]
    assert coded(few, few, 9).said(np.arange(11)) == ", ".join(few[:8]) + " and 3 more"
    assert coded(few, few, 9).said(np.arange(8)) == ", ".join(few[:8])
    many = texts[:51] * 10  # 1020 outcomes allow for 51
    assert coded(many, many, 500).said(np.array([50])) == "t050"


# Black box


def test_confidence_is_shared_by_two_directions_and_two_frequencies():
    """All of n runs against none of n: ln of q/(1 - q), q = (error/4)^(1/n)."""
    for runs, confidence in ((400, 1 - 1e-6), (401, 0.9)):
        first, second = np.zeros(runs, int), np.ones(runs, int)
        found = blackbox.lower_bound(first, second, confidence=confidence)
        q = ((1 - confidence) / 4) ** (1 / (runs - runs // 2))
        assert found.epsilon == pytest.approx(math.log(q / (1 - q)), rel=1e-9)
        assert (found.samples, found.confidence, found.event) == (runs, confidence, "0")
        less = blackbox.lower_bound(first, second, confidence=confidence, delta=0.5)
        assert less.epsilon == pytest.approx(math.log((q - 0.5) / (1 - q)), rel=1e-9)
    assert blackbox.lower_bound([0, 0], [1, 1]).promise < 0
    for wrong in (([0], [1]), ([0, 1], [0, 1, 1])):
        with pytest.raises(InputError, match="the same length, at least 2"):
            blackbox.lower_bound(*wrong)


def test_an_event_is_chosen_by_one_half_and_measured_on_the_other(monkeypatch):
    """Of 7 runs the first 3 choose; outcome 1 comes only in the other 4, all of which count."""
    chosen, event = [], blackbox._event
    monkeypatch.setattr(blackbox, "_event", lambda *a: chosen.append(a[:2]) or event(*a))
    first, second = np.array([0, 0, 0, 1, 0, 0, 0]), np.array([2, 2, 2, 0, 2, 2, 1])
    found = blackbox.lower_bound(first, second, confidence=0.5)
    halves = [[x.tolist() for x in pair] for pair in chosen]
    assert halves == [[[0] * 3, [2] * 3], [[2] * 3, [0] * 3]]
    assert found.promise == pytest.approx(blackbox.log_ratio(3, 1, 4, 0.0, 0.125))


def test_what_is_played_is_the_arm_that_the_first_world_likes_less():
    regret = np.array([[0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 1.0 + 1e-12, 1.0]])
    assert blackbox._played(regret, 0).tolist() == [[0, 1, 0, 1], [1, 0, 0, 0]]
    assert blackbox._played(regret, 1).tolist() == [[1, 0, 1, 0], [0, 1, 1, 1]]


def test_the_event_of_largest_ratio_is_taken_as_far_as_it_pays():
    """1000 of 2000 outcomes 0 that the other law never has, 500 of 1 against 10, the rest alike."""
    p, q = np.repeat([0, 1, 2], [1000, 500, 500]), np.repeat([1, 2], [10, 1990])
    error = 1e-3
    assert blackbox._event(p, q, 0.0, error).tolist() == [0]
    assert sorted(blackbox._event(p, q, 0.49, error)) == [0, 1]
    alone, both = (blackbox.log_ratio(*hits, 2000, 0.0, error) for hits in ((1000, 0), (1500, 10)))
    assert alone > both
