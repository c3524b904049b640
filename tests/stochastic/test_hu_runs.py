"""The loops of HU's engines as plain Python, with what they ask for written down: epochs end when
they must, blocks follow each other without a gap, and a clock runs on through them.

The engines run interpreted here, so that nothing has to be compiled; that they are compiled to the
same, and have the law of plain loops, is looked at in test_stochastic_engines.py.
"""

import math

import numpy as np
import pytest
import reference
from interpreted import interpreted

from dpbandits.core.streams import Streams
from dpbandits.stochastic import anytime_lazy_ucb, dp_se, ftl, lazy_dp_ts, thompson
from dpbandits.stochastic.engine import (
    adap,
    bernoulli_kl,
    beta_tails,
    guarded,
    kept_binomials,
    noisy_leader,
    phases,
)
from dpbandits.stochastic.engine import play as diaries
from dpbandits.stochastic.engine.play import Diary, World
from dpbandits.stochastic.problem import StochasticSetting

plainly = interpreted(
    *(adap, anytime_lazy_ucb, bernoulli_kl, beta_tails, diaries, dp_se, ftl, guarded, lazy_dp_ts),
    *(kept_binomials, noisy_leader, phases, thompson),
)


def tape(seed):
    return Streams(23, (seed,)).states()


def run(one, means, horizon, seed, *parameters, at=(1, 5, 40)):
    """(regret at the checkpoints, pulls) of one run."""
    means = np.array(means)
    at = np.array([t for t in at if t <= horizon])
    diary = Diary(np.zeros(len(at)), np.zeros(len(means), np.int64), np.zeros(1), np.zeros(1, int))
    one(World(means, means.max() - means, horizon, at), diary, tape(seed)[0], *parameters)
    return diary.regret, diary.pulls


LINEAR = (0.75, 0.625, 0.5, 0.375, 0.25)
TIES = (0.5, 0.5, 0.5)
PATHS = {
    "anytime-lazy-ucb": (anytime_lazy_ucb._one, lambda e: (1 / e,), lambda m, e, t, s:
        reference.lazy(0, True, m, 1 / e, t, s)),
    "adap-ucb": (adap._one, lambda e: (False, 3.1, 1 / e), lambda m, e, t, s:
        reference.adap(False, 3.1, True, m, 1 / e, t, s)),
    "adap-klucb": (adap._one, lambda e: (True, 6.0, 1 / e), lambda m, e, t, s:
        reference.adap(True, 6.0, True, m, 1 / e, t, s)),
    "dp-klucb": (phases._one, lambda e: (False, 1.3, e), lambda m, e, t, s:
        reference.phases(False, 1.3, True, m, e, t, s)),
    "dp-imed": (phases._one, lambda e: (True, 1.3, e), lambda m, e, t, s:
        reference.phases(True, 1.3, True, m, e, t, s)),
}  # fmt: skip


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize(("means", "epsilon"), [(LINEAR, 0.5), (TIES, 10.0), ((0.1, 0.9), 0.05)])
def test_paths_of_the_loops(name, means, epsilon):
    """To round 400: one tape for both."""
    one, parameters, loop = PATHS[name]
    one = one.py_func if hasattr(one, "py_func") else one
    for seed in range(3):
        played = loop(np.array(means), epsilon, 400, tape(seed))
        at = (1, 2, 17, 399, 400)
        regret, pulls = run(one, means, 400, seed, *parameters(epsilon), at=at)
        np.testing.assert_array_equal(pulls, np.bincount(played[0], minlength=len(means)))
        gaps = max(means) - np.array(means)
        np.testing.assert_allclose(regret, reference.regret_of(played, gaps, at)[0], atol=1e-12)


class Watch:
    """Writes down the calls of a module's functions, with what they return."""

    def __init__(self, monkeypatch, module, *names):
        self.seen = []
        for name in names:
            monkeypatch.setattr(module, name, self._watched(name, getattr(module, name)))

    def _watched(self, name, plain):
        def called(*given):
            kept = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
            found = plain(*given)
            self.seen.append((name, kept, found))
            return found

        return called


@pytest.mark.parametrize(("means", "epsilon", "horizon"), [
    ((0.5, 0.4, 0.4), 1.0, 1500), ((0.9, 0.2), 50.0, 2500), ((0.3, 0.35, 0.2, 0.1), math.inf, 700),
    (LINEAR, 1.0, 3),
])  # fmt: skip
def test_lazy_dp_ts_keeps_its_epochs_blocks_and_clock(means, epsilon, horizon, monkeypatch):
    noise = 1 / epsilon
    watched = ("play", "binomial", "laplace", "exponential", "_open_block", "_round")
    watch = Watch(monkeypatch, lazy_dp_ts, *watched)
    _, pulls = run(lazy_dp_ts._one, means, horizon, 1, noise, horizon, None)
    arms, t, end, ended, busy = len(means), 0, 0, True, True
    used, fresh, mean = np.ones(arms, int), np.zeros(arms, int), np.zeros(arms)
    quiet_rounds = rounds = 0
    thinned, arm = False, -1
    for name, given, found in watch.seen:
        if name == "_open_block":
            assert t == end or ended
            end, ended = min(horizon, t + max(1, t // 24)), False
            np.testing.assert_allclose(given[0], mean)
            np.testing.assert_array_equal(given[1], used)
            assert given[2:5] == [noise, t + 1, end]
            leader, _, busy, total = found
            clock = None
        elif name == "exponential":  # the block's own comes first
            clock = found if clock is None else clock
        elif name == "_round":
            assert not thinned
            assert given[4:8] == [t + 1, leader, given[6], busy]
            assert given[-1] == pytest.approx(clock, abs=1e-9)
            assert busy or clock < total * (1 + 1e-9)
            (arm, clock), thinned, rounds = found, True, rounds + 1
        elif name == "play":
            played, first, last = given[2:]
            assert first == t
            if t < arms:
                assert (played, last) == (t, t + 1)
            elif thinned:
                assert (played, last) == (arm, t + 1)
            else:  # as long as nothing can happen
                assert not busy
                assert played == leader
                most = min(end - t, 2 * used[leader] - fresh[leader])
                assert last - t == min(most, math.floor(clock / total))
                clock -= (last - t) * total
                quiet_rounds += last - t
            fresh[played] += last - t if t >= arms else 0
            t, arm, thinned = last, played, False
        elif name == "binomial":
            if t > arms or fresh.any():
                assert fresh[arm] == 2 * used[arm]
                used[arm], fresh[arm], ended = fresh[arm], 0, True
            assert given[1:] == [used[arm], means[arm]]
            drawn = found
        else:
            assert given[1] == noise
            mean[arm] = (drawn + found) / used[arm]
        assert (fresh <= 2 * used).all()
    assert t == horizon == pulls.sum()
    assert horizon < 10 or min(quiet_rounds, rounds) > 20


@pytest.mark.parametrize(("means", "horizon"), [((0.5, 0.4, 0.4), 700), ((0.9, 0.2), 3000)])
def test_thompson_keeps_its_counts_blocks_and_clock(means, horizon, monkeypatch):
    watched = ("play", "binomial", "exponential", "_open_block", "_round", "_plain_round")
    watch = Watch(monkeypatch, thompson, *watched)
    _, pulls = run(thompson._one, means, horizon, 2)
    arms, t, left, chosen, plain, quiet_rounds = len(means), 0, 0, None, 0, 0
    good, bad, count = np.zeros(arms), np.zeros(arms), np.zeros(arms, int)
    for name, given, found in watch.seen:
        if name == "_open_block":
            assert left == 0
            leader = int(np.argmax((good + 1) / (good + bad + 2)))
            left = longest = min(horizon - t, 1 + int(0.5 * math.sqrt(count[leader])))
            np.testing.assert_array_equal(given[:2], [good, bad])
            assert given[2:4] == [leader, longest]
            (level, total), clock = found, None
        elif name == "exponential":
            clock = found if clock is None else clock  # the block's own comes first
            quiet = min(longest, math.floor(clock / total)) if total < math.inf else 0
        elif name in ("_round", "_plain_round"):
            np.testing.assert_array_equal(given[1:3], [good, bad])
            assert (name == "_plain_round") == (total == math.inf)
            if name == "_round":
                assert given[3:5] == [leader, level]
                assert given[-1] == pytest.approx(clock - quiet * total)
            chosen, plain = found, plain + (name == "_plain_round")
        elif name == "play":
            played, first, last = given[2:]
            assert first == t
            if chosen is None:
                assert (played, last - t) == (leader, quiet)
                left, quiet_rounds = left - quiet, quiet_rounds + quiet
            else:
                assert (played, last) == (chosen, t + 1)
                left, chosen = 0, None
            count[played] += last - t
            arm, length, t = played, last - t, last
        else:
            assert given[1:] == [length, means[arm]]
            good[arm] += found
            bad[arm] += length - found
    assert t == horizon == pulls.sum()
    assert quiet_rounds > 30
    assert plain > 1


# Whatever the engine --------------------------------------------------------------------------

ENGINES = {
    "anytime-lazy-ucb": (anytime_lazy_ucb._simulate, 2.0),
    "lazy-dp-ts": (lazy_dp_ts._simulate, 2.0, 1000, None),
    "dp-se": (dp_se._simulate, 2.0),
    "thompson": (thompson._simulate,),
    "ftl": (ftl._simulate, math.inf, kept_binomials.room(3 * 129)),
    "ucb1": (guarded.simulate_guarded, False),
    "kl-ucb": (guarded.simulate_guarded, True),
    "adap-ucb": (adap.simulate_episodes, False, 3.1, 2.0),
    "adap-klucb": (adap.simulate_episodes, True, 3.1, 2.0),
    "dp-klucb": (phases.simulate_phases, False, 1.1, 0.5),
    "dp-imed": (phases.simulate_phases, True, 1.1, 0.5),
    "rnm-ftnl": (
        noisy_leader.simulate_epochs,
        noisy_leader.Rule(noisy_leader.GUMBEL, 4.0),
        kept_binomials.room(3 * noisy_leader.EPOCHS),
    ),
}


@pytest.mark.parametrize("name", ENGINES)
def test_a_seed_s_run_is_its_own_and_its_regret_never_falls(name):
    """Alone or among others; the regret is that of the pulls, and grows by one gap at a time."""
    engine, *parameters = ENGINES[name]
    setting = StochasticSetting(means=(0.6, 0.75, 0.5))
    at = np.arange(1, 401)
    together, alone = (
        diaries.run_all(engine.py_func, setting, 400, Streams(7, seeds), at, *parameters)
        for seeds in ((4, 5, 6), (5,))
    )
    np.testing.assert_array_equal(together.regret[1], alone.regret[0])
    np.testing.assert_array_equal(together.extras["pulls"][1], alone.extras["pulls"][0])
    assert (together.extras["pulls"].sum(axis=1) == 400).all()
    np.testing.assert_allclose(together.regret[:, -1], together.extras["pulls"] @ setting.gaps)
    steps = np.diff(together.regret, axis=1, prepend=0)
    assert np.abs(steps[..., None] - setting.gaps).min(axis=-1).max() < 1e-9
    if name not in ("dp-se", "adap-klucb"):  # whose first 400 rounds no reward decides
        assert (together.regret[0] != together.regret[2]).any()


@pytest.mark.parametrize("kl", [False, True])
def test_blocks_of_ucb1_and_kl_ucb_are_the_longest_safe_ones(kl, monkeypatch):
    """Twice as long as the last, halved until it is safe; a single round needs no promise."""
    watch = Watch(monkeypatch, guarded, "play", "_safe", "binomial")
    _, pulls = run(guarded._one, (0.3, 0.8, 0.5), 1500, 6, kl)
    t, tried, asked, total, longest = 0, 1, [], np.zeros(3, int), 0
    for name, given, found in watch.seen:
        if name == "_safe":
            assert given[:1] == [kl]
            np.testing.assert_array_equal(given[1], total)
            asked.append((*given[3:], found))
        elif name == "play":
            arm, first, last = given[2:]
            assert first == t
            expected = []
            if t >= 3:
                tried, safe = min(2 * tried, 1500 - t), False
                while tried > 1 and not safe:
                    safe = asked[len(expected)][-1]
                    expected.append((arm, t + 1, t + tried, safe))
                    tried //= 1 if safe else 2
            assert asked == expected
            assert last - t == (tried if t >= 3 else 1)
            t, asked, longest = last, [], max(longest, last - t)
        else:
            assert given[1:] == [last - first, (0.3, 0.8, 0.5)[arm]]
            total[arm] += found
    assert t == 1500 == pulls.sum()
    assert longest > 7


# Full information -----------------------------------------------------------------------------


@pytest.mark.parametrize("sure", [math.inf, 30.0])
def test_ftl_leaps_as_far_as_its_lead_is_safe(sure, monkeypatch):
    """m ahead: m + 1 rounds, one less against an arm of a lower number; ties go to the first. All
    rounds that are left if the best is surely ahead."""
    watch = Watch(monkeypatch, ftl, "play", "row_of", "draw")
    laws = kept_binomials.room(3 * (ftl.SHORT + 1))
    run(ftl._one, (0.4, 0.6, 0.5), 3000, 3, sure, laws)
    t, total, j = 0, np.zeros(3, int), 0
    for name, given, found in watch.seen:
        if name == "play":
            arm, first, last = given[2:]
            assert (first, j) == (t, 0)
            assert arm == np.argmax(total)
            lead = [total[arm] - total[i] - (i < arm) for i in range(3) if i != arm]
            length = min(3000 - t, min(lead) + 1)
            if arm == 1 and min(lead) >= sure:
                length = 3000 - t
            assert (last, length > 0) == (t + length, True)
            t, before = last, t
        elif name == "row_of":
            row = 3 * min(length, ftl.SHORT) + j
            assert (given[1], given[2], given[4], found) == (row - j, length, j, row)
        else:
            assert given[2] == row
            total[j] += found
            j = (j + 1) % 3
    assert t == 3000
    assert (before < 2000) == (sure == 30)


@pytest.mark.parametrize(("growth", "phase", "prefix"), [
    (2.0, False, False), (2.0, False, True), (math.e, True, False),
])  # fmt: skip
def test_epochs_of_the_noisy_leader(growth, phase, prefix, monkeypatch):
    """Lengths floor(start growth^r); leaders of all rewards of the epoch before, or of a prefix of
    more than half; from the sure length on of none."""
    watch = Watch(monkeypatch, noisy_leader, "play", "uniform", "noisy_leader")
    rule = noisy_leader.Rule(noisy_leader.LAPLACE, 2.0, growth, phase, prefix)
    laws = kept_binomials.room(64 * 3)
    run(noisy_leader._one, (0.2, 0.9, 0.3), 5000, 4, rule, 300.0, laws)
    drawn = (found for name, _, found in watch.seen if name == "uniform")
    leaders = [(given, found) for name, given, found in watch.seen if name == "noisy_leader"]
    size, t, arm, sure, epoch = growth ** next(drawn) if phase else 1.0, 0, 0, False, 0
    for name, given, _ in watch.seen:
        if name != "play":
            continue
        length = int(size)
        assert given[2:] == [arm, t, min(5000, t + length)]
        t += length
        if t >= 5000:
            break
        used = length - (int(next(drawn) * (length // 2)) if prefix and length > 1 else 0)
        if used < 300:
            asked, arm = leaders.pop(0)
            assert asked[3:] == [3 * epoch, used, noisy_leader.LAPLACE, 2.0]
        else:
            sure, arm = True, 1
        size, epoch = size * growth, epoch + 1
    assert sure
    assert not leaders


def test_the_noisy_leader_adds_each_noise_to_its_sum(monkeypatch):
    """Sums 3, 5, 5 of length 7; noises as given: 2 ahead, Gumbel noise is -ln of exponentials."""
    sums, noises = iter([3, 5, 5] * 3), iter([2.5, 0.0, 0.0, 0.2, 0.0, 0.0, 0.4, 1.0, 1.0])
    monkeypatch.setattr(noisy_leader, "draw", lambda stream, laws, row: next(sums))
    monkeypatch.setattr(noisy_leader, "laplace", lambda stream, scale: next(noises) * (scale == 2))
    monkeypatch.setattr(noisy_leader, "exponential", lambda stream: next(noises))
    means = np.array([0.5, 0.5, 0.5])
    found = [
        noisy_leader.noisy_leader(None, means, kept_binomials.room(3), 0, 7, kind, 2.0)
        for kind in (noisy_leader.LAPLACE, noisy_leader.EXPONENTIAL, noisy_leader.GUMBEL)
    ]
    # 5.5 against 5; 3.4 against 5, the first of equals; 3 - 2 ln 0.4 = 4.83 against 5
    assert found == [0, 1, 1]


# Decisions by hand ----------------------------------------------------------------------------


def test_adap_s_indices_by_hand():
    """t = 8, alpha = 3, 1/eps = 2: means 0.5 and 0.4 of 16 and 4 samples."""
    bonus = [
        math.sqrt(1.5 * math.log(16) / n) + 6 * math.log(8) / n for n in (16, 4)
    ]  # 1.29 and 4.14
    size = np.array([16, 4])
    apart = bonus[1] - bonus[0]
    for mean, leader in ((0.4 + apart - 1e-9, 1), (0.4 + apart + 1e-9, 0)):
        assert adap._leader(np.array([mean, 0.4]), size, 3.0, 8, 2.0) == leader
    assert adap._leader(np.array([0.4, 0.4]), np.array([4, 4]), 3.0, 8, 2.0) == 0
    centres, levels = np.empty(2), np.empty(2)
    adap._kl_leader(np.array([0.1, -9.0]), size, 2.0, 0.5, centres, levels)
    assert centres.tolist() == [0.1 + 1 / 16, 0.0]
    assert levels.tolist() == [2 / 16, 2 / 4]
    adap._kl_leader(np.array([2.0, 0.1]), size, 2.0, 0.5, centres, levels)
    assert centres[0] == 1


def test_phases_by_hand():
    """1.5^m: 1, 1.5, 2.25, 3.375, 5.06: B = 1, 1, 1, 1, 2; growth 3: 2, 6, 18; a cap."""
    assert [phases.batch(m, 1.5) for m in range(1, 5)] == [1, 1, 1, 2]
    assert [phases.batch(m, 3.0) for m in (1, 2, 3)] == [2, 6, 18]
    assert phases.batch(200, 3.0) == 4e18
    # IMED: n d + ln n: the best mean's own index is ln n; 30 d(0.1, 0.5) > ln 8
    assert phases._imed_leader(np.array([0.5, 0.1]), np.array([8, 30]), 1.0) == 0
    assert phases._imed_leader(np.array([0.5, 0.1]), np.array([800, 2]), 1.0) == 1
    assert phases._imed_leader(np.array([0.5, 0.5]), np.array([8, 8]), 1.0) == 0
    assert phases._kl_leader(np.array([0.5, 0.5]), np.array([8, 4]), 2.0, 1.0) == 1
    assert phases._kl_leader(np.array([0.5, 0.5]), np.array([8, 8]), 2.0, 1.0) == 0


def test_private_divergence_without_privacy():
    """eps = inf: kl itself; kl(0.25, 0.5) = ln 2 - H(0.25)."""
    entropy = -0.25 * math.log(0.25) - 0.75 * math.log(0.75)
    assert phases.divergence(0.25, 0.5, math.inf) == pytest.approx(math.log(2) - entropy)
    assert phases.divergence(0.25, 1.0, math.inf) == math.inf
    assert phases.divergence(0.25, 0.25, 1.0) == 0
    assert phases.divergence(0.0, 1.0, 0.7) == pytest.approx(0.7)  # eps (y - x) at the most
    assert phases.upper_bound_private(1.0, 0.1, 0.5) == math.inf
    assert phases.upper_bound_private(0.3, 0.2, math.inf) == bernoulli_kl.upper_bound(0.3, 0.2)
    assert phases.upper_bound_private(0.5, 0.3, 0.5) == math.inf  # 0.3 + 0.5 0.5 > 0.5


def test_kl_bounds_at_their_ends():
    """p = 0: -ln(1 - q) = level; p = 1/2: kl = -ln(4 q (1 - q))/2."""
    logit = lambda q: math.log(q / (1 - q))  # noqa: E731
    assert bernoulli_kl.upper_bound(0.0, math.log(4)) == pytest.approx(logit(0.75))
    assert bernoulli_kl.upper_bound(0.0, 800.0) == 800.0
    assert bernoulli_kl.upper_bound(0.5, 0.0) == 0.0  # Newton's method begins at the answer
    level = -math.log(4 * 0.9 * 0.1) / 2
    assert bernoulli_kl.upper_bound(0.5, level) == pytest.approx(logit(0.9))
    assert bernoulli_kl.kl_at(0.5, logit(0.9)) == pytest.approx(level)
    assert bernoulli_kl.entropy(0.0) == bernoulli_kl.entropy(1.0) == 0
    assert bernoulli_kl.entropy(0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl.exceeds(1.0, 0.1, 5.0)
    assert not bernoulli_kl.exceeds(1.0, 0.1, math.inf)
    assert not bernoulli_kl.exceeds(0.5, 9.0, math.inf)
    assert bernoulli_kl.exceeds(0.6, 1e-9, 0.0)  # its centre is above
    for share, beyond in ((1 - 1e-9, False), (1 + 1e-9, True)):
        assert bernoulli_kl.exceeds(0.5, level * share, logit(0.9)) == beyond
