"""leaky-linear: what a record moves, in its batch and ever after (docs/proofs/FL.md, part L); its
estimate for late rewards, exact noise, and regret beside dp-linear."""

import math

import numpy as np
import pytest

from dpbandits.core.attack import attack
from dpbandits.core.port import ExactNoise, SimulatedNoise
from dpbandits.core.zcdp import largest_rho
from dpbandits.sparse import leaky_linear
from dpbandits.sparse.dp_linear import LinearProblem
from dpbandits.sparse.leaky_linear import LEAKS, UNIT, LeakyLinear, sensitivity

RHO = largest_rho(1.0, 0.01)


def learner(noise=None, epsilon=1.0, **problem):
    own = LinearProblem(**{"arms": 2, "d": 2, "delta": 0.01} | problem)
    rng = np.random.default_rng(0)
    return LeakyLinear(own, epsilon, noise or SimulatedNoise(rng), rng)


class Kept:
    """A port that keeps (value, scale) of all that leaves; `replies`: what it answers, in turn."""

    def __init__(self, replies=None):
        self.values, self.replies = [], replies
        self.rng = np.random.default_rng(7)

    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        self.values.append((np.copy(value), scale))
        if self.replies is not None:
            return self.replies[len(self.values) - 1]
        return value + self.rng.normal(scale=scale, size=np.shape(value))


def shift(one: Kept, other: Kept) -> float:
    """The length of the shift of all releases, in standard deviations."""
    pairs = zip(one.values, other.values, strict=True)
    return math.sqrt(sum((((v - w) / scale) ** 2).sum() for (v, scale), (w, _) in pairs))


def test_weights_of_a_record_cost_no_more_than_one_release():
    assert 0.98 < (LEAKS**2).sum() / UNIT**2 <= 1


@pytest.mark.parametrize("K", [2, 3, 5, 10])
def test_bound_is_at_least_both_parabolas_everywhere(K):
    w, c = 0.6, np.linspace(0, 1, 100_001)
    b = 1 - 1 / K + w * w / K
    s, m = 0.2 * b, 0.1 * b
    same = 2 * (s + m * (1 - 1 / K)) * (1 - c**2) + b * (1 + c) / 2
    other = 2 * s * (1 - c**2) + 2 * m * (1 - 1 / K) + 2 * m * c**2 / K + 0.08
    other += b / 2 + c * (1 - w * w) / (2 * K)
    largest = math.sqrt(max(same.max(), other.max()))
    assert largest <= sensitivity(K) <= largest + 1e-8


@pytest.mark.parametrize(("K", "arms", "near"), [(2, (0, 0), 0.94), (2, (0, 1), 0.94),
                                                 (5, (0, 0), 0.94), (5, (0, 1), 0.94)])  # fmt: skip
def test_two_records_are_never_further_apart_than_the_noise_is_made_for(K, arms, near):
    """The release of a batch of one round, found by a search; a record's weights in it are w_0, so
    `near` is below 1 (the replay below adds up the others)."""
    d = 3

    def released(arm, x, reward):
        port = Kept()
        own = learner(port, arms=K, d=d)
        own.length = 1
        leaky_linear_learn, leaky_linear.learn = leaky_linear.learn, lambda own: None
        try:
            own.update(arm, reward, 5 * own.norm * x)
        finally:
            leaky_linear.learn = leaky_linear_learn
        return port

    def apart(row):
        x, (r, q) = np.split(row, [2 * d])
        first, other = released(arms[0], x[:d], float(r)), released(arms[1], x[d:], float(q))
        *parts, last = (
            (((v - w) / scale) ** 2).sum()
            for (v, scale), (w, _) in zip(first.values, other.values, strict=True)
        )
        whole = sum(parts) + last * UNIT**2 / LEAKS[0] ** 2  # with weights of length 1
        return math.sqrt(whole / (2 * RHO))

    def value(rows):
        return np.array([apart(row) for row in rows])

    found = attack(value, 2 * d + 2, 4_000, np.random.default_rng(1), parents=20, children=10)
    assert near < found.value <= 1


@pytest.mark.parametrize("delay", [0, 5])
def test_replay_of_a_whole_run_on_a_neighbour_moves_all_releases_by_less_than_rho(delay):
    """The neighbour's run gets the releases of the first one, so that all others act alike."""
    rng, d, rounds = np.random.default_rng(3), 2, 700
    contexts, rewards = rng.standard_normal((rounds, d)), rng.random(rounds)

    def run(port, changed=None):
        own = learner(port, d=d, arms=2)
        own.rng, waiting = np.random.default_rng(1), []
        for t in range(rounds):
            x, reward = contexts[t], rewards[t]
            if t == changed:
                x, reward = -4 * x, 1 - round(reward)
            waiting.append((own.act(x), reward, x))
            if len(waiting) > delay:
                own.update(*waiting.pop(0))
        return own

    first = Kept()
    replies, original = [], first.gaussian

    def kept(value, scale, **about):
        replies.append(original(value, scale, **about))
        return replies[-1]

    first.gaussian = kept
    assert run(first).episode > 6
    shifts = []
    for changed in (3, 60, 61, 200, 500):
        other = Kept(replies)
        run(other, changed)
        shifts.append(shift(first, other))
    assert 0.5 * math.sqrt(2 * RHO) < max(shifts) <= math.sqrt(2 * RHO)


def test_late_rewards_are_counted_under_the_policy_of_their_round():
    own, waiting, delay = learner(d=1), [], 7
    rng = np.random.default_rng(2)
    acted_under, batches = [], []
    for _ in range(400):
        x, before = rng.standard_normal(1), own.episode
        waiting.append((own.act(x), float(rng.random()), x))
        acted_under.append(before)
        if len(waiting) > delay:
            own.update(*waiting.pop(0))
            if own.episode > before:
                batches.append(own.t)
    rounds = np.diff([0, *batches])
    shares = own.policies(rounds.astype(float))
    for j, (start, end) in enumerate(zip([0, *batches[:-1]], batches, strict=True)):
        counts = np.bincount(acted_under[start:end], minlength=shares.shape[1])
        assert shares[j] == pytest.approx(counts / rounds[j])


def test_exact_noise_is_drawn_on_whole_steps():
    """The port refuses values between the steps of its grid."""
    own = learner(ExactNoise(LeakyLinear.grid), epsilon=5.0, arms=3, d=3)
    rng = np.random.default_rng(4)
    for _ in range(200):
        x = rng.standard_normal(3)
        own.update(own.act(x), float(rng.random()), x)
    assert own.episode >= 2
    assert np.isfinite(own.theta).all()


def test_it_learns_from_fewer_people_than_dp_linear():
    """d = 5, two arms, epsilon 1: 1,000 people an arm; ten instances, paired. Over other seeds the
    difference was above 2.5 standard errors in all of 20 repetitions."""
    from dpbandits.core.streams import Streams, key_of
    from dpbandits.sparse.dense import DenseSetting, Instance
    from dpbandits.sparse.dp_linear import DpLinear
    from dpbandits.sparse.engine.leaky_linear import batch_by_batch

    setting = DenseSetting(d=5, arms=2)
    regrets = []
    for cls in (LeakyLinear, DpLinear):
        own = []
        for seed in range(10):
            rng = Streams(key_of("leaky", "5 2"), (seed,)).generator(0)
            one = cls(setting.public, 1.0, SimulatedNoise(rng), rng)
            own.append(batch_by_batch(one, Instance(setting, seed, rng), 2_000).sum())
        regrets.append(np.array(own))
    gain = regrets[1] - regrets[0]
    assert gain.mean() > 2 * gain.std(ddof=1) / math.sqrt(len(gain))
