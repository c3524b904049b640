"""Transcripts of lazy algorithms: exact laws compared with simulations round by round."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from plain import seeded
from scipy.integrate import quad
from scipy.stats import beta

from dpbandits.core.errors import InputError
from dpbandits.reproduction.hu.lazy.lazy_ts import beats, ts_law
from dpbandits.reproduction.hu.mechanisms import lazy
from dpbandits.stochastic.mechanisms import rnm


def played(algorithm, rewards, epsilon, generator):
    """HU Algorithms 1 and 3 round by round, on a given table of rewards."""
    horizon, arms, output = len(rewards), len(rewards[0]), []
    mean, size = [0.0] * arms, [1] * arms
    fresh, total = [0] * arms, [0] * arms
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
            mean[arm] = rewards[t - 1][arm] + generator.laplace(scale=1 / epsilon)
        else:
            value = []
            for j in range(arms):
                bonus = 3 * math.log(t) / (epsilon * size[j])
                if algorithm == "anytime-lazy-ucb":
                    value.append(mean[j] + math.sqrt(3 * math.log(t) / size[j]) + bonus)
                else:
                    m = min(1.0, max(0.0, mean[j] + bonus))
                    value.append(generator.beta(m * size[j] + 1, (1 - m) * size[j] + 1))
            arm = int(np.argmax(value))
            fresh[arm] += 1
            total[arm] += rewards[t - 1][arm]
            if fresh[arm] == 2 * size[arm]:
                size[arm] = fresh[arm]
                mean[arm] = (total[arm] + generator.laplace(scale=1 / epsilon)) / size[arm]
                fresh[arm] = total[arm] = 0
        output.append(arm)
    return tuple(output)


REWARDS = [(1, 0), (0, 1), (1, 0), (1, 1), (0, 1), (1, 0), (0, 0)]


@pytest.mark.parametrize(
    ("algorithm", "epsilon", "law"),
    [("anytime-lazy-ucb", 1.5, lazy.ucb_law), ("lazy-dp-ts", 6.0, ts_law)],
)
def test_law_of_transcripts_against_simulation(algorithm, epsilon, law):
    """20,000 runs on one table; every frequency within 5 standard errors; fixed seed.

    64 transcripts: a false alarm has probability below 1e-4 over all seeds.
    """
    law, runs, generator = law(7, epsilon), 20_000, seeded(11)
    counts = Counter(played(algorithm, REWARDS, epsilon, generator) for _ in range(runs))
    table = sum(x << 2 * t + j for t, row in enumerate(REWARDS) for j, x in enumerate(row))
    p = np.exp(law.log_p[table & law.read])
    frequency = np.array([counts[t] for t in law.transcripts]) / runs
    assert np.all(np.abs(frequency - p) <= 5 * np.sqrt(p * (1 - p) / runs) + 1e-9)


@pytest.mark.parametrize("engine", [lazy.ucb_law, ts_law])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_printed_algorithms_lose_at_most_epsilon(engine, epsilon):
    law = engine(6, epsilon)
    assert np.exp(law.log_p).sum(axis=1) == pytest.approx(1.0, abs=1e-10)
    pure, where, deltas = law.worst([0.0, epsilon])
    assert 0 < pure <= epsilon
    assert deltas[epsilon] == 0.0
    assert where["rewards"] != where["neighbour"]


def test_three_rounds_by_hand():
    """At t = 3 the bonuses are equal: arm 1 wins iff its noisy reward is larger, a noisy max."""
    law = lazy.ucb_law(3, 1.0)
    tie = law.log_p[0]  # all rewards 0
    assert np.exp(tie) == pytest.approx([0.5, 0.5])
    ahead = np.exp(law.log_p[1])[law.transcripts.index((0, 1, 0))]
    assert ahead == pytest.approx(1 - math.exp(-1) * 3 / 4, abs=1e-14)


@pytest.mark.parametrize("algorithm", ["anytime-lazy-ucb", "lazy-dp-ts", "rnm-ftnl"])
@pytest.mark.parametrize("horizon", [1, 2])
def test_rounds_that_read_no_reward_lose_nothing(algorithm, horizon):
    """The bandits play each arm once first; the leader of full information is seen in round 2."""
    params = lazy.LazyParams(algorithm=algorithm, epsilon=1.0, horizon=horizon)
    loss = lazy.audit_lazy(params, [0.0])
    no_reward = horizon == 1 or algorithm != "rnm-ftnl"
    assert (loss.pure_epsilon == 0, loss.delta_at[0.0] == 0) == (no_reward, no_reward)


def test_thompson_sampling_at_small_epsilon():
    """Few rounds do not clip there, so the loss is linear in eps."""
    small, smaller = (ts_law(7, epsilon).worst([])[0] for epsilon in (1e-2, 1e-3))
    assert small == pytest.approx(10 * smaller, rel=1e-3)
    params = lazy.LazyParams(algorithm="lazy-dp-ts", epsilon=1e-4, horizon=5)
    with pytest.raises(InputError, match="allows at least"):
        lazy.audit_lazy(params, [])
    assert lazy.audit_lazy(params.model_copy(update={"epsilon": 1e-3}), []).pure_epsilon > 0


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 9, 20, 57, 200])
def test_longest_epoch_of_phase_by_enumeration_of_starts(horizon):
    """100,000 starts, lengths as the engine multiplies them up."""
    starts, longest = math.e ** np.linspace(0, 1, 100_000, endpoint=False), 0
    ends, size = np.zeros(len(starts)), starts
    for _ in range(8):
        length = np.floor(size)
        ends, size = ends + length, size * math.e
        longest = max(longest, int(length[ends < horizon].max(initial=0)))
    assert lazy.longest_epoch("phase", horizon) == longest


def test_loss_of_the_mixture_over_prefixes_is_below_the_audit():
    """Rounds 4 to 7 decide from their first 3 or 4: all tables of two arms, all changed rows."""
    epsilon, worst = 1.5, 0.0
    rows = list(itertools.product((0, 1), repeat=2))

    def law(table):
        sums = np.array([np.sum(table[:m], axis=0) for m in (3, 4)])
        weight = np.exp(epsilon / 2 * sums)
        return (weight / weight.sum(axis=1, keepdims=True)).mean(axis=0)

    for table in itertools.product(rows, repeat=4):
        for at, row in itertools.product(range(4), rows):
            other = [*table[:at], row, *table[at + 1 :]]
            worst = max(worst, np.log(law(table) / law(other)).max())
    keys = {"algorithm": "rnm-ftnl", "variant": "prefix", "arms": 2, "horizon": 8}
    audited = lazy.audit_lazy(lazy.LazyParams(epsilon=epsilon, **keys), []).pure_epsilon
    assert 0.9 * audited < worst <= audited * (1 + 1e-12)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (1, 4), (4, 2)])
def test_comparison_of_betas_by_quadrature(sizes):
    means = np.array([0.0, 0.31, 1.0]), np.array([0.12, 0.5, 1.0])
    probability = beats(*means, *sizes)
    for i, a in enumerate(means[0]):
        for j, b in enumerate(means[1]):
            first = beta(a * sizes[0] + 1, (1 - a) * sizes[0] + 1)
            second = beta(b * sizes[1] + 1, (1 - b) * sizes[1] + 1)
            value = quad(lambda x, f=first, s=second: f.pdf(x) * s.cdf(x), 0, 1)[0]
            assert probability[i, j] == pytest.approx(value, abs=1e-9)


def test_audit_of_rnm_ftnl_is_that_of_noisy_max_on_its_last_epoch():
    """T = 7: the last epoch whose leader is seen is the one of 2 rounds; noise 1/eps printed."""
    keys = {"algorithm": "rnm-ftnl", "epsilon": 0.8, "arms": 3, "horizon": 7}
    printed = lazy.audit_lazy(lazy.LazyParams(**keys), (0.2,))
    assert printed.worst_neighbour["epoch"] == 1
    expected = rnm.RnmParams(scale=1.25, arms=3, rounds=2, adjacency="replace")
    assert printed.pure_epsilon == rnm.audit_rnm(expected, ()).pure_epsilon
    corrected = lazy.audit_lazy(lazy.LazyParams(**keys, variant="corrected"), ())
    expected = rnm.RnmParams(scale=2.5, arms=3, rounds=2, adjacency="replace")
    assert corrected.pure_epsilon == rnm.audit_rnm(expected, ()).pure_epsilon
    for variant, noise in (("permute-and-flip", "exponential"), ("gumbel", "gumbel")):
        other = lazy.audit_lazy(lazy.LazyParams(**keys, variant=variant), (0.2,))
        same = rnm.RnmParams(**(expected.model_dump() | {"noise": noise}))
        assert other.pure_epsilon == rnm.audit_rnm(same, ()).pure_epsilon <= 0.8
        assert other.delta_at == rnm.audit_rnm(same, (0.2,)).delta_at
