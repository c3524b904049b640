"""Report-noisy-max: two ways to each probability, and every pair of counts enumerated."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from flint import acb, arb

from dpbandits.audit import balls, rnm
from dpbandits.audit.balls import lower, precision, upper
from dpbandits.audit.engine import rnm_search as search
from dpbandits.audit.selection import event_excess, selection_probabilities


def by_rigorous_quadrature(counts, scale, arm):
    """The defining integral by flint's adaptive ball quadrature, split at the kinks."""

    def density(x, u):
        return (-abs(x - u) / scale).exp() / (2 * scale)

    def integrand(left):
        def f(x, _):
            value = acb(1)
            for k, c in enumerate(counts):
                z = (x - c) / scale
                above = c > left  # the piece lies on one side of each count: no absolute values
                tail = (z if above else -z).exp() / 2
                value *= tail / scale if k == arm else (tail if above else 1 - tail)
            return value

        return f

    far = 60 * scale
    cuts = [min(counts) - far, *sorted(set(counts)), max(counts) + far]
    pieces = (acb.integral(integrand(a), a, b) for a, b in pairwise(cuts))
    return sum((p.real for p in pieces), arb(0))


@pytest.mark.parametrize("counts", [(0, 0), (0, 3), (2, 5, 5), (4, 1, 0, 1)])
def test_closed_form_against_quadrature(counts):
    closed = selection_probabilities(counts, 1.5)
    for arm in range(len(counts)):
        assert abs(float(closed[arm] - by_rigorous_quadrature(counts, 1.5, arm))) < 1e-13
    assert abs(float(sum(closed, arb(0)) - 1)) < 1e-13


def test_closed_form_against_sampling():
    # 4e5 draws, tolerance 5 standard errors: fails by chance below 1e-5 (and the seed is fixed)
    counts, runs = np.array([3, 5, 4]), 400_000
    generator = np.random.Generator(np.random.Philox(7))
    won = (counts + generator.laplace(scale=2.0, size=(runs, 3))).argmax(axis=1)
    for arm, p in enumerate(map(float, selection_probabilities([3, 5, 4], 2.0))):
        assert abs(np.mean(won == arm) - p) < 5 * np.sqrt(p * (1 - p) / runs)


def test_far_counts_keep_their_tiny_probabilities():
    with precision(128):
        p = selection_probabilities([0, 5000])[0]
        expected = (arb(-5000).exp() * (2 + arb(5000))) / 4
    assert abs(float(p / expected) - 1) < 1e-12


def neighbours(counts, rounds, adjacency):
    moves = product((-1, 0, 1), repeat=len(counts)) if adjacency == "replace" else ()
    if adjacency == "add-remove":
        moves = [
            tuple(sign * x for x in step)
            for step in product((0, 1), repeat=len(counts))
            for sign in (1, -1)
        ]
    for move in moves:
        after = tuple(c + m for c, m in zip(counts, move, strict=True))
        if all(0 <= c <= rounds for c in after):
            yield after


@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
@pytest.mark.parametrize(
    ("arms", "rounds", "scale"), [(2, 1, 1.0), (2, 6, 0.7), (3, 1, 2.0), (3, 4, 1.0), (4, 2, 0.5)]
)
def test_proved_worst_pair_against_all_pairs(arms, rounds, scale, adjacency):
    """Every count vector, every neighbour, every set of outputs."""
    law = {
        counts: selection_probabilities(counts, scale)
        for counts in product(range(rounds + 1), repeat=arms)
    }
    epsilons = [0.0, 0.4 / scale, 0.9 / scale]
    pure, deltas = 0.0, dict.fromkeys(epsilons, 0.0)
    for counts, p in law.items():
        if list(counts) != sorted(counts):
            continue  # arms are exchangeable
        for after in neighbours(counts, rounds, adjacency):
            pure = max(pure, float(balls.pure_loss(p, law[after])))
            for e in epsilons:
                deltas[e] = max(deltas[e], float(balls.delta_at(p, law[after], e)))
    params = rnm.RnmParams(scale=scale, arms=arms, rounds=rounds, adjacency=adjacency)
    audited = rnm.audit_rnm(params, epsilons)
    assert audited.pure_epsilon == pytest.approx(pure, abs=1e-11)
    assert audited.delta_at == pytest.approx(deltas, abs=1e-11)


@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_bisection_agrees_with_enumeration(adjacency):
    for epsilon in (0.0, 0.2, 0.45):
        params = rnm.RnmParams(scale=2.0, arms=2, rounds=12, adjacency=adjacency)
        found, before, after = rnm.delta_two_arms(2.0, 12, adjacency, epsilon)
        size, before_too, after_too, _ = search.enumerate_pairs(params, epsilon)
        enumerated = event_excess(before_too, after_too, size, 2.0, epsilon)
        assert float(found) == pytest.approx(max(0.0, float(enumerated)), abs=1e-13)
        assert max(0.0, float(event_excess(before, after, 1, 2.0, epsilon))) == pytest.approx(
            float(found), abs=1e-13
        )


def test_bound_for_many_arms_is_above_what_is_found():
    params = rnm.RnmParams(scale=2.0, arms=12, rounds=40, adjacency="replace")
    audited = rnm.audit_rnm(params, [0.0, 0.5])
    assert audited.method == "bound"
    for e in (0.0, 0.5):
        at_least = audited.worst_neighbour["delta_at"][f"{e:g}"]["delta_at_least"]
        assert 0 < at_least < audited.delta_at[e]


def test_pure_loss_is_enclosed():
    loss = rnm.pure_loss(1.0, 2, 64, "replace")
    assert lower(loss) > 1.0
    assert upper(loss) - lower(loss) < 1e-13


def test_pure_loss_never_reaches_beyond_its_limit():
    """Ten arms: the limit 2/scale is missed by less than 1e-60, and must not be exceeded."""
    loss = rnm.pure_loss(4.0, 10, 64, "replace")
    assert upper(loss) == 0.5
    assert float(loss.upper()) == 0.5
    assert lower(loss) > 0.5 - 1e-15


def test_extreme_noise_and_epsilon():
    """Little noise and three arms: beyond floating point, so a certified upper bound instead."""
    params = rnm.RnmParams(scale=1e-3, arms=3, rounds=1, adjacency="replace")
    audited = rnm.audit_rnm(params, [900.0])
    assert audited.method == "bound"
    at_least = audited.worst_neighbour["delta_at"]["900"]["delta_at_least"]
    assert 0 < at_least <= audited.delta_at[900.0] <= 1
    vast = rnm.audit_rnm(rnm.RnmParams(scale=1e9, arms=2, rounds=64, adjacency="replace"), [0.0])
    assert vast.pure_epsilon == pytest.approx(1e-9, rel=1e-6)  # 2 times the density at a tie, 1/2
    assert vast.delta_at[0.0] == pytest.approx(0.5e-9, rel=1e-6)


@pytest.mark.parametrize(("arms", "scale"), [(3, 1.0), (4, 0.5), (5, 3.0)])
def test_all_pairs_are_tried_as_long_as_that_takes_seconds(arms, scale):
    """6e9 multiplications: two matrix products over all nodes, for each size of S all multisets.

    A panel per count and 30 scales beyond on both sides, no wider than 1 and the scale; 8 nodes and
    1.5 for each arm and unit of 1/scale.
    """
    each = 8 + math.ceil(1.5 * arms * max(1, 1 / scale))
    tail = math.ceil(30 * scale / max(1, scale))

    def work(rounds):
        pairs = sum(
            math.comb(rounds + m, m) * math.comb(rounds + arms - m, arms - m)
            for m in range(1, arms)
        )
        return 2 * pairs * each * (rounds + 2 * tail)

    most = max(rounds for rounds in range(1, 2000) if work(rounds) <= 6e9)
    assert search.affordable(scale, arms, most, 0.5)
    assert not search.affordable(scale, arms, most + 1, 0.5)


def test_what_is_out_of_reach_of_floats_or_too_fine_is_not_tried():
    assert not search.affordable(1.0, 3, 10**9, 1.0)
    assert search.affordable(1.0, 8, 2, 500.0)
    assert not search.affordable(1.0, 9, 2, 1.0)
    assert not search.affordable(1.0, 8, 2, 501.0)
    # 8 + 1.5 * 2/scale nodes between two counts, at most 1000
    assert search.affordable(3 / 992, 2, 1, 1.0)
    assert not search.affordable(3 / 993, 2, 1, 1.0)


def test_large_enumerations_are_cut_into_blocks_of_memory(monkeypatch):
    """One block more for every 2^23 pairs of a multiset and a node; the answer is that of one."""
    nodes, asked = np.broadcast_to(0.0, 2**23), []

    def blocks(sets, sections):
        asked.append((len(sets), sections))
        return [sets]

    monkeypatch.setattr(search, "_cdf_and_density", lambda p: (None, None, nodes))
    monkeypatch.setattr(search, "_wins", lambda *x: np.zeros((len(x[-2]), len(x[-1]))))
    monkeypatch.setattr(np, "array_split", blocks)
    params = rnm.RnmParams(scale=1.0, arms=3, rounds=2, adjacency="replace")
    search.enumerate_pairs(params, 1.0)
    assert asked
    assert all(sections == 1 + sets for sets, sections in asked)
