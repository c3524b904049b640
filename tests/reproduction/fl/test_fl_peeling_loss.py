"""Peeling: its bounds compared with brute force, losses on a grid and events of known law."""

import math
from itertools import permutations, product

import numpy as np
import plain
import pytest
from flint import arb
from plain import assert_between, seeded

from dpbandits.audit.computed.balls import lower, precision, upper
from dpbandits.audit.computed.selection import selection_probabilities
from dpbandits.core.mechanisms import named
from dpbandits.reproduction.fl.mechanisms import peeling


def brute_force_two(ratio, epsilon):
    """s = 1, d = 2: the output's densities on a grid of releases, over many vectors and shifts."""
    y = np.arange(-40, 40, 0.01)
    worst = 0.0
    for gap in np.arange(-4, 4.01, 0.25):
        v = np.array([15 + gap, 15.0])
        for w in v + np.array(list(product((-ratio, 0, ratio), repeat=2))):
            p, q = (list(map(float, selection_probabilities(list(x)))) for x in (v, w))
            excess = 0.0
            for j in (0, 1):
                before = p[j] * np.exp(-np.abs(y - v[j])) / 2
                after = q[j] * np.exp(-np.abs(y - w[j])) / 2
                excess += np.maximum(0, before - np.exp(epsilon) * after).sum() * 0.01
            worst = max(worst, excess)
    return worst


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.2])
def test_delta_of_one_of_two_coordinates_by_brute_force(epsilon):
    loss = peeling.audit_ratio(arb(0.5), 1, 2, [epsilon])
    delta, worst = loss.delta_at[epsilon], loss.worst_neighbour["delta_at"][named(epsilon)]
    assert loss.method == "certified"
    assert brute_force_two(0.5, epsilon) == pytest.approx(delta, abs=2e-3)
    assert delta - 1e-7 < worst["delta_at_least"] <= delta
    assert lower(peeling.delta_lower(arb(0.5), 1, 2, epsilon)[0]) <= delta
    assert delta <= upper(peeling.delta_upper(arb(0.5), 1, 2, epsilon))


def ordered_loss(before, after):
    """The largest loss of an ordered selection of all coordinates, and a release, by hand."""
    worst = -np.inf
    for order in permutations(range(len(before))):
        loss = 0.0
        for i, j in enumerate(order):
            rest = list(order[i:])
            p = selection_probabilities([before[k] for k in rest])[0]
            q = selection_probabilities([after[k] for k in rest])[0]
            loss += float(p.log() - q.log()) + abs(before[j] - after[j])
        worst = max(worst, loss)
    return worst


def test_pure_loss_if_every_coordinate_is_selected():
    """d = s = 3: (3s - 2) r is approached, and no shift of a few vectors exceeds it."""
    ratio, losses = 0.5, []
    vectors = [(0, 40, 80), (0, 20, 21), (5, 5, 5), (0, 10, 60)]
    for v in vectors:
        for move in product((-ratio, ratio), repeat=3):
            losses.append(ordered_loss(v, [a + b for a, b in zip(v, move, strict=True)]))
    limit = float(peeling.pure_loss(arb(ratio), 3, 3))
    assert limit == 7 * ratio
    assert limit - 0.1 < max(losses) <= limit + 1e-9


@pytest.mark.parametrize("case", range(12))
def test_composition_of_selections_and_releases(case):
    random = seeded(2, case)
    shift = random.uniform(0.05, 0.9)
    selections, releases = (int(x) for x in random.integers(0, 6, size=2))
    epsilon = random.uniform(0, 0.9 * shift * (2 * selections + releases) + 0.1)
    ball = peeling.composed_upper(arb(shift), selections, releases, epsilon)
    if selections + releases:
        assert_between(float(ball), plain.composed(shift, selections, releases, epsilon, 5e-4))
    assert upper(ball) - lower(ball) < 1e-9


@pytest.mark.parametrize("epsilon", [0.2, 0.8, 1.3])
def test_lower_bound_of_peeling_by_its_event(epsilon):
    """s = 2 of 3 at the reported gap: sequential selection by quadrature, releases on a grid."""
    ratio, s = 0.4, 2
    ball, gap = peeling.delta_lower(arb(ratio), s, 3, epsilon)
    chance, loss = 1.0, 0.0
    for left in (2, 1):
        p, q = (plain.winner([g] * left + [0], 1.0)[:left].sum() for g in (gap, gap - 2 * ratio))
        chance, loss = chance * p, loss + math.log(p / q)
    low, high = (chance * x for x in plain.composed(ratio, 0, s, epsilon - loss, 2e-4))
    assert_between(float(ball), (low, high), slack=1e-4)


def test_delta_is_0_at_the_pure_loss():
    """3 s r, by each method; r is a dyadic number, hence exact."""
    assert peeling.delta_upper(arb(2) ** -7, 61, 70, 3 * 61 / 128).is_zero()
    loss = peeling.audit_ratio(arb(0.5), 1, 3, [1.5])
    assert (loss.delta_at, loss.worst_neighbour["delta_at"]) == ({1.5: 0.0}, {})
    assert loss.method == "exact"
    assert peeling.audit_ratio(arb(0.5), 1, 2, [1.5]).delta_at == {1.5: 0.0}


@pytest.mark.parametrize("case", range(6))
def test_randomized_responses_against_losses_on_a_grid(case):
    """Selections of loss 2r and releases of loss r; never below the sharper composition."""
    random = seeded(3, case)
    shift = random.uniform(0.05, 0.8)
    selections, releases = (int(x) for x in random.integers(1, 12, size=2))
    epsilon = random.uniform(0, 0.9) * shift * (2 * selections + releases)
    bounds = []
    for side in (-1, 1):
        parts = [plain.response_losses(2 * shift, side)] * selections
        parts += [plain.response_losses(shift, side)] * releases
        bounds.append(plain.composed_delta(parts, epsilon))
    ball = peeling.responses_upper(arb(shift), selections, releases, epsilon)
    assert_between(float(ball), bounds)
    assert lower(peeling.composed_upper(arb(shift), selections, releases, epsilon)) <= upper(ball)


@pytest.mark.parametrize("case", range(6))
def test_calibrated_peeling_is_its_printed_noise_at_another_epsilon(case):
    """xi = 2 lambda sqrt(3 s ln(1/delta))/eps: the audit at the eps that prints the same xi."""
    random = seeded(4, case)
    s, d, lam = int(random.integers(1, 5)), 9, random.uniform(0.5, 2)
    target = peeling.PeelingTarget(**{"s": s, "d": d, "lambda": lam})
    for epsilon, delta in ((1.0, 0.0), (0.8, 0.02)):
        scale = peeling.calibrate_peeling(target, epsilon, delta).noise["scale"]
        printed = 2 * lam * math.sqrt(3 * s * math.log(2)) / scale
        keys = {"s": s, "d": d, "lambda": lam, "epsilon": printed, "delta": 0.5}
        again = peeling.audit_peeling(peeling.PeelingParams(**keys), (epsilon,))
        assert again.worst_neighbour["scale"] == pytest.approx(scale)
        if delta == 0:
            assert again.pure_epsilon == pytest.approx(epsilon, rel=1e-6)
            assert scale == pytest.approx(3 * s * lam / epsilon, rel=1e-6)
        else:
            assert_between(delta, plain.composed(lam / scale, s, s, epsilon, 2e-4), slack=1e-6)


def test_deep_tails_are_certified_to_one_percent():
    """Near the pure loss delta is tiny: lower and upper ends of its ball within 1%."""
    with precision(4096):
        shift = arb(1) / 7
    for s in (1, 3):
        ball = peeling.composed_upper(shift, s, s, 0.98 * 3 * s / 7)
        assert upper(ball) <= 1.01 * lower(ball)
