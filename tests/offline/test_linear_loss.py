"""Audits of (10): rank-one updates against refits; additions against a dense grid."""

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline.audits import delta_of_pure, linear_loss
from dpbandits.offline.boxes import certified_additions
from dpbandits.offline.linear_loss import LinearAudit
from dpbandits.offline.worst import Worst

EPSILONS = (0.05, 0.5)


def example(seed, d, n=25, m=4, rewards_max=1.0):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((n, d))
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    actions = generator.standard_normal((m, d))
    actions /= np.maximum(1.0, np.linalg.norm(actions, axis=1, keepdims=True))
    rewards = rewards_max * generator.random(n)
    eta, beta0 = float(10 ** generator.uniform(-2, 0)), float(generator.choice([0.0, 0.5, 2.0]))
    reference = np.log(generator.dirichlet(np.ones(m)))
    return LinearAudit(features, rewards, actions, eta, beta0, 1.0, rewards_max, reference)


def plain_policy(audit, features, rewards):
    """Equation (10) with lambda = 1 read literally."""
    sigma = np.eye(features.shape[1]) + sum(np.outer(x, x) for x in features)
    theta = np.linalg.solve(sigma, sum(r * x for x, r in zip(features, rewards, strict=True)))
    scores = [
        phi @ theta - audit.beta0 * np.sqrt(phi @ np.linalg.solve(sigma, phi))
        for phi in audit.actions
    ]
    weights = np.array(scores) / audit.eta + audit.log_reference
    return weights - np.logaddexp.reduce(weights)


@pytest.mark.parametrize(("seed", "d"), [(0, 1), (1, 2), (2, 3), (3, 6)])
def test_removals_are_refits(seed, d):
    audit = example(seed, d)
    worst = Worst(EPSILONS)
    audit.removals(worst)
    others = np.array(
        [
            plain_policy(audit, np.delete(audit.features, i, 0), np.delete(audit.rewards, i))
            for i in range(len(audit.features))
        ]
    )
    losses = pure_epsilon(audit.log_pi, others)
    assert worst.pure == pytest.approx(losses.max(), rel=1e-8)
    assert worst.neighbour["row"] == int(np.argmax(losses)) + 1
    for epsilon in EPSILONS:
        expected = delta_at(audit.log_pi, others, epsilon).max()
        assert worst.delta[epsilon] == pytest.approx(expected, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(("seed", "d"), [(10, 1), (11, 1), (12, 2), (13, 2), (14, 2), (15, 3)])
def test_no_addition_of_a_dense_sample_beats_the_search_or_its_certificate(seed, d):
    audit = example(seed, d, rewards_max=2.0)
    worst = Worst(EPSILONS)
    audit.additions(worst)
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((20000, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x *= generator.choice([1.0, generator.random()], (20000, 1))
    r = generator.choice([0.0, 2.0, 1.0, 0.3], 20000)
    policies = audit.updated(x, r, 1.0)
    assert pure_epsilon(audit.log_pi, policies).max() <= worst.pure * (1 + 1e-9)
    certificate = certified_additions(audit, worst.pure, None)
    assert worst.pure <= certificate <= 1.02 * worst.pure
    assert worst.pure <= audit.pairwise_bound() * (1 + 1e-12)
    for epsilon in EPSILONS:
        most = delta_at(audit.log_pi, policies, epsilon).max()
        assert most <= worst.delta[epsilon] * (1 + 1e-9) + 1e-12
        assert worst.delta[epsilon] <= certified_additions(audit, worst.delta[epsilon], epsilon)


def test_the_attained_addition_is_a_real_data_set():
    audit = example(20, 3)
    worst = Worst()
    audit.additions(worst)
    found = worst.neighbour
    features = np.vstack([audit.features, found["x"]])
    other = plain_policy(audit, features, np.append(audit.rewards, found["reward"]))
    assert np.linalg.norm(found["x"]) <= 1 + 1e-12
    assert float(pure_epsilon(audit.log_pi, other)) == pytest.approx(worst.pure, rel=1e-8)


def test_swaps_are_real_data_sets_and_beat_single_steps():
    audit = example(21, 2)
    worst, removed = Worst(), Worst()
    audit.swaps(worst, candidates=5)
    audit.removals(removed)
    found = worst.neighbour
    row = found["row"] - 1
    features = np.vstack([np.delete(audit.features, row, 0), found["x"]])
    rewards = np.append(np.delete(audit.rewards, row), found["reward"])
    other = plain_policy(audit, features, rewards)
    assert float(pure_epsilon(audit.log_pi, other)) == pytest.approx(worst.pure, rel=1e-8)
    assert worst.pure > removed.pure


def test_conclusions_name_what_is_proved():
    assert linear_loss(example(30, 2), ("remove",), (0.1,)).method == "exact"
    assert linear_loss(example(30, 1)).method in ("exact", "certified")
    high = linear_loss(example(31, 6))
    assert high.method == "bound"
    assert high.worst_neighbour["at_most"]["pure"] >= high.pure_epsilon


def test_delta_of_a_pure_loss_is_reached_by_randomised_response():
    loss, epsilon = 1.3, 0.4
    p = np.log(np.array([np.exp(loss), 1.0]) / (1 + np.exp(loss)))
    assert delta_of_pure(loss, epsilon) == pytest.approx(float(delta_at(p, p[::-1], epsilon)))
