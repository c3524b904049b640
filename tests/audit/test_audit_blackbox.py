"""The black-box auditor: its bounds hold, and it audits every registered private algorithm."""

import math

import numpy as np
import pytest
from plain import seeded

from dpbandits.audit import blackbox
from dpbandits.core import algorithms as core_algorithms
from dpbandits.core.algorithms import Algorithm, algorithms, run
from dpbandits.core.notions import PURE, PURE_JOINT
from dpbandits.core.trajectories import Trajectories


def test_clopper_pearson_by_hand():
    low, high = blackbox.clopper_pearson(0, 100, 0.01)
    assert (low, high) == (0.0, pytest.approx(1 - 0.01**0.01))
    low, high = blackbox.clopper_pearson(100, 100, 0.01)
    assert (low, high) == (pytest.approx(0.01**0.01), 1.0)
    assert blackbox.log_ratio(0, 5, 100, 0.0, 0.01) == -math.inf  # an event that was never seen


def test_bound_is_below_the_true_loss_and_near_it():
    """Randomized response with loss 1: 30 audits at 99%, each may err with probability 1%.

    More than 4 errors of 30 would have probability below 1e-5; the seed is fixed anyway.
    """
    p = np.exp(1) / (1 + np.exp(1))
    bounds = []
    for trial in range(30):
        generator = seeded(trial)
        first, second = generator.random(4000) < p, generator.random(4000) > p
        bound = blackbox.lower_bound(first.astype(int), second.astype(int), confidence=0.99)
        bounds.append(bound.epsilon)
    assert np.sum(np.array(bounds) > 1.0) <= 4
    assert np.median(bounds) > 0.75


PAIRS = {  # a field of the setting: two settings between which every reward differs
    "means": ({"means": [1.0, 0.0]}, {"means": [0.0, 1.0]}),
    "beta": tuple({"d": 20, "arms": 2, "beta": [b]} for b in (1.0, -1.0)),
}


def promised(notion, epsilon, records, setting):
    """(epsilon, delta) of pure or approximate privacy where this many records differ.

    p_k = e^eps p_(k-1) + delta from p_0 = 0 is the worst chain of neighbours.
    """
    assert notion.parameter == "epsilon", f"{notion.name}: say here what it promises to a group"
    delta = 0.0
    if notion not in (PURE, PURE_JOINT):
        one = notion.delta if notion.delta is not None else setting.delta
        delta = one * sum(math.exp(k * epsilon) for k in range(records))
    return records * epsilon, delta


def attacked(entry, epsilon=1.0, horizon=3, runs=20_000, **setting):
    """(lower bound on the loss between two settings, the loss that the notion of privacy allows).

    The played actions are compared; under joint privacy, the last action alone. The last reward is
    never used: T - 1 records differ. With n runs no bound is above about ln(n/30).
    """
    pair = next(pair for key, pair in PAIRS.items() if key in entry.setting.model_fields)
    samples = []
    for which, one in enumerate(pair):
        rounds = np.arange(1, horizon + 1)
        regret = run(entry.name, one | setting, epsilon, horizon, range(runs), rounds).regret
        bad = np.diff(regret, axis=1, prepend=0.0) > 1e-9
        samples.append((bad ^ bool(which))[:, -1 if entry.notion.joint else None :])
    codes = [bits @ (1 << np.arange(bits.shape[1])) for bits in samples]
    first = entry.setting.model_validate(pair[0])  # both have the same delta
    allowed, delta = promised(entry.notion, epsilon, horizon - 1, first)
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
            bound, allowed = attacked(entry, epsilon, horizon, 4000)
            assert bound.epsilon <= allowed, f"{name}: loss of at least {bound.epsilon:.3g}"


@pytest.fixture
def made_up_algorithm(monkeypatch):
    """An algorithm with the setting of `template`, which `run` finds under every name."""

    def make(template, simulate, notion):
        entry = algorithms()[template]
        module = f"{entry.module.rpartition('.')[0]}.made_up"  # no engine has this name
        fake = Algorithm(
            "made-up", simulate, entry.setting, "none", "assumed: none", module, notion
        )
        monkeypatch.setattr(core_algorithms, "get_algorithm", lambda name: fake)
        return fake

    return make


def test_a_sparse_learner_without_noise_is_refuted(made_up_algorithm):
    """It learns the sign of beta from the first user; 2 eps and the group's delta are allowed."""

    def simulate(setting, epsilon, horizon, streams, checkpoints):
        """A random arm, then the better one of every round."""
        regret = np.array([streams.generator(i).integers(2) for i in range(len(streams))])
        return Trajectories(np.repeat(regret[:, None] * 1.0, len(checkpoints), axis=1))

    fake = made_up_algorithm("fliphat", simulate, algorithms()["fliphat"].notion)
    bound, allowed = attacked(fake, runs=4000)
    assert bound.epsilon > allowed
    assert bound.delta == pytest.approx(0.01 * (1 + math.e))


def test_confidence_is_shared_by_two_directions_and_two_frequencies():
    """All of n runs against none of n: ln of q/(1 - q), q = (error/4)^(1/n)."""
    for runs, confidence in ((400, 1 - 1e-6), (401, 0.9)):
        first, second = np.zeros(runs, int), np.ones(runs, int)
        bound = blackbox.lower_bound(first, second, confidence=confidence)
        q = ((1 - confidence) / 4) ** (1 / (runs - runs // 2))
        assert bound.epsilon == pytest.approx(math.log(q / (1 - q)), rel=1e-9)
        assert (bound.runs, bound.confidence, bound.event) == (runs, confidence, "0")
        approximate = blackbox.lower_bound(first, second, confidence=confidence, delta=0.5)
        assert approximate.epsilon == pytest.approx(math.log((q - 0.5) / (1 - q)), rel=1e-9)
    assert blackbox.lower_bound([0, 0], [1, 1]).unclipped < 0
