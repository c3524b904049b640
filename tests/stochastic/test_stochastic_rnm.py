"""Report-noisy-max: selection probabilities by quadrature, and worst pairs by enumeration."""

import math
from itertools import permutations, product

import numpy as np
import plain
import pytest
from flint import arb
from plain import seeded

from dpbandits.audit.computed.balls import precision
from dpbandits.audit.computed.selection import selection_probabilities
from dpbandits.core.divergences import hockey_stick, pure_epsilon
from dpbandits.stochastic.mechanisms import rnm, rnm_search
from dpbandits.stochastic.mechanisms.rnm_loss import event_excess, two_level_delta


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
        counts: np.log([float(p) for p in selection_probabilities(counts, scale)])
        for counts in product(range(rounds + 1), repeat=arms)
    }
    epsilons = [0.0, 0.4 / scale, 0.9 / scale]
    pure, deltas = 0.0, dict.fromkeys(epsilons, 0.0)
    for counts, p in law.items():
        if list(counts) != sorted(counts):
            continue  # arms are exchangeable
        for after in neighbours(counts, rounds, adjacency):
            q = law[after]
            pure = max(pure, pure_epsilon(p, q))
            for e in epsilons:
                deltas[e] = max(deltas[e], hockey_stick(p, q, e), hockey_stick(q, p, e))
    params = rnm.RnmParams(scale=scale, arms=arms, rounds=rounds, adjacency=adjacency)
    audited = rnm.audit_rnm(params, epsilons)
    assert audited.pure_epsilon == pytest.approx(pure, abs=1e-11)
    assert audited.delta_at == pytest.approx(deltas, abs=1e-11)
    assert audited.method == ("certified" if arms == 2 else "exact")


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_bisection_for_two_arms_agrees_with_enumeration(adjacency, noise):
    params = rnm.RnmParams(scale=2.0, arms=2, rounds=12, adjacency=adjacency, noise=noise)
    for epsilon in (0.0, 0.2, 0.4):
        size, before, after, _ = rnm_search.worst_pair(params, epsilon)
        enumerated = event_excess(before, after, size, 2.0, epsilon, noise)
        delta, _ = two_level_delta(params, epsilon, 1)
        assert float(delta) == pytest.approx(float(enumerated), abs=1e-13)


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize("case", range(4))
def test_selection_by_quadrature(noise, case):
    random = seeded(6, case)
    counts = random.integers(0, 6, size=int(random.integers(2, 6)))
    scale = random.uniform(0.5, 3)
    ours = [float(p) for p in selection_probabilities(counts.tolist(), scale, noise)]
    # the exponential density jumps, which costs the trapezium rule a part of its step
    tolerance = 2e-3 if noise == "exponential" else 1e-6
    assert np.abs(np.array(ours) - plain.winner(counts, scale, noise)).max() < tolerance
    assert sum(ours) == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("counts", [(3, 1), (0, 2, 5), (4, 4, 1, 0)])
def test_exponential_noise_is_permute_and_flip(counts):
    """Over all orders: arms are visited in a random order until arm j stops the visits, with
    probability e^{(c_j - max c)/b}."""
    scale, chance = 1.3, np.zeros(len(counts))
    stops = np.exp((np.array(counts) - max(counts)) / scale)
    orders = list(permutations(range(len(counts))))
    for order in orders:
        left = 1.0
        for j in order:
            chance[j] += left * stops[j] / len(orders)
            left *= 1 - stops[j]
    ours = [float(p) for p in selection_probabilities(counts, scale, "exponential")]
    assert ours == pytest.approx(chance, rel=1e-12)


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
@pytest.mark.parametrize(("arms", "rounds"), [(2, 7), (3, 4), (5, 2), (15, 3)])
def test_reported_pairs_have_the_reported_losses(arms, rounds, adjacency, noise):
    scale = 1.7
    params = rnm.RnmParams(scale=scale, arms=arms, rounds=rounds, adjacency=adjacency, noise=noise)
    shift = 2 if adjacency == "replace" else 1
    loss = rnm.audit_rnm(params, (0.1, 0.4))
    worst, tolerance = loss.worst_neighbour, 5e-3 if noise == "exponential" else 1e-5

    def chances(pair, outputs):
        """P(the winner is in `outputs`) before and after, by quadrature; the pair is checked."""
        before, after = pair["counts"], pair["neighbour"]
        moves = np.array(after) - np.array(before)
        assert 0 <= min(*before, *after) <= max(*before, *after) <= rounds
        assert np.abs(moves).max() == 1
        assert adjacency == "replace" or not (moves.min() < 0 < moves.max())
        return (plain.winner(counts, scale, noise)[outputs].sum() for counts in (before, after))

    p, q = chances(worst, [worst["output"]])
    assert math.log(p / q) == pytest.approx(loss.pure_epsilon, rel=tolerance)
    assert loss.pure_epsilon <= shift / scale * (1 + 1e-15)
    for epsilon in (0.1, 0.4):
        pair = worst["delta_at"][f"{epsilon:g}"]
        p, q = chances(pair, pair["outputs"])
        least = pair.get("delta_at_least", loss.delta_at[epsilon])
        assert p - math.exp(epsilon) * q == pytest.approx(least, abs=tolerance)
        assert least <= loss.delta_at[epsilon]
        if loss.method == "bound" and noise != "gumbel":
            pure = loss.pure_epsilon
            response = (math.exp(pure) - math.exp(epsilon)) / (1 + math.exp(pure))
            assert loss.delta_at[epsilon] == pytest.approx(response, rel=1e-12)


def test_gumbel_noise_is_bounded_by_the_exponential_mechanism():
    """Many arms: e^e (e^{(s/b - e)/2} - 1)^2/(e^{s/b} - 1), the supremum over real scores."""
    params = rnm.RnmParams(scale=2.0, arms=12, rounds=100, adjacency="replace", noise="gumbel")
    loss = rnm.audit_rnm(params, (0.25,))
    expected = math.exp(0.25) * (math.exp(0.375) - 1) ** 2 / (math.e - 1)
    assert loss.delta_at[0.25] == pytest.approx(expected, rel=1e-12)
    assert 0.9 * expected < loss.worst_neighbour["delta_at"]["0.25"]["delta_at_least"] <= expected
