"""Transcripts of lazy algorithms: exact laws against plain per-round simulations."""

import itertools
import math

import numpy as np
import pytest
from flint import acb, arb

from dpbandits.audit import lazy
from dpbandits.audit.engine.lazy_ts import beats, ts_law
from dpbandits.audit.engine.piecewise import laplace_density
from dpbandits.core.errors import InputError
from dpbandits.stochastic.rnm_ftnl import rule_of


def played(algorithm, rewards, epsilon, generator):
    """HU Algorithms 1 and 3 round by round, on a given table of rewards."""
    horizon, arms, output = len(rewards), len(rewards[0]), []
    mean, used, fresh, total = [0.0] * arms, [1] * arms, [0] * arms, [0] * arms
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
            mean[arm] = rewards[t - 1][arm] + generator.laplace(scale=1 / epsilon)
        else:
            value = []
            for j in range(arms):
                bonus = 3 * math.log(t) / (epsilon * used[j])
                if algorithm == "anytime-lazy-ucb":
                    value.append(mean[j] + math.sqrt(3 * math.log(t) / used[j]) + bonus)
                else:
                    m = min(1.0, max(0.0, mean[j] + bonus))
                    value.append(generator.beta(m * used[j] + 1, (1 - m) * used[j] + 1))
            arm = int(np.argmax(value))
            fresh[arm] += 1
            total[arm] += rewards[t - 1][arm]
            if fresh[arm] == 2 * used[arm]:
                used[arm] = fresh[arm]
                mean[arm] = (total[arm] + generator.laplace(scale=1 / epsilon)) / used[arm]
                fresh[arm] = total[arm] = 0
        output.append(arm)
    return tuple(output)


def frequencies_agree(law, rewards, algorithm, epsilon, runs, seed):
    """Every transcript within 5 standard errors of its exact probability."""
    arms = len(rewards[0])
    table = sum(x << arms * t + j for t, row in enumerate(rewards) for j, x in enumerate(row))
    table &= len(law.log_p) - 1  # the last row is never read
    generator = np.random.Generator(np.random.Philox(seed))
    counts = dict.fromkeys(law.transcripts, 0)
    for _ in range(runs):
        counts[played(algorithm, rewards, epsilon, generator)] += 1
    p = np.exp(law.log_p[table])
    frequency = np.array([counts[t] for t in law.transcripts]) / runs
    return np.all(np.abs(frequency - p) <= 5 * np.sqrt(p * (1 - p) / runs) + 1e-9)


@pytest.mark.parametrize(("algorithm", "epsilon"), [("anytime-lazy-ucb", 1.5), ("lazy-dp-ts", 6.0)])
def test_law_of_transcripts_against_simulation(algorithm, epsilon):
    """20,000 runs on one table; every frequency within 5 standard errors; fixed seed.

    64 transcripts: a false alarm has probability below 1e-4 over all seeds.
    """
    rewards = [(1, 0), (0, 1), (1, 0), (1, 1), (0, 1), (1, 0), (0, 0)]
    law = (lazy.ucb_law if algorithm == "anytime-lazy-ucb" else ts_law)(7, epsilon)
    assert frequencies_agree(law, rewards, algorithm, epsilon, 20_000, seed=11)


def test_three_arms():
    """As above (27 transcripts); and the loss is below eps, and every table's law sums to 1."""
    law = lazy.ucb_law(6, 1.5, arms=3)
    rewards = [(1, 0, 0), (0, 0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 1), (0, 0, 0)]
    assert frequencies_agree(law, rewards, "anytime-lazy-ucb", 1.5, 20_000, seed=12)
    assert np.exp(law.log_p).sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    pure, _, deltas = law.worst([1.5])
    assert 1.2 < pure <= 1.5
    assert deltas[1.5] == 0.0


@pytest.mark.parametrize("engine", [lazy.ucb_law, ts_law])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_printed_algorithms_lose_at_most_epsilon(engine, epsilon):
    law = engine(6, epsilon)
    assert np.exp(law.log_p).sum(axis=1) == pytest.approx(1.0, abs=1e-10)
    pure, where, deltas = law.worst([0.0, epsilon])
    assert 0 < pure <= epsilon
    assert deltas[epsilon] == 0.0
    assert where["rewards"] != where["neighbour"]


def test_half_of_the_noise_is_caught():
    assert lazy.ucb_law(6, 1.0, noise=0.5).worst([])[0] > 1.5


def test_three_rounds_by_hand():
    """At t = 3 the bonuses are equal: arm 1 wins iff its noisy reward is larger, a noisy max."""
    law = lazy.ucb_law(3, 1.0)
    tie = law.log_p[0]  # all rewards 0
    assert np.exp(tie) == pytest.approx([0.5, 0.5])
    ahead = np.exp(law.log_p[1])[law.transcripts.index((0, 1, 0))]
    assert ahead == pytest.approx(1 - math.exp(-1) * 3 / 4, abs=1e-14)


def test_interval_engine_against_rigorous_quadrature():
    """P(low < X - Y < high) for two Laplace laws of different rates."""
    low, high = arb(-0.3), arb("0.9")
    one, two = laplace_density(arb("0.2"), 1), laplace_density(arb("0.5"), 2)
    exact = (two * one.window(low, high)).total()

    def cdf(x, left):
        z = x - acb("0.2")
        return z.exp() / 2 if left else 1 - (-z).exp() / 2

    def integrand(y, _, side, ups):
        law = (2 * (y - acb("0.5")) * side).exp()
        return law * (cdf(y + acb(high), ups[0]) - cdf(y + acb(low), ups[1]))

    total = arb(0)
    kinks = sorted([-30.0, 0.2 - 0.9, 0.5, 0.2 + 0.3, 30.0])
    for a, b in itertools.pairwise(kinks):
        middle = (a + b) / 2
        side = 1 if middle < 0.5 else -1
        ups = (middle + 0.9 < 0.2, middle - 0.3 < 0.2)
        piece = acb.integral(lambda y, f, s=side, u=ups: integrand(y, f, s, u), a, b)
        total += piece.real
    assert abs(float(exact - total)) < 1e-12


def test_beta_comparison_by_hand():
    # one observation each: Beta(2, 1) against Beta(1, 2) wins with probability 5/6
    wins = beats(np.array([1.0]), np.array([0.0]), 1, 1)[0, 0]
    assert wins == pytest.approx(5 / 6, abs=1e-12)


def test_epochs_double_and_forget():
    epochs = lazy.epochs_of((0, 1, 0, 0, 0, 1, 0, 0, 0, 1))
    assert [(e.arm, e.rounds) for e in epochs] == [
        (0, (1,)),
        (1, (2,)),
        (0, (3, 4)),
        (0, (5, 7, 8, 9)),
    ]
    assert [e.used_from for e in epochs] == [2, 3, 5, 10]


def test_rnm_ftnl_is_not_private_as_printed_and_is_when_corrected():
    keys = {"algorithm": "rnm-ftnl", "epsilon": 0.5, "arms": 3, "horizon": 64}
    printed = lazy.audit_lazy(lazy.LazyParams(**keys), [0.5])
    corrected = lazy.audit_lazy(lazy.LazyParams(**keys, variant="corrected"), [0.5])
    assert printed.worst_neighbour["epoch"] == 5
    assert 0.9 < printed.pure_epsilon <= 1.0 + 1e-12
    assert printed.delta_at[0.5] > 0
    assert corrected.pure_epsilon <= 0.5 + 1e-12


def test_first_epochs_of_rnm_ftnl():
    """Horizon 2: only the first row selects (epoch 0, one round)."""
    params = lazy.LazyParams(algorithm="rnm-ftnl", epsilon=1.0, arms=2, horizon=2)
    assert lazy.audit_lazy(params, []).worst_neighbour["counts"] == [1, 0]


UCB = {"algorithm": "anytime-lazy-ucb", "epsilon": 1.0, "arms": 2, "horizon": 6}


@pytest.mark.parametrize("change", [{"horizon": 9}, {"arms": 4}, {"arms": 3, "horizon": 7}])
def test_beyond_reach_the_theorem_speaks(change):
    found = lazy.audit_lazy(lazy.LazyParams(**UCB | change), [1.0])
    assert (found.method, found.pure_epsilon, found.delta_at) == ("bound", 1.0, {1.0: 0.0})
    assert "HU-T2" in found.worst_neighbour["theorem"]


def test_a_variant_of_another_algorithm_is_one_line():
    with pytest.raises(InputError, match="audit lazy"):
        lazy.audit_lazy(lazy.LazyParams(**UCB, variant="corrected"), [])


@pytest.mark.parametrize("algorithm", ["anytime-lazy-ucb", "lazy-dp-ts", "rnm-ftnl"])
@pytest.mark.parametrize("horizon", [1, 2])
def test_rounds_that_read_no_reward_lose_nothing(algorithm, horizon):
    """The bandits play each arm once first; the leader of full information is seen in round 2."""
    params = lazy.LazyParams(algorithm=algorithm, epsilon=1.0, horizon=horizon)
    loss = lazy.audit_lazy(params, [0.0])
    silent = horizon == 1 or algorithm != "rnm-ftnl"
    assert (loss.pure_epsilon == 0, loss.delta_at[0.0] == 0) == (silent, silent)


def test_tiny_probabilities_are_not_taken_for_impossible():
    """At eps = 100 some transcripts have probability below e^-500."""
    pure, _, _ = lazy.ucb_law(7, 100.0).worst([])
    assert pure == pytest.approx(100.0, abs=1e-9)


def test_thompson_sampling_at_small_epsilon():
    """Few rounds do not clip there: the loss is linear in eps, and needs no more nodes."""
    small, smaller = (ts_law(7, epsilon).worst([])[0] for epsilon in (1e-2, 1e-3))
    assert small == pytest.approx(10 * smaller, rel=1e-3)
    params = lazy.LazyParams(algorithm="lazy-dp-ts", epsilon=1e-4, horizon=5)
    with pytest.raises(InputError, match="allows at least"):
        lazy.audit_lazy(params, [])
    assert lazy.audit_lazy(params.model_copy(update={"epsilon": 1e-3}), []).pure_epsilon > 0


def test_noise_out_of_reach_is_one_line():
    params = lazy.LazyParams(algorithm="rnm-ftnl", epsilon=1e-13, horizon=5)
    with pytest.raises(InputError, match="rnm-ftnl: scale"):
        lazy.audit_lazy(params, [])


# Every variant of RNM-FTNL, on what is executed

VARIANTS = {"corrected", "permute-and-flip", "gumbel", "prefix", "phase"}


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_variant_is_audited_on_the_rule_that_it_executes(variant):
    rule = rule_of(variant, 0.5)
    noise, times = lazy.NOISES[variant]
    assert rule.noise == {"laplace": 0, "exponential": 1, "gumbel": 2}[noise]
    assert rule.scale == times / 0.5
    assert (rule.prefix, rule.phase) == (variant == "prefix", variant == "phase")
    assert rule.growth == (math.e if variant == "phase" else 2)
    keys = {"algorithm": "rnm-ftnl", "epsilon": 0.5, "arms": 3, "variant": variant}
    for horizon in (2, 20, 10**6):
        loss = lazy.audit_lazy(lazy.LazyParams(horizon=horizon, **keys), [0.25])
        assert 0 < loss.pure_epsilon <= 0.5 * (1 + 1e-12)  # the ball's upper end, rounded up
        assert loss.delta_at[0.25] < 0.25
    assert loss.pure_epsilon > 0.49


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 9, 20, 57, 200])
def test_the_longest_epoch_of_phase_by_trying_starts(horizon):
    """100,000 starts, lengths as the engine multiplies them up."""
    starts, longest = math.e ** np.linspace(0, 1, 100_000, endpoint=False), 0
    ends, size = np.zeros(len(starts)), starts
    for _ in range(8):
        length = np.floor(size)
        ends, size = ends + length, size * math.e
        longest = max(longest, int(length[ends < horizon].max(initial=0)))
    assert lazy.longest_epoch("phase", horizon) == longest


def test_the_mixture_over_prefixes_loses_no_more_than_the_audit():
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


def test_four_rounds_of_three_arms_by_hand():
    """Round 4 goes to the largest of three rewards with Lap(1) each: 1/3 if all are equal. If arm
    0 is ahead by 1, P = int f(x) F(x + 1)^2 dx with F(x) = e^x/2 below 0 and 1 - e^-x/2 above:

    above 0      int e^-x/2 (1 - e^(-x-1)/2)^2 = 1/2 - e^-1/4 + e^-2/24
    -1 to 0      int e^x/2 (1 - e^(-x-1)/2)^2 = 1/2 - e^-1 + (e^-1 - e^-2)/8
    below -1     int e^x/2 e^(2x+2)/4 = e^-1/24

    together 1 - 13/12 e^-1 - 1/12 e^-2 = 0.590186.
    """
    law = lazy.ucb_law(4, 1.0, arms=3)
    assert law.transcripts == [(0, 1, 2, j) for j in range(3)]
    assert np.exp(law.log_p[0]) == pytest.approx([1 / 3] * 3, abs=1e-14)  # all rewards 0
    first = 1 - 13 / 12 * math.exp(-1) - math.exp(-2) / 12
    assert np.exp(law.log_p[1]) == pytest.approx([first, *[(1 - first) / 2] * 2], abs=1e-14)
