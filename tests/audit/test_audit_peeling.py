"""Peeling: bounds on both sides against a plain simulation and brute-force integrals."""

from itertools import permutations, product

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import peeling
from dpbandits.audit.balls import lower, precision, upper
from dpbandits.audit.selection import selection_probabilities, two_levels
from dpbandits.core.errors import InputError


def audited(at, **keys):
    return peeling.audit_peeling(peeling.PeelingParams(**keys), at)


def brute_force_two(ratio, epsilon):
    """s = 1, d = 2: the output's densities on a grid of releases, over many vectors and shifts."""
    y = np.arange(-40, 40, 0.01)
    laplace = lambda centre: 0.5 * np.exp(-np.abs(y - centre)) * 0.01  # noqa: E731
    worst = 0.0
    for gap in np.arange(-4, 4.01, 0.25):
        v = np.array([15 + gap, 15.0])
        for move in product((-ratio, 0, ratio), repeat=2):
            w = v + move
            p = selection_probabilities(list(map(float, v)))
            q = selection_probabilities(list(map(float, w)))
            excess = 0.0
            for j in (0, 1):
                here, there = float(p[j]) * laplace(v[j]), float(q[j]) * laplace(w[j])
                excess += np.maximum(0, here - np.exp(epsilon) * there).sum()
            worst = max(worst, excess)
    return worst


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.2])
def test_one_of_two_against_brute_force(epsilon):
    ball, _ = peeling.delta_two(0.5, epsilon)
    assert upper(ball) - lower(ball) < 1e-7
    assert brute_force_two(0.5, epsilon) == pytest.approx(float(ball), abs=2e-3)


def test_two_methods_nest():
    ratio = arb(0.4)
    for epsilon in (0.0, 0.3, 0.8):
        ball, _ = peeling.delta_two(ratio, epsilon)
        assert lower(peeling.delta_lower(ratio, 1, 2, epsilon)[0]) <= upper(ball)
        assert lower(ball) <= upper(peeling.delta_upper(ratio, 1, 2, epsilon))
        for s, d in ((3, 8), (2, 2)):
            low, _ = peeling.delta_lower(ratio, s, d, epsilon)
            assert lower(low) <= upper(peeling.delta_upper(ratio, s, d, epsilon))


def test_sub_event_against_a_plain_simulation():
    """P(the s are selected) of the lower bound; 2e5 runs, 5 standard errors (flake
    rate 6e-7), fixed seed."""
    s, d, gap, runs = 2, 4, 1.5, 200_000
    generator = np.random.Generator(np.random.Philox(3))
    v = np.array([gap] * s + [0.0] * (d - s))
    chosen = np.zeros((runs, d), bool)
    for _ in range(s):
        noisy = np.where(chosen, -np.inf, v + generator.laplace(size=(runs, d)))
        chosen[np.arange(runs), noisy.argmax(axis=1)] = True
    p, q = map(float, peeling._selected(arb(gap), s, d - s))
    frequency = np.mean(chosen[:, :s].all(axis=1))
    assert abs(frequency - p * q) < 5 * np.sqrt(p * q * (1 - p * q) / runs)


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
    """d = s = 3: (3s - 2) r is approached, and no shift of a small family exceeds it."""
    ratio, found = 0.5, []
    vectors = [(0, 40, 80), (0, 20, 21), (5, 5, 5), (0, 10, 60)]
    for v in vectors:
        for move in product((-ratio, ratio), repeat=3):
            found.append(ordered_loss(v, [a + b for a, b in zip(v, move, strict=True)]))
    limit = float(peeling.pure_loss(arb(ratio), 3, 3))
    assert limit == 7 * ratio
    assert max(found) <= limit + 1e-9
    assert max(found) > limit - 0.1


def test_lemma_holds_by_the_pure_loss_for_few_coordinates():
    """s <= (4/3) ln(1/delta): 3 s r <= eps for every eps."""
    for s, delta in ((1, 0.4), (6, 0.01), (18, 1e-6)):
        for epsilon in (0.1, 10.0, 1000.0):
            assert peeling.lemma(s, 400, epsilon, delta)[0] == "proved"


def test_lemma_fails_for_more_coordinates_and_large_epsilon():
    verdict, low, high = peeling.lemma(7, 400, 300.0, 0.01)
    assert verdict == "violated"
    assert low > 0.01
    assert lower(low) <= upper(high) <= 1 + 1e-12


def test_lemma_is_proved_where_the_paper_uses_it():
    for epsilon in (0.1, 0.5, 1.0):
        assert peeling.lemma(10, 400, epsilon, 0.01)[0] == "proved"


def test_scale_is_the_printed_one():
    result = audited([0.5], **{"s": 3, "d": 9, "epsilon": 1.0, "delta": 0.01, "lambda": 2.0})
    printed = 2.0 * 2 * np.sqrt(3 * 3 * np.log(100))
    assert result.worst_neighbour["scale"] == pytest.approx(printed, rel=1e-12)
    assert result.pure_epsilon == pytest.approx(3 * 3 * 2.0 / printed, rel=1e-12)
    assert result.method == "bound"


def test_deltas_fall_and_vanish_beyond_the_pure_loss():
    result = audited([0.0, 0.2, 0.4, 5.0], s=2, d=5, epsilon=1.0, delta=0.01)
    values = list(result.delta_at.values())
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0.0


def test_fewer_coordinates_than_selected_is_refused():
    with pytest.raises(InputError):
        audited([], s=3, d=2, epsilon=1.0, delta=0.1)


def test_sign_of_a_tie_is_settled_by_the_union():
    with precision(64):
        doubt = arb(0, 1e-10)
        ball = two_levels(doubt, 1, 2)
        assert ball.contains(arb(1) / 3)


def test_one_of_two_with_little_noise():
    """r = 40: tails of e^-80 must not spoil the certificate."""
    ball, _ = peeling.delta_two(40.0, 1.0)
    assert lower(ball) > 1 - 1e-6
    assert upper(ball) <= 1 + 1e-7
