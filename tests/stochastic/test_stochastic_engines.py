"""HU's engines on the random numbers of the plain algorithms, path by path, and at large sizes.

Where an engine draws an epoch's rewards as one Binomial, `Tape` gives the plain algorithm this sum
as its reward in the epoch's last round, and 0 before. Full information and DP-SE draw all sums
before the noise: they are compared where rewards are certain. The others (Thompson sampling, UCB1,
KL-UCB, FTL) are compared in distribution, by tests/core/test_engine_agreement.py.
"""

import math

import numpy as np
import pytest

from dpbandits.core import algorithms, variates
from dpbandits.core.models import parse
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import streams_for
from dpbandits.stochastic.engine import phases
from dpbandits.stochastic.rounds import decisions

LINEAR = (0.75, 0.625, 0.5, 0.375, 0.25)
SETTINGS = {
    "linear": LINEAR,
    "ties": (0.5, 0.5, 0.5),
    "twenty": tuple(0.3 + 0.02 * ((7 * k) % 20) for k in range(20)),
    "sure": (0.0, 1.0),
    "close": (0.5, 0.501),
}
PRIVATE = ("anytime-lazy-ucb", "lazy-dp-ts", "dp-se", "adap-ucb", "adap-klucb", "dp-klucb",
           "dp-imed", "na-imed", "rnm-ftnl", "ftnl")  # fmt: skip
ALL = (*PRIVATE, "ftl", "thompson", "ucb1", "kl-ucb")
VARIANTS = ("printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase")


class Tape:
    """The random numbers of an engine's run, for the plain algorithm."""

    def __init__(self, state, means):
        self.state, self.means = state, means

    def batch_reward(self, J):
        size = self.learner.size(J)
        last = self.learner.rewards[J] + 1 == size
        return variates.binomial(self.state, size, self.means[J]) if last else 0

    def _many(self, draw, size):
        return draw() if size is None else np.array([draw() for _ in range(np.prod(size))])

    def random(self):
        return variates.uniform(self.state)

    def laplace(self, scale, size=None):
        return self._many(lambda: variates.laplace(self.state, scale), size)

    def exponential(self, scale, size=None):
        return self._many(lambda: scale * variates.exponential(self.state), size)

    def gumbel(self, scale, size=None):
        return self._many(lambda: -scale * math.log(variates.exponential(self.state)), size)

    def integers(self, low, high):
        """The engine draws no prefix of an epoch of one round."""
        return low if low == 1 else high - 1 - int(self.random() * (high - low))


def simulate(name, means, epsilon, horizon, runs, checkpoints, **extra):
    setting = {"means": list(means), **extra}
    return algorithms.run(name, setting, epsilon, horizon, range(runs), np.array(checkpoints))


def assert_same_paths(name, means, epsilon, horizon, runs, *, reward=None, **extra):
    """`reward(J)` is a certain reward; without it the plain algorithm receives sums of batches."""
    entry = algorithms.get_algorithm(name)
    at = sorted({1, 1 + horizon // 3, horizon})
    result = simulate(name, means, epsilon, horizon, runs, at, **extra)
    setting = parse(entry.setting, {"means": list(means), **extra}, "")
    options = setting.model_dump(exclude={"means"})
    states = streams_for(name, setting, float(epsilon), horizon, range(runs)).states()
    for run, state in enumerate(states):
        tape = Tape(state, means)
        noise_port = SimulatedNoise(tape)
        learner = entry.learner(len(means), epsilon, noise_port, tape, horizon, **options)
        tape.learner = learner
        played = decisions(learner, reward or tape.batch_reward, horizon)
        pulls = np.bincount(played, minlength=len(means))
        np.testing.assert_array_equal(result.extras["pulls"][run], pulls)
        regret = np.cumsum(setting.gaps[played])[np.array(at) - 1]
        np.testing.assert_allclose(result.regret[run], regret, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 10.0, math.inf])
@pytest.mark.parametrize(("name", "extra", "horizon"), [
    *(("anytime-lazy-ucb", {}, T) for T in (1, 3, 4001)), ("adap-ucb", {}, 9973),
    ("adap-klucb", {}, 9973), ("dp-klucb", {}, 2000), ("dp-imed", {}, 2000),
    *((name, {"growth": 1.3, "first_batch": 0}, 2000) for name in ("dp-klucb", "dp-imed")),
    *(("na-imed", {}, T) for T in (1, 300, 1500)),
])  # fmt: skip
def test_compiled_phases_equal_the_learner(setting, epsilon, name, extra, horizon):
    """Also where nearly all releases are outside of what sums can be (eps = 0.05, 300 rounds)."""
    assert_same_paths(name, SETTINGS[setting], epsilon, horizon, 2, **extra)


@pytest.mark.parametrize("means", [(0, 1, 0), (0, 0, 1, 1)])
@pytest.mark.parametrize("epsilon", [0.005, 0.5, math.inf])
def test_dp_se_equals_the_plain_algorithm(means, epsilon):
    """To a single survivor or, with much noise, inside the first epochs; certain rewards."""
    assert_same_paths("dp-se", means, epsilon, 60_000, 3, reward=means.__getitem__)


@pytest.mark.parametrize("means", [(0, 1, 0, 0), (1, 0, 1)])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 10.0])
@pytest.mark.parametrize("variant", [*VARIANTS, "ftnl"])
def test_rnm_ftnl_and_ftnl_equal_algorithm_4(variant, means, epsilon):
    """Noise, epochs and prefixes; certain rewards."""
    name, extra = ("ftnl", {}) if variant == "ftnl" else ("rnm-ftnl", {"variant": variant})
    reward = lambda J: np.array(means)  # noqa: E731
    assert_same_paths(name, means, epsilon, 3000, 5, reward=reward, **extra)


# All engines ----------------------------------------------------------------------------------


def epsilon_of(name):
    return 0.5 if name in PRIVATE else math.inf


CASES = [*((name, {}) for name in ALL), *(("rnm-ftnl", {"variant": v}) for v in VARIANTS[1:])]


COST_GROWS_WITH_T = ("thompson", "ucb1", "kl-ucb")


@pytest.mark.parametrize(("name", "extra"), [c for c in CASES if c[0] not in COST_GROWS_WITH_T])
def test_a_trillion_rounds(name, extra):
    """Counts do not overflow and regret stays far from linear beyond 2^31 rounds."""
    horizon = 10**12
    result = simulate(name, (0.9, 0.5), epsilon_of(name), horizon, 3, [10**6, horizon], **extra)
    pulls = result.extras["pulls"]
    assert (pulls.sum(1) == horizon).all()
    assert (pulls >= 0).all()
    np.testing.assert_allclose(result.regret[:, 1], 0.4 * pulls[:, 1], rtol=1e-9)
    if name != "dp-imed":  # noise can keep it from the best arm for long
        assert pulls[:, 1].max() < 1e8


def test_epochs_of_dp_se_may_be_longer_than_integers():
    """eps = 1e-30: the first epoch never ends, its arms are played in turn; nothing wraps."""
    result = simulate("dp-se", (0.3, 0.6, 0.5), 1e-30, 10**12, 1, [1, 5, 10**12])
    assert result.extras["pulls"][0].tolist() == [333333333334, 333333333333, 333333333333]
    np.testing.assert_allclose(result.regret[0, :2], [0.3, 0.7])


def test_last_round_is_exact_up_to_a_trillion_rounds():
    """Where two indices are nearly equal, and the last bits of ln t decide which one leads."""
    cls, rng, crossings = (
        algorithms.get_algorithm("anytime-lazy-ucb").learner,
        np.random.default_rng(1),
        0,
    )
    leader, last_round = (
        phases.compiled(cls).py_func.__globals__[n] for n in ("leader", "last_round")
    )
    for _ in range(1500):
        used = 2.0 ** rng.integers(0, 12, 3)
        scale = 1 / rng.choice([0.05, 1, 10])
        first = int(10 ** rng.uniform(0.5, 11.9))
        last = int(first * 10 ** rng.uniform(0.01, 1))
        linear = 3 * math.log(first * 1.05)
        index = rng.uniform(0, 1e-3, 3)  # not long after `first`
        mean = index - np.sqrt(linear / used) - scale * linear / used
        view = cls.View(first, 3, 1 / scale, 1, 3, np.arange(3), used, mean)
        arm = leader(view, first)
        end = last_round(view, arm, first, last)
        assert first <= end <= last
        assert leader(view, end) == arm
        if end < last:
            crossings += 1
            assert leader(view, end + 1) != arm
            before = range(end - min(20, (end - first) // 50), end)
            assert all(leader(view, t) == arm for t in before)
    assert crossings > 150
