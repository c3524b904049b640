"""The four-neighbours-per-arm audit of (8) against refits over every neighbour on a fine grid."""

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.problem import BanditData, log_reference_from

EPSILONS = (0.0, 0.1, 1.0)


def plain_policy(arms, rewards, count, eta, beta0, log_reference):
    """Equation (8) read literally, in ordinary floating point."""
    weights = np.zeros(count)
    for arm in range(count):
        own = rewards[arms == arm]
        if len(own):
            score = own.mean() - beta0 / np.sqrt(len(own))
            weights[arm] = np.exp(log_reference[arm] + score / eta)
    if weights.sum() == 0:
        return log_reference
    with np.errstate(divide="ignore"):
        return np.log(weights / weights.sum())


def neighbours(arms, rewards, count, top, kind):
    grid = np.linspace(0, top, 7)
    less = [(np.delete(arms, i), np.delete(rewards, i)) for i in range(len(arms))]
    if kind == "remove":
        return less
    start = [(arms, rewards)] if kind == "add" else less
    return [
        (np.append(a, arm), np.append(r, reward))
        for a, r in start
        for arm in range(count)
        for reward in grid
    ]


def enumerated(arms, rewards, top, kind, eta, beta0, *, log_reference):
    """(the policy, its exact loss), which is that of all neighbours."""
    count = len(log_reference)
    data = BanditData.from_records(arms, rewards, count)
    worst = exact_loss(data, eta, beta0, top, (kind,), EPSILONS, log_reference=log_reference)
    laws = [
        plain_policy(a, r, count, eta, beta0, log_reference)
        for a, r in [(arms, rewards), *neighbours(arms, rewards, count, top, kind)]
    ]
    own, others = laws[0], np.array(laws[1:])
    assert worst.pure == pytest.approx(pure_epsilon(own, others).max(), rel=1e-9, abs=1e-12)
    for epsilon, found in worst.delta.items():
        expected = delta_at(own, others, epsilon).max()
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    return own, worst


@pytest.mark.parametrize("kind", ["remove", "add", "swap"])
@pytest.mark.parametrize("seed", range(25))
def test_vertices_are_the_supremum(seed, kind):
    generator = np.random.default_rng(seed)
    count, n, top = int(generator.integers(1, 5)), int(generator.integers(1, 9)), 2.0
    arms, rewards = generator.integers(0, count, n), generator.random(n) * top
    eta, beta0 = float(10 ** generator.uniform(-1.3, 1)), float(generator.choice([0.0, 0.5, 3.0]))
    reference = log_reference_from(generator.random(count))
    own, worst = enumerated(arms, rewards, top, kind, eta, beta0, log_reference=reference)
    refit = plain_policy(*changed(arms, rewards, worst.neighbour), count, eta, beta0, reference)
    assert worst.pure == pytest.approx(float(pure_epsilon(own, refit)), rel=1e-9, abs=1e-12)


def changed(arms, rewards, change):
    """The records after the change that is described."""
    records = list(zip(arms.tolist(), rewards.tolist(), strict=True))
    if change["kind"] != "add":
        records.remove((change["arm"], change["reward"]))
    if change["kind"] != "remove":
        to = "to_" if change["kind"] == "swap" else ""
        records.append((change[f"{to}arm"], change[f"{to}reward"]))
    return np.array([a for a, _ in records], int), np.array([r for _, r in records])


@pytest.mark.parametrize("kind", ["remove", "add", "swap"])
@pytest.mark.parametrize("seed", range(12))
def test_arms_that_pi0_excludes_and_data_that_leave_it_no_arm(seed, kind):
    """Records on excluded arms say nothing; without others the policy is pi0, before and after."""
    generator = np.random.default_rng(seed)
    count, n = int(generator.integers(1, 5)), int(generator.integers(1, 4))
    arms, rewards = generator.integers(0, count, n), generator.random(n)
    weights = generator.integers(0, 2, count) * generator.random(count)
    weights[generator.integers(count)] = 1.0
    enumerated(arms, rewards, 1.0, kind, 0.3, 0.5, log_reference=log_reference_from(weights))
