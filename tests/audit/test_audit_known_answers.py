"""Mechanisms whose privacy is known in closed form: the auditor must find exactly that."""

import itertools
import math

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import balls, exponential, laplace, rnm
from dpbandits.audit.balls import lower, upper
from dpbandits.audit.selection import selection_probabilities
from dpbandits.core import divergences
from dpbandits.core.errors import InputError
from dpbandits.core.models import parse


def close(ball, value, tolerance=1e-12):
    return lower(ball) - tolerance <= value <= upper(ball) + tolerance


# Laplace


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9, 1.0, 2.0])
def test_laplace_once(epsilon):
    audited = laplace.audit_laplace(laplace.LaplaceParams(scale=2.0, sensitivity=2.0), [epsilon])
    assert audited.pure_epsilon == pytest.approx(1.0, abs=1e-12)
    expected = max(0.0, 1 - math.exp((epsilon - 1) / 2))
    assert audited.delta_at[epsilon] == pytest.approx(expected, abs=1e-12)


def grid_composition(shift, releases, epsilon, steps=800):
    """delta of n Laplace releases by convolving a grid of losses: bounds (below, above)."""
    step = shift / steps
    tail = 0.5 * np.exp(-step * np.arange(steps + 1))
    low = np.r_[0.5, -np.diff(tail), 0.0]  # mass of (x_{i-1}, x_i] put on its right end: loss down
    low[-2] += tail[-1]
    high = np.r_[low[0] + low[1], low[2:]]  # on its left end: loss up
    high[-1] = tail[-1]
    high[-2] = low[-2] - tail[-1]
    results = []
    for masses in (low[:-1], high):
        law = np.ones(1)
        for _ in range(releases):
            law = np.convolve(law, masses)
        loss = releases * shift - 2 * step * np.arange(len(law))
        results.append(float(np.sum(law * np.maximum(0, -np.expm1(epsilon - loss)))))
    return results


@pytest.mark.parametrize("releases", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.25])
def test_composed_laplace_against_a_grid(releases, epsilon):
    exact = laplace.composed_delta(0.5, releases, epsilon)
    below, above = grid_composition(0.5, releases, epsilon)
    assert min(below, above) - 1e-9 <= float(exact) <= max(below, above) + 1e-9
    assert abs(above - below) < 0.01


def test_two_laplace_releases_at_zero_are_the_distance_of_two_sums():
    # eps = 0 is the total variation distance; by hand for n = 2, r = 1/2 from the density of L
    assert close(laplace.composed_delta(0.5, 2, 0.0), 0.241836675359208, 1e-14)


def test_composition_of_many_is_below_the_sum_and_above_each():
    for releases in (5, 40):
        delta = laplace.composed_delta(0.1, releases, 0.05)
        assert delta > laplace.composed_delta(0.1, releases - 1, 0.05)
        assert laplace.composed_delta(0.1, releases, 0.1 * releases + 1e-9) == 0


# Exponential mechanism, randomized response


def exponential_by_enumeration(epsilon, at, actions):
    """Worst delta over a fine grid of gaps and all shifts in {-1, +1} of scores (gap, 0, .., 0)."""
    gaps = np.linspace(-30, 30, 2401)[:, None]
    scores = np.hstack([gaps, np.zeros((len(gaps), actions - 1))])
    worst = 0.0
    for bits in range(2**actions):
        shift = np.array([1 if bits >> k & 1 else -1 for k in range(actions)])
        p = divergences.log_normalise(epsilon / 2 * scores)
        q = divergences.log_normalise(epsilon / 2 * (scores + shift))
        worst = max(worst, divergences.delta_at(p, q, at).max())
    return worst


@pytest.mark.parametrize("actions", [2, 3, 4])
@pytest.mark.parametrize("at", [0.0, 0.4, 0.9])
def test_exponential_against_enumeration(actions, at):
    enumerated = exponential_by_enumeration(1.0, at, actions)
    assert enumerated <= upper(exponential.delta(1.0, at)) + 1e-12
    assert enumerated == pytest.approx(float(exponential.delta(1.0, at)), rel=1e-4)


@pytest.mark.parametrize(("width", "sensitivity"), [(2.0, 2.0), (2.0, 0.5), (1.0, 3.0)])
@pytest.mark.parametrize("actions", [2, 4])
def test_exponential_in_an_interval_against_enumeration(width, sensitivity, actions):
    """All pairs of score vectors on a grid of the interval that are near enough to each other."""
    levels = np.linspace(0, width, 5)
    scores = np.array(list(itertools.product(levels, repeat=actions)))
    laws = divergences.log_normalise(3.0 / (2 * sensitivity) * scores)
    near = np.abs(scores[:, None] - scores[None]).max(axis=2) <= sensitivity + 1e-12
    worst = (np.abs(laws[:, None] - laws[None]).max(axis=2) * near).max()
    keys = {"epsilon": 3.0, "sensitivity": sensitivity, "actions": actions, "width": width}
    audited = exponential.audit_exponential(exponential.ExponentialParams(**keys), [])
    assert worst == pytest.approx(audited.pure_epsilon, rel=1e-12)


def test_exponential_total_variation_is_tanh():
    assert close(exponential.delta(1.7, 0.0), math.tanh(1.7 / 4), 1e-14)


def test_exponential_is_its_epsilon_whatever_the_sensitivity():
    params = exponential.ExponentialParams(epsilon=0.8, sensitivity=3.0, actions=5)
    audited = exponential.audit_exponential(params, [0.8, 0.1])
    assert audited.pure_epsilon == 0.8
    assert audited.delta_at[0.8] == 0
    assert audited.delta_at[0.1] > 0


def test_randomized_response_both_ways():
    epsilon, answers = arb(0.7), 4
    truth = epsilon.exp() / (epsilon.exp() + answers - 1)
    lie = (1 - truth) / (answers - 1)
    p, q = [truth, lie, lie, lie], [lie, truth, lie, lie]
    audited = balls.audit_pairs([({"truth": 0}, p, q)], [0.0, 0.3])
    params = exponential.RandomizedResponseParams(epsilon=0.7, actions=4)
    known = exponential.audit_randomized_response(params, [0.0, 0.3])
    assert audited.pure_epsilon == pytest.approx(0.7, abs=1e-12)
    for e in (0.0, 0.3):
        assert audited.delta_at[e] == pytest.approx(known.delta_at[e], abs=1e-12)


def test_finite_agrees_with_floating_point():
    generator = np.random.Generator(np.random.Philox(1))
    p, q = generator.dirichlet(np.ones(6), size=2)
    log_p, log_q = np.log(p), np.log(q)
    assert close(balls.pure_loss(p, q), divergences.pure_epsilon(log_p, log_q))
    for e in (0.0, 0.5, 2.0):
        assert close(balls.delta_at(p, q, e), divergences.delta_at(log_p, log_q, e))
    assert not balls.pure_loss([1, 0], [0.5, 0.5]).is_finite()


# Report-noisy-max


@pytest.mark.parametrize(("gap", "ratio"), [(3, 1.33), (12, 1.73), (24, 1.85)])
def test_report_noisy_max_exceeds_epsilon_under_replacement(gap, ratio):
    before = selection_probabilities([1, gap - 1], 2.0)[0]
    after = selection_probabilities([0, gap], 2.0)[0]
    assert float((before / after).log()) / 0.5 == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize("arms", [2, 3, 6])
def test_report_noisy_max_tends_to_epsilon_and_to_twice_epsilon(arms):
    """Noise Lap(1/eps), eps = 0.5: eps under add-remove, up to 2 eps under replacement."""
    one = [rnm.pure_loss(2.0, arms, n, "add-remove") for n in (1, 8, 64, 4096)]
    two = [rnm.pure_loss(2.0, arms, n, "replace") for n in (1, 8, 64, 4096)]
    for losses, limit in ((one, 0.5), (two, 1.0)):
        assert all(lower(b) >= upper(a) - 1e-12 for a, b in itertools.pairwise(losses))
        assert upper(losses[-1]) <= limit + 1e-12
        assert lower(losses[-1]) > limit - 1e-3
    assert two[1] > 0.5  # certified: the printed noise does not give eps


def test_two_arms_by_hand():
    """P(X - Y <= d) = 1 - e^-d (2 + d)/4 for d >= 0, X and Y standard Laplace."""
    for d in (0, 1, 5):
        won = selection_probabilities([d, 0])[0]
        assert close(won, 1 - math.exp(-d) * (2 + d) / 4, 1e-15)


@pytest.mark.parametrize(
    ("model", "keys"),
    [
        (rnm.RnmParams, {"scale": 0, "arms": 2, "rounds": 3, "adjacency": "replace"}),
        (rnm.RnmParams, {"scale": 1, "arms": 1, "rounds": 3, "adjacency": "replace"}),
        (rnm.RnmParams, {"scale": 1, "arms": 2, "rounds": 3, "adjacency": "swap"}),
        (rnm.RnmParams, {"scale": 1, "arms": 2, "rounds": 3}),
        (laplace.LaplaceParams, {"scal": 1}),
        (exponential.ExponentialParams, {"epsilon": -1}),
    ],
)
def test_wrong_keys_are_one_line(model, keys):
    with pytest.raises(InputError) as error:
        parse(model, keys, "audit")
    assert "\n" not in str(error.value)
