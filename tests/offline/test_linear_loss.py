"""Audits of (10): rank-one updates against refits; additions against a dense grid."""

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline.engine.certificates import curvature, delta_of_pure, delta_of_spread
from dpbandits.offline.engine.quadratic_ratio import ratio_maximum
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import loss
from dpbandits.offline.linear.boxes import branch_and_bound, certified_additions
from dpbandits.offline.linear.certificate import AdditionCertificate, rounding
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.swaps import swaps
from dpbandits.offline.mechanisms.audits import linear_loss

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
    return LinearAudit(
        features,
        rewards,
        actions,
        eta=eta,
        beta0=beta0,
        penalty=1.0,
        reward_max=rewards_max,
        log_reference=reference,
    )


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


@pytest.mark.parametrize(("cells", "calls"), [(1000, 1), (40, 3), (1, 25)])
def test_removals_are_looked_at_as_many_at_once_as_fit(cells, calls, monkeypatch):
    """25 records, 4 actions each: blocks of 250, of 10, of 1."""
    audit, seen = example(0, 1), []
    updated = LinearAudit.updated
    monkeypatch.setattr(loss, "CELLS", cells)
    monkeypatch.setattr(LinearAudit, "updated", lambda *x: seen.append(x) or updated(*x))
    audit.removals(Worst(EPSILONS))
    assert len(seen) == calls


def test_branch_and_bound_counts_every_box_once():
    """The whole box may reach 1, its halves nothing: with room for one box, both are looked at."""

    def upper(centres, halves):
        return np.where(halves[:, 0] >= 1, 1.0, 0.0)

    box = (np.zeros((1, 2)), np.ones((1, 2)))
    halved = [branch_and_bound(*box, upper, 0.5, 0.1, 1, cells) for cells in (0, 1, 2)]
    assert halved == pytest.approx([1.0, 0.6, 0.6], abs=1e-9)


@pytest.mark.parametrize("cells", [0, 3, 40, 3000])
def test_what_is_not_reached_counts_as_nothing(cells):
    """Asked apart from the bounds, and in the end only of the largest: the same answer."""

    def upper(centres, halves):
        return centres.sum(axis=1) + halves.sum(axis=1)

    asked = []

    def reached(centres, halves):
        asked.append(len(centres))
        return np.abs(centres).max(axis=1) - halves.max(axis=1) < 0.4

    def both(centres, halves):
        return np.where(reached(centres, halves), upper(centres, halves), -np.inf)

    box = np.zeros((1, 2)), np.ones((1, 2)), 0.5, 1e-3, 10**5, cells
    apart = branch_and_bound(*box[:2], upper, *box[2:], reached)
    ours, plain = sum(asked), branch_and_bound(*box[:2], both, *box[2:])
    assert apart == plain
    assert ours <= sum(asked) - ours


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
    proved = AdditionCertificate(audit)
    assert worst.pure <= proved.ratios.pure <= 1.05 * worst.pure
    for epsilon in EPSILONS:
        assert worst.delta[epsilon] <= proved.delta(epsilon)
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


def ratio_of(problem, y):
    quadratic, linear, constant = problem
    top = np.einsum("ni,ij,nj->n", y, quadratic, y) + y @ linear + constant
    return top / (1.0 + (y**2).sum(axis=1))


@pytest.mark.parametrize(("seed", "d"), [(0, 1), (1, 2), (2, 3), (3, 2)])
def test_the_maximum_of_a_ratio_of_quadratics_is_that_of_a_dense_grid(seed, d):
    generator = np.random.default_rng(seed)
    quadratic = generator.standard_normal((d, d))
    problem = quadratic + quadratic.T, generator.standard_normal(d), generator.random()
    stiff = generator.uniform(0.3, 20.0, d)
    bound, at = ratio_maximum(problem[0][None], problem[1][None], stiff, problem[2])
    y = generator.standard_normal((200_000, d))
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    y *= np.where(generator.random((len(y), 1)) < 0.5, 1.0, generator.random((len(y), 1)))
    best = ratio_of(problem, y / np.sqrt(stiff)).max()
    assert best <= bound[0] <= best + 0.01 * abs(best)
    assert stiff @ at[0] ** 2 <= 1 + 1e-12


@pytest.mark.parametrize(("seed", "d", "m"), [(40, 5, 4), (41, 8, 12), (42, 12, 6), (43, 5, 40)])
def test_in_many_dimensions_the_certificate_is_above_all_and_close_to_the_found(seed, d, m):
    """Points of the certificate itself, jittered, and random ones: none is above it."""
    audit = example(seed, d, n=150, m=m)
    proved, worst = AdditionCertificate(audit), Worst(EPSILONS)
    audit.additions(worst, proved.points)
    generator = np.random.default_rng(seed)
    around = np.repeat(proved.points[:, :-1], 100, axis=0)
    x = np.vstack([around, np.zeros((5000, d))])
    x += generator.standard_normal(x.shape) * generator.choice([0.01, 0.1, 1.0], (len(x), 1))
    x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
    policies = audit.updated(x, generator.choice([0.0, 1.0, 0.5], len(x)), 1.0)
    ratios = audit.log_pi - policies
    assert np.all(ratios.max(axis=0) <= proved.ratios.forth)
    assert np.all(-ratios.min(axis=0) <= proved.ratios.back)
    assert worst.pure <= proved.ratios.pure <= 1.1 * worst.pure
    for epsilon in EPSILONS:
        most = max(delta_at(audit.log_pi, policies, epsilon).max(), worst.delta[epsilon])
        assert most <= proved.delta(epsilon)


def swapped(audit, generator, count):
    """Policies of random swaps, refitted: (policies, their rows)."""
    policies = []
    rows = generator.integers(0, len(audit.features), count)
    for row in rows:
        x = generator.standard_normal(audit.features.shape[1])
        features, rewards = audit.features.copy(), audit.rewards.copy()
        features[row] = x / max(1.0, np.linalg.norm(x))
        rewards[row] = generator.choice([0.0, 1.0])
        policies.append(plain_policy(audit, features, rewards))
    return np.array(policies)


@pytest.mark.parametrize(("seed", "d", "n"), [(21, 2, 25), (22, 1, 60), (23, 6, 60), (24, 3, 200)])
def test_swaps_are_real_data_sets_and_below_their_certificate(seed, d, n):
    audit = example(seed, d, n=n)
    worst, removed = Worst(EPSILONS), Worst()
    bounds = swaps(audit, worst)
    audit.removals(removed)
    found = worst.neighbour
    row = found["row"] - 1
    features = np.vstack([np.delete(audit.features, row, 0), found["x"]])
    rewards = np.append(np.delete(audit.rewards, row), found["reward"])
    other = plain_policy(audit, features, rewards)
    assert float(pure_epsilon(audit.log_pi, other)) == pytest.approx(worst.pure, rel=1e-8)
    assert removed.pure < worst.pure <= bounds[None] <= 1.1 * worst.pure
    others = swapped(audit, np.random.default_rng(seed), 400)
    assert pure_epsilon(audit.log_pi, others).max() <= bounds[None]
    for epsilon in EPSILONS:
        most = max(delta_at(audit.log_pi, others, epsilon).max(), worst.delta[epsilon])
        assert most <= bounds[epsilon]


def test_bounds_carried_to_all_rows_are_above_each_rows_own_certificate(monkeypatch):
    """With no row refined, the carried bounds alone must hold."""
    audit = example(25, 4, n=40)
    monkeypatch.setattr("dpbandits.offline.linear.swaps.ROWS", 1)
    worst = Worst(EPSILONS)
    bounds = swaps(audit, worst)
    for row in range(40):
        after = Worst(EPSILONS)
        rest = audit.without(row)
        points = AdditionCertificate(rest).points
        rest.log_pi = audit.log_pi
        rest.additions(after, points)
        assert after.pure <= bounds[None]
        assert all(after.delta[e] <= bounds[e] for e in EPSILONS)


def test_conclusions_name_what_is_proved():
    assert linear_loss(example(30, 2), ("remove",), (0.1,)).method == "exact"
    assert linear_loss(example(30, 1)).method in ("exact", "certified")
    for kinds in (("add",), ("swap",)):
        high = linear_loss(example(31, 6, n=150), kinds)
        assert high.method == "certified"
        attained = high.worst_neighbour["attained"]["pure"]
        assert attained <= high.pure_epsilon <= 1.05 * attained
        assert high.worst_neighbour["gap"]["pure"] == high.pure_epsilon - attained


def test_actions_that_the_reference_excludes_change_nothing():
    audit = example(32, 5)
    actions = np.vstack([audit.actions, -audit.actions[:1]])
    reference = np.append(audit.log_reference, -np.inf)
    wider = LinearAudit(
        audit.features,
        audit.rewards,
        actions,
        eta=audit.eta,
        beta0=audit.beta0,
        penalty=1.0,
        reward_max=1.0,
        log_reference=reference,
    )
    for kinds in (("add",), ("swap",)):
        one, two = (linear_loss(a, kinds, EPSILONS) for a in (audit, wider))
        assert two.pure_epsilon == pytest.approx(one.pure_epsilon, rel=1e-6)
        for epsilon in EPSILONS:
            assert two.delta_at[epsilon] == pytest.approx(one.delta_at[epsilon], rel=1e-3)


def test_rounding_is_counted_and_grows_as_eta_shrinks():
    audit = example(33, 4)
    sharp = LinearAudit(
        audit.features, audit.rewards, audit.actions, eta=audit.eta / 1e3, beta0=1.0, penalty=1.0
    )
    assert 0 < rounding(audit) < 1e-8 < 1e3 * rounding(sharp)
    assert rounding(sharp) > 100 * rounding(audit)


def test_curvature_is_above_the_exponential_and_touches_it():
    z = np.linspace(-30, 5, 3001)
    for most in (1e-6, 5e-4, 1e-3, 0.3, 5.0):
        below = z[z <= most]
        parabola = 1 + below + curvature(np.array(most)) * below**2
        assert np.all(np.exp(below) <= parabola * (1 + 1e-15))
        at = 1 + most + curvature(np.array(most)) * most**2
        assert at == pytest.approx(np.exp(most), rel=1e-8)


def test_delta_of_a_spread_is_above_all_policies_with_it():
    generator = np.random.default_rng(5)
    for _ in range(300):
        log_pi = np.log(generator.dirichlet(np.ones(5)))
        change = 10 ** generator.uniform(-2, 0.5) * generator.standard_normal(5)
        other = log_pi + change - np.logaddexp.reduce(log_pi + change)
        mean = np.exp(log_pi) @ change
        deviation = np.sqrt(np.exp(log_pi) @ (change - mean) ** 2)
        gap = np.logaddexp.reduce(log_pi + change - mean)
        pure = float(pure_epsilon(log_pi, other))
        for epsilon in (0.0, 0.1, 1.0):
            bound = delta_of_spread(np.array(deviation), np.array(gap), np.array(pure), epsilon)
            assert delta_at(log_pi, other, epsilon) <= bound + 1e-15


def test_delta_of_a_pure_loss_is_reached_by_randomised_response():
    loss, epsilon = 1.3, 0.4
    p = np.log(np.array([np.exp(loss), 1.0]) / (1 + np.exp(loss)))
    assert delta_of_pure(loss, epsilon) == pytest.approx(float(delta_at(p, p[::-1], epsilon)))


def test_removing_the_only_record_of_a_direction_under_a_tiny_penalty():
    """1 - leverage is about lambda there, and cancels: e1 alone, then only its width 1/sqrt(l)."""
    penalty, beta0 = 1e-9, 0.5
    audit = LinearAudit(
        np.eye(2), np.array([1.0, 0.5]), np.eye(2), eta=1.0, beta0=beta0, penalty=penalty
    )
    worst = Worst()
    audit.removals(worst)
    kept = np.array([1.0, 0.5]) / (1 + penalty) - beta0 / np.sqrt(1 + penalty)
    scores = np.array([-beta0 / np.sqrt(penalty), kept[1]])
    expected = pure_epsilon(log_normalise(kept), log_normalise(scores))
    assert worst.pure == pytest.approx(float(expected), rel=1e-12)


def test_the_worst_row_of_a_swap_may_be_another_for_delta():
    """The rows whose swaps lose most in the pure sense hardly move delta here (0.12)."""
    generator = np.random.default_rng(11)
    features, actions = generator.standard_normal((40, 4)), generator.standard_normal((2, 4))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    actions /= np.linalg.norm(actions, axis=1, keepdims=True)
    rewards = generator.integers(0, 2, 40).astype(float)
    audit = LinearAudit(features, rewards, actions, eta=0.01, beta0=0.1, penalty=1.0)
    found = linear_loss(audit, ("remove", "swap"), (0.1,)).worst_neighbour
    at = found["at_epsilon"]["0.1"]
    kept = np.arange(40) != at["row"] - 1
    swapped = audit.with_records(
        np.vstack([features[kept], at["x"]]), np.append(rewards[kept], at["reward"])
    )
    real = delta_at(audit.log_pi, swapped.log_pi, 0.1)
    assert found["attained"]["0.1"] == pytest.approx(float(real), rel=1e-9)
    assert real > 0.99
