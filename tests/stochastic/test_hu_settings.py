"""Settings, instances and attacks of HU by hand. All exact: nothing flakes."""

import itertools
import math

import numpy as np
import pytest

from dpbandits.core.algorithms import run
from dpbandits.core.series import Series
from dpbandits.stochastic import attacks, noisy_max, optimal_rate, series
from dpbandits.stochastic.problem import AdapSetting, GrowthSetting, RnmFtnlSetting
from dpbandits.stochastic.rnm_ftnl import (
    EXPONENTIAL,
    GUMBEL,
    LAPLACE,
    real_epsilon,
    variant_of,
)
from dpbandits.stochastic.studies.bounds import Bounds

# Noise and instances --------------------------------------------------------------------------


def test_noise_of_each_variant():
    """D.1's scale 1/eps as printed, 2/eps else; `phase` grows by e from a random start."""
    assert {name: tuple(variant_of(name, 0.5)) for name in RNM_VARIANTS} == {
        "printed": (LAPLACE, 2, 2, False, False),
        "corrected": (LAPLACE, 4, 2, False, False),
        "permute-and-flip": (EXPONENTIAL, 4, 2, False, False),
        "gumbel": (GUMBEL, 4, 2, False, False),
        "prefix": (GUMBEL, 4, 2, False, True),
        "phase": (EXPONENTIAL, 4, math.e, True, False),
    }
    real = {name: real_epsilon(RnmFtnlSetting(means=(0, 1), variant=name), 0.5) for name in
            RNM_VARIANTS}  # fmt: skip
    assert real == {name: 1.0 if name == "printed" else 0.5 for name in RNM_VARIANTS}


RNM_VARIANTS = ("printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase")


def test_defaults_of_settings():
    """BASELINES: alpha = 3.1 (Azize and Basu); growth 1.1 is ours."""
    assert AdapSetting(means=(0, 1)).alpha == 3.1
    assert GrowthSetting(means=(0, 1)).growth == 1.1
    assert RnmFtnlSetting(means=(0, 1)).variant == "printed"
    assert list(RnmFtnlSetting(means=(0.25, 1, 0)).gaps) == [0.75, 0, 1]
    assert Bounds(settings={}, epsilon=(1,), horizon=100).points == 40


def test_studies_run_the_seeds_they_are_asked_for():
    """From `first` on; an algorithm that is not private runs at eps = inf, whatever is asked."""
    means, at = (0.5, 0.7), [60]
    for name, epsilon in (("ftl", math.inf), ("rnm-ftnl", 0.4)):
        found = series.regret_of(Series.model_validate(name), means, 0.4, 60, 3, first=2)
        expected = run(name, {"means": list(means)}, epsilon, 60, range(2, 5), at).regret[:, 0]
        assert found.tolist() == expected.tolist()
    named = Series.model_validate({"id": "x", "name": "rnm-ftnl", "with": {"variant": "gumbel"}})
    asked = {"means": list(means), "variant": "gumbel"}
    expected = run("rnm-ftnl", asked, 0.4, 60, range(2), at).regret[:, 0]
    assert series.regret_of(named, means, 0.4, 60, 2).tolist() == expected.tolist()


# The attacks' exact values --------------------------------------------------------------------


@pytest.mark.parametrize("noise", ["gumbel", "exponential"])
def test_a_leader_among_copies_has_the_law_of_the_noisy_leader(noise):
    for arms, lead in itertools.product((2, 3, 6), (-2.5, -0.1, 0.0, 0.1, 3.0)):
        law = noisy_max.selection(noise, np.array([lead, *[0.0] * (arms - 1)]))
        found = attacks.wrong_leader(noise, np.array([arms]), np.array([lead]))
        assert found == pytest.approx(1 - law[0])


@pytest.mark.parametrize("schedule", ["prefix", "phase"])
def test_regret_of_copies_path_by_path(schedule):
    """K = 2, leads up by 1 with chance 0.6, down with 0.2; leaders of 1, 2 and 3 rewards."""
    point = np.array([[0.0, 0.6, 0.5, 0.4]])
    epsilon, chances = 0.05 * 200**0.4, {1: 0.6, -1: 0.2, 0: 0.2}
    total = optimal_rate.FIRST[schedule]
    for m in (1, 2, 3):
        weight = optimal_rate.EXACT_WEIGHT[schedule](m)
        for steps in itertools.product(chances, repeat=m):
            wrong = attacks.wrong_leader(
                "gumbel", np.array([2]), epsilon / 2 * np.array([sum(steps)])
            )
            total += weight * math.prod(chances[s] for s in steps) * wrong[0]
    expected = 0.4 * total / optimal_rate.upper_bound(2, 0.4, epsilon, schedule)
    assert attacks.copies_ratio("gumbel", schedule, point, rounds=4) == pytest.approx(expected)


def test_privacy_ratio_of_one_pair_by_hand():
    """Sums (3, 8) of 12 rounds and (4, 7); eps = 0.5. Logits: eta 5 and eta 3, eta = eps/2."""
    scale = math.log(10) / math.log(100)
    point = np.array([[3.5 / 13, 8.5 / 13, 0.9, 0.1, scale]])
    by_hand = math.log((1 + math.exp(1.25)) / (1 + math.exp(0.75))) / 0.5
    assert attacks.privacy_ratio("gumbel", 2, point) == pytest.approx(by_hand)
    edge = np.array([[0.0, 0.999, 0.0, 0.9, scale]])  # 0 and 12 stay in their range
    assert attacks.privacy_ratio("gumbel", 2, edge) == pytest.approx(0.0)
