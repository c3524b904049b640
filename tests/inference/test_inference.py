"""Evidence from noisy sums: its mean, its infimum, and what learners say with it."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

import dpbandits as dp
from dpbandits.inference.binary import NEAR, curve, log_law
from dpbandits.inference.evidence import (
    TOLERANCE,
    above,
    apart,
    log_mixture,
    mixture,
)
from dpbandits.inference.intervals import Inference
from dpbandits.stochastic.noisy_sums import log_density

EPSILONS = (1e-6, 0.01, 0.3, 1.0, 8.0, math.inf)
SUMS = ["na-imed", "dp-imed", "dp-klucb", "adap-ucb", "adap-klucb", "anytime-lazy-ucb",
        "lazy-dp-ts", "dp-se"]  # fmt: skip


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_weights_of_a_part_of_the_mixture_sum_to_less_than_one(epsilon):
    for plays in (0, 1, 1e3, 1e7, 1e13, 1e19):
        t, weight = mixture(epsilon, plays)
        assert np.all(t > 0)
        assert np.all(t < epsilon)
        assert len(np.unique(t)) == len(t)
        assert np.exp(weight).sum() < 1


@pytest.mark.parametrize(("epsilon", "b", "p"), [(0.3, 30, 0.4), (2.0, 10, 0.2), (1.0, 50, 1.0)])
@pytest.mark.parametrize("side", [1, -1])
def test_the_mean_of_the_evidence_is_at_most_one_if_the_statement_is_false(epsilon, b, p, side):
    """By quadrature of the law of a release, for the mean p and for one on its other side."""
    (t, weight), sums = mixture(epsilon, b), np.arange(b + 1)

    nodes, share = np.polynomial.legendre.leggauss(6)
    starts = np.arange(-400, b + 400)[:, None]  # the law is smooth between whole numbers
    R = (starts + (nodes + 1) / 2).ravel()
    same = np.ones(len(R))
    S, q = (R, p) if side > 0 else (b - R, 1 - p)
    found = log_mixture(S, b * same, same, q * same, t, weight, epsilon)

    def mean_at(mu):
        law = binom.logpmf(sums, b, mu) - epsilon * abs(R[:, None] - sums)
        parts = np.exp(logsumexp(law, axis=1) + found) * epsilon / 2
        return (parts.reshape(-1, 6) * share / 2).sum()

    whole = np.exp(weight).sum()
    assert mean_at(p) == pytest.approx(whole, abs=0.02 if epsilon < 1 else 1e-3)  # cut at 400
    further = max(p - 0.15, 0) if side > 0 else min(p + 0.15, 1)
    if further != p:
        assert mean_at(further) < mean_at(p)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_infimum_over_p_is_certified_and_close(epsilon):
    rng = np.random.default_rng([7, int(1000 * min(epsilon, 99))])
    for trial in range(12):
        gap = [0.0, 0.1, -0.2][trial % 3]
        N = np.round(10 ** rng.uniform(1, 6, 2))
        m = rng.integers(1, 30, 2).astype(float)
        noise = 0 if epsilon == math.inf else rng.laplace(scale=1 / epsilon, size=2) * np.sqrt(m)
        S = rng.binomial(N.astype(int), rng.random(2)) + noise
        found = apart(0, 1, gap, math.inf, S, N, m, epsilon)
        t, weight = mixture(epsilon, N.max())

        def product(p, of=(S, N, m), gap=gap, t=t, weight=weight):
            S, N, m = of
            one = above(S[0], N[0], m[0], np.minimum(p + gap, 1), t, weight, epsilon)
            return one + above(N[1] - S[1], N[1], m[1], 1 - p, t, weight, epsilon)

        p = np.linspace(max(0, -gap), min(1, 1 - gap), 401)
        for _ in range(3):
            at, least = int(product(p).argmin()), product(p).min()
            p = np.linspace(p[max(at - 1, 0)], p[min(at + 1, 400)], 401)
        assert found <= least + 1e-9
        assert found >= least - 2 * TOLERANCE - 1e-6 * abs(least)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_an_interval_is_what_the_evidence_leaves(epsilon):
    S, N, m = np.array([[310.0, 25.0, -40.0], [900, 20, 1e5], [5, 1, 30]])
    found = Inference(S, N, m, epsilon)
    t, weight = mixture(epsilon, N.max())
    p = np.linspace(0, 1, 20001)
    for k, (low, high) in enumerate(found.intervals(0.95)):
        up, down = (
            log_mixture(*(x * np.ones(len(p)) for x in (total, N[k], m[k])), q, t, weight, epsilon)
            for total, q in ((S[k], p), (N[k] - S[k], 1 - p))
        )
        left = p[np.logaddexp(up, down) - math.log(2) < found.needed(3, 0.95)]
        assert 0 <= low <= high <= 1
        if len(left):
            assert low <= left.min() + 1e-9
            assert high >= left.max() - 1e-9
            assert high - low <= left.max() - left.min() + 2e-4


def test_more_is_known_with_more_rewards_and_said_with_less_confidence():
    def of(scale):
        N = np.array([1000.0, 1000.0]) * scale
        return Inference(np.array([0.6, 0.5]) * N, N, np.array([3.0, 3.0]), 1.0)

    wide, narrow = of(1).intervals(0.95), of(10).intervals(0.95)
    assert all(b[1] - b[0] < a[1] - a[0] for a, b in zip(wide, narrow, strict=True))
    assert of(1).intervals(0.5)[0][0] > wide[0][0]
    low, high = of(10).difference(0, 1, 0.95)
    assert 0 < low < 0.1 < high
    assert (of(0.2).best(0.95).arm, of(10).best(0.95).arm) == (None, 0)
    assert of(10).best(0.95).evidence >= of(10).best(0.95).needed


def test_of_two_arms_open_batches_must_not_tell_of_each_other():
    """docs/proofs/INFERENCE.md, Section 1: two rewards of mean 1/2 given all before, without noise.
    Where b's is told from a's, which waits, the product has a mean above 1."""
    t = 0.6
    law = {0: {0: 0.5, 1: 0.5}, 1: {0.5: 1.0}}  # of b's reward, by a's
    evidence = {x: math.exp(t * x) / (0.5 + 0.5 * math.exp(t)) for x in (0, 0.5, 1)}
    cases = [(evidence[x], evidence[1 - y], q / 2) for x in law for y, q in law[x].items()]
    stop = evidence[1]  # of b
    assert sum(q * of_a for of_a, _, q in cases) == pytest.approx(1)
    assert sum(q * of_b for _, of_b, q in cases) < 1
    mean = sum(q * (of_b if of_b >= stop else of_a * of_b) for of_a, of_b, q in cases)
    assert mean == pytest.approx(1.066, abs=5e-4)


def test_nothing_is_known_without_releases_and_later_arms_make_it_harder():
    none = Inference(*np.zeros((3, 3)), 1.0)
    assert none.intervals(0.95) == [(0, 1)] * 3
    assert none.best(0.5).arm is None
    shares = [math.exp(Inference(*np.zeros((3, 3)), 1.0, i).needed(3, 0.95)) for i in range(1, 200)]
    assert 0.0497 < sum(3 / x for x in shares) < 0.05


def feed(learner, means, rounds, seed=0, low=0.0, high=1.0, lost=0.0):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        arm = learner.act()
        if rng.random() >= lost:
            reward = float(rng.random() < means[arm])
            learner.update(low + (high - low) * reward, ticket=arm.ticket)


@pytest.mark.parametrize("name", SUMS)
def test_a_learner_that_releases_sums_says_how_sure_it_is(name):
    options = {"horizon": 8000} if name == "dp-se" else {}
    learner = dp.learner(name, arms=2, epsilon=1.0, noise="simulated", seed=3, **options)
    assert learner.intervals() == [(0, 1), (0, 1)]
    feed(learner, [0.2, 0.9], 8000)
    for (low, high), mean in zip(learner.intervals(0.99), (0.2, 0.9), strict=True):
        assert low <= mean <= high
    low, high = learner.difference(1, 0, 0.99)
    assert low <= 0.7 <= high
    assert learner.best(0.99).arm in (1, None)
    assert learner.best(0.99).leader == 1


def test_intervals_are_in_units_of_the_reward():
    learners = [dp.learner("dp-imed", arms=2, epsilon=1.0, noise="simulated", seed=3, **options)
                for options in ({}, {"reward_range": (-2, 6)})]  # fmt: skip
    feed(learners[0], [0.2, 0.9], 500)
    feed(learners[1], [0.2, 0.9], 500, low=-2, high=6)
    plain, scaled = (np.array(one.intervals()) for one in learners)
    assert scaled == pytest.approx(-2 + 8 * plain)
    assert learners[1].difference(0, 1)[0] == pytest.approx(8 * learners[0].difference(0, 1)[0])


def test_a_learner_refuses_what_it_cannot_say():
    made = {"epsilon": 1.0, "arms": 2}
    for learner in (dp.learner("rnm-ftnl", **made),
                    dp.learner("na-imed", contributions=2, **made),
                    dp.learner("thompson", arms=2, allow_not_private=True)):  # fmt: skip
        for ask in (learner.intervals, learner.best, lambda one=learner: one.difference(0, 1)):
            with pytest.raises(dp.InputError):
                ask()
    learner = dp.learner("na-imed", **made)
    for ask in (lambda: learner.intervals(1.0), lambda: learner.best(0),
                lambda: learner.difference(0, 0), lambda: learner.difference(0, 2)):  # fmt: skip
        with pytest.raises(dp.InputError):
            ask()
    assert learner.intervals() == [(0, 1), (0, 1)]  # and goes on


def test_without_privacy_a_learner_of_sums_is_sharper():
    widths = []
    for options in ({"epsilon": 0.2}, {"allow_not_private": True}):
        learner = dp.learner("adap-ucb", arms=2, noise="simulated", seed=1, **options)
        feed(learner, [0.4, 0.6], 3000)
        widths.append(sum(high - low for low, high in learner.intervals()))
    assert widths[1] < widths[0]


def test_an_arm_that_is_added_has_an_interval_and_the_others_keep_theirs():
    learner = dp.learner("dp-imed", arms=2, epsilon=1.0, noise="simulated", seed=3)
    feed(learner, [0.2, 0.9], 2000)
    before = learner.intervals()
    learner.add_arm()
    after = learner.intervals()
    assert after[2] == (0, 1)
    assert all(a[0] <= b[0] <= b[1] <= a[1] for a, b in zip(after, before, strict=False))
    feed(learner, [0.2, 0.8, 1.0], 2000)
    assert learner.intervals()[2][0] > 0.8


def test_a_year_of_a_service_in_which_intervals_are_read_daily(tmp_path):
    """Two workers on one file, rewards late or lost: what is read is the same for both, and covers
    the means of what counts (a lost reward counts as the lowest)."""
    store, rng = tmp_path / "year.db", np.random.default_rng(5)
    made = {"arms": 3, "epsilon": 1.0, "delay": 20, "store": store}
    who = {"person": dp.ONCE}
    workers = [dp.learner("adap-ucb", **made) for _ in range(2)]
    means, lost, inbox, t = np.array([0.3, 0.5, 0.8]), 0.1, {}, 0
    counted = (1 - lost) * means
    for day in range(365):
        for _ in range(4):
            t += 1
            for ticket, reward in inbox.pop(t, ()):
                workers[rng.integers(2)].update(reward, ticket=ticket)
            arm = workers[rng.integers(2)].act(**who)
            if rng.random() >= lost:
                when = t + int(rng.integers(1, 15))
                inbox.setdefault(when, []).append((arm.ticket, float(rng.random() < means[arm])))
        read = workers[day % 2].intervals(0.99)
        assert all(low <= mu <= high for (low, high), mu in zip(read, counted, strict=True))
    assert workers[0].intervals() == workers[1].intervals()
    assert workers[0].best() == workers[1].best()
    assert read[2][1] - read[2][0] < 0.4


# Rewards of 0 and 1 -------------------------------------------------------------------------------


@pytest.mark.parametrize("b", [1, 2, 30, 1000, 100_000])
def test_the_law_of_a_release_is_that_of_the_algorithm_that_uses_it(b):
    """Two codes: scalar, for simulations; on arrays, with NumPy alone."""
    rng, p = np.random.default_rng(b), np.array([1e-6, 0.01, 0.3, 0.31, 0.7, 0.999])
    for epsilon in (0.05, 1.0, 8.0):
        noisy = rng.binomial(b, 0.3) + rng.laplace(scale=1 / epsilon, size=3)
        for R in (*noisy, -3.0, b + 2.5, 0.0, float(b)):
            one = np.array([log_density(R, b, q, epsilon) for q in p])
            other = log_law(R, b, p, epsilon)
            scale = 1e-12 * (1 + abs(one).max())
            assert np.diff(other) == pytest.approx(np.diff(one), abs=scale)


def exact_evidence(sums, sizes, p, epsilon, nodes=20001):
    """ln of the mixture over q > p at p, by quadrature in theta."""
    start = math.asin(math.sqrt(p))
    theta = start + (np.linspace(0, 1, nodes) ** 2) * (math.pi / 2 - start)
    q = np.clip(np.sin(theta) ** 2, 1e-12, 1 - 1e-12)
    log = sum(log_law(R, b, q, epsilon) for R, b in zip(sums, sizes, strict=True))
    density = 1 / ((theta - start + NEAR) * math.log((math.pi / 2 - start + NEAR) / NEAR))
    return math.log(np.trapezoid(np.exp(log - log[0]) * density, theta))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_what_is_computed_of_the_exact_law_is_below_it_and_close(epsilon):
    rng = np.random.default_rng(11)
    for n in (40, 900, 20_000):
        sizes = [n, n // 2]
        sums = [rng.binomial(b, 0.4) + rng.laplace(scale=1 / epsilon) for b in sizes]
        found = curve(sums, sizes, epsilon)
        error = math.sqrt(sum(sizes) / 4 + 4 / epsilon**2) / sum(sizes)
        for p in np.clip(0.4 + error * np.array([-5, -2, 0.1, 1]), 0.003, 0.997):
            cell = np.searchsorted(found.edges, p) - 1
            exact = exact_evidence(sums, sizes, p, epsilon)
            assert exact - 1.0 < found.above[cell] <= exact + 1e-3
            turned = [b - R for R, b in zip(sums, sizes, strict=True)], sizes, 1 - p, epsilon
            assert exact_evidence(*turned) - 1.0 < found.below[cell]
            assert found.below[cell] <= exact_evidence(*turned) + 1e-3
        assert (found.above[1:] <= found.above[:-1]).all()  # as `difference` needs
        assert (found.below[1:] >= found.below[:-1]).all()


def test_the_exact_mixture_has_mean_one_at_most():
    """By quadrature of the law, for means on the wrong side."""
    b, epsilon, p = 12, 0.8, 0.4
    R = np.arange(-25, b + 25, 0.25) + 0.125
    evidence = np.exp([exact_evidence([x], [b], p, epsilon, 2001) for x in R])
    means = []
    for mu in (p, 0.3, 0.1):
        law = np.array([log_law(x, b, np.array([mu]), epsilon)[0] for x in R])
        law += epsilon * np.where(R < 0, R, np.where(b + 1 <= R, -R, 0))  # which it leaves out
        law = epsilon / 2 * np.exp(law)
        assert law.sum() * 0.25 == pytest.approx(1, abs=0.02)
        means.append((law * evidence).sum() * 0.25)
    assert means[0] == pytest.approx(1, abs=0.03)
    assert means[2] < means[1] < means[0]


def test_of_binary_rewards_more_is_known_and_others_are_refused():
    made = {"arms": 2, "epsilon": 0.1, "noise": "simulated", "seed": 3}
    plain, binary = (dp.learner("na-tt", rewards=r, **made) for r in ("refuse", "binary"))
    for learner in (plain, binary):
        rng = np.random.default_rng(3)
        for _ in range(2000):
            learner.update(float(rng.random() < (0.5, 0.45)[learner.act()]))
    for mean, wide, narrow in zip((0.5, 0.45), plain.intervals(), binary.intervals(), strict=True):
        assert narrow[0] <= mean <= narrow[1]
        assert narrow[1] - narrow[0] < wide[1] - wide[0]
    low, high = binary.difference(0, 1)
    assert plain.difference(0, 1)[1] - plain.difference(0, 1)[0] > high - low
    assert low <= 0.05 <= high
    assert binary.best().evidence > plain.best().evidence
    binary.act()
    with pytest.raises(dp.InputError, match="binary"):
        binary.update(0.7)
    binary.update(1)
    euros = dp.learner("na-imed", rewards="binary", reward_range=(0, 50), **made)
    euros.act()
    with pytest.raises(dp.InputError):
        euros.update(1)
    euros.update(50)
    assert "0 or 50" in euros.privacy.rewards
