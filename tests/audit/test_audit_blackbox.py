"""The black-box auditor: right when it speaks, and run on every registered private algorithm."""

import math

import numpy as np
import pytest

from dpbandits.audit import blackbox, lazy
from dpbandits.audit.studies import zoo
from dpbandits.core import algorithms as core_algorithms
from dpbandits.core.algorithms import Algorithm, algorithms, run
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


def test_zoo_table_has_power_and_no_false_alarm():
    table = zoo.zoo_table(zoo.ZooParams(samples=(20_000,), trials=3))
    sound = table.defect == "none"
    assert (table.refuted[sound] == 0).all()
    gross = table.true_epsilon > 1.9
    assert (table.refuted[gross] == 1).all()
    assert (table.median_bound <= table.true_epsilon).all()


PAIRS = {  # by a field of the setting: two settings between which every reward differs
    "means": ({"means": [1.0, 0.0]}, {"means": [0.0, 1.0]}),
    "beta": tuple({"d": 20, "arms": 2, "beta": [b]} for b in (1.0, -1.0)),
}


def attacked(entry, epsilon=1.0, horizon=3, runs=20_000, **setting):
    """(loss found between two settings, loss that the notion allows there).

    What is played is compared, under joint privacy the last action alone. The last reward is never
    used: T - 1 records differ. With n runs no loss above about ln(n/30) can be seen.
    """
    pair = next(pair for key, pair in PAIRS.items() if key in entry.setting.model_fields)
    samples = []
    for which, one in enumerate(pair):
        rounds = np.arange(1, horizon + 1)
        regret = run(entry.name, one | setting, epsilon, horizon, range(runs), rounds).regret
        bad = np.diff(regret, axis=1, prepend=0.0) > 1e-9
        samples.append((bad ^ bool(which))[:, -1 if entry.notion.joint else None :])
    codes = [bits @ (1 << np.arange(bits.shape[1])) for bits in samples]
    same = entry.setting.model_validate(pair[0])  # in what a notion reads: its delta
    allowed, delta = entry.notion.leaves(epsilon, horizon - 1, same)
    return blackbox.lower_bound(*codes, delta=delta), allowed


def test_every_registered_private_algorithm_passes():
    """Algorithms register themselves, so a new one is audited here without being asked.

    At confidence 1 - 1e-6 a private one is refuted by chance with probability below 1e-6.
    """
    audited = {
        name: entry
        for name, entry in algorithms().items()
        if entry.private and entry.setting.model_fields.keys() & PAIRS
    }
    assert {"anytime-lazy-ucb", "fliphat", "jdp-linucb"} <= set(audited)
    for name, entry in audited.items():
        for epsilon, horizon in ((1.0, 3), (0.25, 8)):
            found, allowed = attacked(entry, epsilon, horizon, 4000)
            assert found.epsilon <= allowed, f"{name}: loss of at least {found.epsilon:.3g}"


@pytest.mark.parametrize("variant", ["corrected", "permute-and-flip", "gumbel", "prefix", "phase"])
def test_every_private_variant_of_rnm_ftnl_passes(variant):
    """As above; their exact audit is in test_audit_lazy.py."""
    for epsilon, horizon in ((1.0, 3), (0.25, 8)):
        entry = algorithms()["rnm-ftnl"]
        found, allowed = attacked(entry, epsilon, horizon, 4000, variant=variant)
        assert found.epsilon <= allowed


def test_power_on_an_algorithm_with_too_little_noise():
    """eps = 1, 3 rounds, 20,000 runs, loss 2 allowed."""
    for noise, refuted in ((1.0, False), (0.5, False), (0.3, True)):
        generator, tables = philox(4), ([[1, 0]] * 3, [[0, 1]] * 3)
        law = lazy.ucb_law(3, 1.0, noise)
        samples = [law.sample(table, 20_000, generator) for table in tables]
        assert (blackbox.lower_bound(*samples).epsilon > 2.0) is refuted


def beside(template, name):
    """A module of the same paper that has no engine."""
    return f"{template.module.rpartition('.')[0]}.{name}"


def played_by(monkeypatch, fake):
    """Every name stands for this algorithm."""
    monkeypatch.setattr(core_algorithms, "get_algorithm", lambda name: fake)


def test_a_sparse_learner_without_noise_is_refuted(monkeypatch):
    """It learns the sign of beta from the first user; 2 eps and the group's delta are allowed."""
    template = algorithms()["fliphat"]

    def simulate(setting, epsilon, horizon, streams, checkpoints):
        """A random arm, then the better one of every round."""
        regret = np.array([streams.generator(i).integers(2) for i in range(len(streams))])
        return Trajectories(np.repeat(regret[:, None] * 1.0, len(checkpoints), axis=1))

    module, notion = beside(template, "leaky"), template.notion
    fake = Algorithm("leaky", simulate, template.setting, "none", "assumed: none", module, notion)
    played_by(monkeypatch, fake)
    found, allowed = attacked(fake, runs=4000)
    assert found.epsilon > allowed
    assert found.delta == pytest.approx(0.01 * (1 + math.e))


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

    module = beside(template, "gauss")
    fake = Algorithm("gauss", simulate, template.setting, "none", "assumed: none", module, notion)
    played_by(monkeypatch, fake)
    found, allowed = attacked(fake, epsilon)
    assert (found.epsilon > allowed) is refuted


def test_confidence_is_shared_by_two_directions_and_two_frequencies():
    """All of n runs against none of n: ln of q/(1 - q), q = (error/4)^(1/n)."""
    for runs, confidence in ((400, 1 - 1e-6), (401, 0.9)):
        first, second = np.zeros(runs, int), np.ones(runs, int)
        found = blackbox.lower_bound(first, second, confidence=confidence)
        q = ((1 - confidence) / 4) ** (1 / (runs - runs // 2))
        assert found.epsilon == pytest.approx(math.log(q / (1 - q)), rel=1e-9)
        assert (found.samples, found.confidence, found.event) == (runs, confidence, "0")
        less = blackbox.lower_bound(first, second, confidence=confidence, delta=0.5)
        assert less.epsilon == pytest.approx(math.log((q - 0.5) / (1 - q)), rel=1e-9)
    assert blackbox.lower_bound([0, 0], [1, 1]).unclipped < 0
    for wrong in (([0], [1]), ([0, 1], [0, 1, 1])):
        with pytest.raises(InputError, match="the same length, at least 2"):
            blackbox.lower_bound(*wrong)


def test_the_event_of_largest_ratio_is_taken_as_far_as_it_pays():
    """1000 of 2000 outcomes 0 that the other law never has, 500 of 1 against 10, the rest alike."""
    p, q = np.repeat([0, 1, 2], [1000, 500, 500]), np.repeat([1, 2], [10, 1990])
    error = 1e-3
    assert blackbox.best_event(p, q, 0.0, error).tolist() == [0]
    assert sorted(blackbox.best_event(p, q, 0.49, error)) == [0, 1]
    alone, both = (blackbox.log_ratio(*hits, 2000, 0.0, error) for hits in ((1000, 0), (1500, 10)))
    assert alone > both


def test_true_losses_of_the_zoo_by_hand():
    """Noise of half the scale doubles eps, a change of 4 makes it 4, reused noise cancels."""
    true = {(s.mechanism, s.defect): s.exact() for s in zoo.specimens()}
    assert true["noisy sum", ""] == pytest.approx(1)
    assert true["noisy sum", "half the noise"] == pytest.approx(2)
    assert true["noisy sum", "missing clip"] == pytest.approx(4)
    assert true["two noisy sums", ""] == pytest.approx(1)
    assert true["two noisy sums", "reused noise"] == math.inf
    # P(X - Y <= -x) = e^-x (2 + x)/4: from a difference of -62 to -64, at scale 2 and 1
    sound, broken = 1 + math.log(33 / 34), 2 + math.log(64 / 66)
    assert true["report noisy max, replacement", ""] == pytest.approx(sound)
    assert true["report noisy max, replacement", "half the noise"] == pytest.approx(broken)
    assert true["anytime-lazy-ucb, 7 rounds", ""] <= 1 + 1e-9
    assert true["anytime-lazy-ucb, 7 rounds", "half the noise"] > 1.5
