"""The black-box auditor: right when it speaks, and run on every registered private algorithm."""

import math

import numpy as np
import pytest

from dpbandits.audit import blackbox, lazy
from dpbandits.audit.engine.zoo_lazy import simulate_lazy
from dpbandits.audit.studies import zoo
from dpbandits.core.algorithms import ALGORITHMS, Algorithm, algorithms
from dpbandits.core.errors import InputError
from dpbandits.core.notions import APPROXIMATE, GDP, JOINT, PURE, PURE_JOINT, ZCDP
from dpbandits.core.trajectories import Trajectories


def philox(seed):
    return np.random.Generator(np.random.Philox(seed))


def test_clopper_pearson_by_hand():
    low, high = blackbox.clopper_pearson(0, 100, 0.01)
    assert (low, high) == (0.0, pytest.approx(1 - 0.01**0.01))
    low, high = blackbox.clopper_pearson(100, 100, 0.01)
    assert (low, high) == (pytest.approx(0.01**0.01), 1.0)


def test_bound_is_below_the_truth_and_near_it():
    """Randomized response with loss 1: 30 audits at 99%, each may err with probability 1%.

    More than 4 errors of 30 would have probability below 1e-5; the seed is fixed anyway.
    """
    p = np.exp(1) / (1 + np.exp(1))
    bounds = []
    for trial in range(30):
        generator = philox(trial)
        first, second = generator.random(4000) < p, generator.random(4000) > p
        found = blackbox.lower_bound(first.astype(int), second.astype(int), confidence=0.99)
        bounds.append(found.epsilon)
    assert np.sum(np.array(bounds) > 1.0) <= 4
    assert np.median(bounds) > 0.75


def test_equal_laws_are_not_told_apart():
    generator = philox(5)
    first, second = generator.integers(0, 50, size=(2, 5000))
    assert blackbox.lower_bound(first, second).epsilon == 0.0


def test_delta_is_allowed_for():
    """An outcome of probability 0.05 that the other law never shows: (0, 0.05)-DP."""
    first = (philox(6).random(50_000) < 0.05).astype(int)
    second = np.zeros(50_000, int)
    assert blackbox.lower_bound(first, second).epsilon > 3
    assert blackbox.lower_bound(first, second, delta=0.06).epsilon == 0.0


@pytest.mark.parametrize("defect", ["", "sum not forgotten", "off-by-one epoch"])
def test_lazy_zoo_simulation_follows_its_exact_law(defect):
    """100,000 runs; every frequency within 5 standard errors; fixed seed (32 transcripts,
    thrice: flake rate 6e-5 for new seeds)."""
    horizon, runs, epsilon = 7, 100_000, 1.0
    rewards = np.array([(1, 0), (0, 1), (1, 0), (1, 1), (0, 1), (1, 0), (0, 0)])
    table = sum(int(x) << 2 * t + j for t, row in enumerate(rewards) for j, x in enumerate(row))
    law = lazy.ucb_law(horizon, epsilon, 1.0, zoo.READINGS[defect])
    p = np.exp(law.log_p[table & (len(law.log_p) - 1)])
    codes = simulate_lazy(rewards, epsilon, 1.0, defect, runs, philox(8))
    order = [sum(arm << t for t, arm in enumerate(transcript)) for transcript in law.transcripts]
    frequency = np.bincount(codes, minlength=2**horizon)[order] / runs
    assert np.all(np.abs(frequency - p) <= 5 * np.sqrt(p * (1 - p) / runs) + 1e-9)


def test_exact_audit_tells_every_broken_specimen_from_every_sound_one():
    for specimen in zoo.specimens():
        broken = specimen.exact() > zoo.EPSILON + 1e-9
        assert broken == bool(specimen.defect), specimen.mechanism


def test_zoo_table_has_power_and_no_false_alarm():
    table = zoo.zoo_table(zoo.ZooParams(samples=(20_000,), trials=3))
    sound = table.defect == "none"
    assert (table.refuted[sound] == 0).all()
    gross = table.true_epsilon > 1.9
    assert (table.refuted[gross] == 1).all()
    assert (table.median_bound <= table.true_epsilon).all()


def test_every_registered_private_algorithm_passes():
    """Algorithms register themselves, so a new one is audited here without being asked.

    At confidence 1 - 1e-6 a private one is refuted by chance with probability below 1e-6.
    """
    audited = [name for name, entry in algorithms().items() if not blackbox.auditable(entry)]
    assert {"anytime-lazy-ucb", "fliphat", "jdp-linucb"} <= set(audited)
    for name in audited:
        for epsilon, horizon in ((1.0, 3), (0.25, 8)):
            result = blackbox.audit_algorithm(name, epsilon, horizon, runs=4000)
            assert not result.refuted, f"{name}: loss of at least {result.found.epsilon:.3g}"


@pytest.mark.parametrize("variant", ["corrected", "permute-and-flip", "gumbel", "prefix", "phase"])
def test_every_private_variant_of_rnm_ftnl_passes(variant):
    """As above; their exact audit is in test_audit_lazy.py."""
    for epsilon, horizon in ((1.0, 3), (0.25, 8)):
        given = {"setting": {"variant": variant}}
        assert not blackbox.audit_algorithm("rnm-ftnl", epsilon, horizon, 4000, **given).refuted


def test_power_on_an_algorithm_with_too_little_noise():
    """The statement in the module's docstring: eps = 1, 3 rounds, 20,000 runs, loss 2 allowed."""
    for noise, refuted in ((1.0, False), (0.5, False), (0.3, True)):
        generator, worlds = philox(4), ([[1, 0]] * 3, [[0, 1]] * 3)
        samples = [simulate_lazy(np.array(w), 1.0, noise, "", 20_000, generator) for w in worlds]
        assert (blackbox.lower_bound(*samples).epsilon > 2.0) is refuted


def test_an_algorithm_without_noise_is_refuted(monkeypatch):
    template = algorithms()["anytime-lazy-ucb"]

    def simulate(setting, epsilon, horizon, streams, checkpoints):
        """Follow the leader after one pull each, claiming privacy."""
        rounds = np.arange(1, horizon + 1)
        good = int(np.argmax(setting.means))
        arms = np.where(rounds == 1, 0, np.where(rounds == 2, 1, good))
        regret = np.cumsum(setting.gaps[arms])[checkpoints - 1]
        return Trajectories(np.tile(regret, (len(streams), 1)))

    fake = Algorithm("leaky", simulate, template.setting, "none", "assumed: none", template.module)
    monkeypatch.setitem(ALGORITHMS._entries, "leaky", fake)
    assert blackbox.audit_algorithm("leaky", runs=4000).refuted


def test_a_sparse_learner_without_noise_is_refuted(monkeypatch):
    """It learns the sign of beta from the first user; 2 eps and the group's delta are allowed."""
    template = algorithms()["fliphat"]

    def simulate(setting, epsilon, horizon, streams, checkpoints):
        """A random arm, then the better one of every round."""
        regret = np.array([streams.generator(i).integers(2) for i in range(len(streams))])
        return Trajectories(np.repeat(regret[:, None] * 1.0, len(checkpoints), axis=1))

    module, notion = template.module, template.notion
    fake = Algorithm("leaky", simulate, template.setting, "none", "assumed: none", module, notion)
    monkeypatch.setitem(ALGORITHMS._entries, "leaky", fake)
    result = blackbox.audit_algorithm("leaky", runs=4000)
    assert result.refuted
    assert result.found.delta == pytest.approx(0.01 * (1 + math.e))


@pytest.mark.parametrize(
    ("notion", "epsilon", "noise", "refuted"),
    [
        (GDP, 1.0, 1.0, False),
        (GDP, 1.0, 0.3, True),
        (PURE, 1.0, 1.0, True),
        (PURE_JOINT, 1.0, 1.0, True),
        (ZCDP, 0.05, 3.2, False),
        (ZCDP, 0.05, 0.3, True),
        (APPROXIMATE.with_delta(0.01), 1.0, 3.0, False),
        (APPROXIMATE.with_delta(0.01), 1.0, 0.5, True),
        (JOINT.with_delta(0.01), 1.0, 3.0, False),
        (JOINT.with_delta(0.01), 1.0, 0.5, True),
    ],
)
def test_a_promise_is_judged_by_its_notion(monkeypatch, notion, epsilon, noise, refuted):
    """A Gaussian release of the sum of two rewards decides the last round: (1/noise)-GDP, so
    1/(2 noise^2)-zCDP, and (1, 0.01)-DP from noise 2 on.

    At pure epsilon = 1 two records may lose 2; the true loss of the rarer arm is 4.8.
    """
    template = algorithms()["anytime-lazy-ucb"]

    def simulate(setting, _, horizon, streams, checkpoints):
        rewards = setting.means[0] * (horizon - 1)  # of arm 0, played until the last round
        draws = streams.generator(0).normal(rewards, noise, len(streams))
        regret = np.tile(setting.gaps[0] * np.arange(1.0, horizon + 1), (len(streams), 1))
        regret[:, -1] += (draws > 1 + 2 * noise) * (setting.gaps[1] - setting.gaps[0])
        return Trajectories(regret)

    module = template.module
    fake = Algorithm("gauss", simulate, template.setting, "none", "assumed: none", module, notion)
    monkeypatch.setitem(ALGORITHMS._entries, "gauss", fake)
    result = blackbox.audit_algorithm("gauss", epsilon)
    assert (result.notion, result.refuted) == (notion.name, refuted)


def test_what_cannot_be_audited_says_why():
    with pytest.raises(InputError, match="black box"):
        blackbox.lower_bound(np.zeros(1), np.zeros(1))


def test_an_event_is_told_only_of_a_loss_above_zero(monkeypatch):
    first, second = np.array([0, 1] * 8), np.array([1, 0] * 8)
    for found, told in ((0.0, False), (0.1, True)):
        monkeypatch.setattr(blackbox, "log_ratio", lambda *_, found=found: found)
        bound = blackbox.lower_bound(first, second)
        assert (bound.epsilon, bool(bound.event)) == (found, told)
