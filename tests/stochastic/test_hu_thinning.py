"""Thinning in Lazy-DP-TS and Thompson sampling, the safe blocks of UCB1 and KL-UCB, and DP-SE's
epochs: what a law of whole runs hardly feels, looked at by itself.

The engines run as plain Python here (`interpreted`): no machine code has to be made for them.
"""

import math

import numpy as np
import pytest
import reference
from interpreted import interpreted
from scipy import stats

from dpbandits.core.noise import exponential
from dpbandits.core.streams import Streams
from dpbandits.stochastic import dp_se, lazy_dp_ts, thompson
from dpbandits.stochastic.engine import beta_tails, guarded
from dpbandits.stochastic.engine.beta_tails import ALWAYS, DECAY, HEIGHT, RATE
from dpbandits.stochastic.engine.play import Diary, World

plainly = interpreted(beta_tails, guarded, lazy_dp_ts, thompson, dp_se)


def stream(seed):
    return Streams(22, (seed,)).states()[0]


def chances(shapes):
    """P(arm j's draw is the largest), the draws being Beta(k + 1, n + 1): by quadrature."""
    x = (np.arange(20_000) + 0.5) / 20_000
    laws = [stats.beta(k + 1, n + 1) for k, n in shapes]
    below = np.array([law.cdf(x) for law in laws])
    each = [
        (law.pdf(x) * np.delete(below, j, axis=0).prod(axis=0)).mean() for j, law in enumerate(laws)
    ]
    return np.array(each) / sum(each)


def assert_drawn_from(law, wins):
    """Within 5 standard errors; 1 in a million per arm if the seeds were drawn anew."""
    runs = wins.sum()
    error = np.sqrt(runs * law * (1 - law)) + 1
    assert (np.abs(wins - runs * law) < 5 * error).all(), (wins, runs * law)


# Lazy-DP-TS -----------------------------------------------------------------------------------


def shapes_at(t, mean, used, noise):
    centre = np.clip(mean + 3 * math.log(t) * noise / used, 0, 1)
    return [(c * o, (1 - c) * o) for c, o in zip(centre, used, strict=True)]


STATES = [  # private means, observations, the leader; at rounds 200 to 230 and eps = 20
    ([0.78, 0.51, 0.69, 0.46], [128, 64, 128, 4], 0, False),
    ([0.41, 0.72, 0.5, 0.4], [16, 128, 16, 4], 1, False),
    ([0.14, 0.15, 0.67, 0.32], [4, 32, 128, 4], 2, False),
    ([0.31, 0.32, 0.56, 0.68], [128, 4, 64, 128], 3, False),
    ([0.63, 0.58, 0.74], [64, 32, 128], 2, True),
    ([0.69, 0.15, 0.34, 0.4], [256, 256, 8, 4], 0, True),
    ([0.69, 0.3, 0.46, 0.73], [16, 4, 256, 64], 3, True),
]


@pytest.mark.parametrize(("mean", "used", "first", "is_busy"), STATES)
def test_lazy_dp_ts_thinned_rounds_have_the_law_of_plain_ones(mean, used, first, is_busy):
    """5,000 rounds at either end of the block; a quiet round is the leader's."""
    mean, used, noise = np.array(mean), np.array(used), 1 / 20
    curves = np.empty((len(mean), 4))
    leader, level, busy, total = lazy_dp_ts._open_block(mean, used, noise, 200, 230, curves)
    assert (leader, busy) == (first, is_busy)
    for t in (200, 230):
        wins, tape = np.zeros(len(mean)), stream(t)
        clock = exponential(tape)
        for _ in range(5000):
            if not busy and clock >= total:
                arm, clock = leader, clock - total
            else:
                arm, clock = lazy_dp_ts._round(
                    tape, mean, used, noise, t, leader, level, busy, curves, total, clock
                )
            wins[arm] += 1
        assert_drawn_from(chances(shapes_at(t, mean, used, noise)), wins)


def assert_covered(curve, start, shapes):
    """ln of the densities beyond `start` is below the curve, whose mass makes the rate."""
    mass = math.exp(curve[HEIGHT]) / curve[DECAY] * -math.expm1(-curve[DECAY] * (1 - start))
    assert curve[RATE] == pytest.approx(-math.log1p(-mass))
    x = start + (1 - start) * np.linspace(0, 0.999, 40) ** 2
    for k, n in shapes:
        height = stats.beta(k + 1, n + 1).logpdf(x)
        assert (height <= curve[HEIGHT] - curve[DECAY] * (x - start) + 1e-7).all(), (k, n, start)


def test_lazy_dp_ts_curves_cover_every_round_of_a_block():
    """Blocks of rounds 200 to 800, longer than any that is played, so that late rounds differ."""
    rng, thinned, mirrored, busies = np.random.default_rng(1), 0, 0, 0
    for _ in range(80):
        used = 2 ** rng.integers(2, 9, 3)
        mean, noise = rng.uniform(-0.1, 0.9, 3), 1 / rng.choice([5, 20, 100])
        curves = np.empty((3, 4))
        leader, level, busy, total = lazy_dp_ts._open_block(mean, used, noise, 200, 800, curves)
        finite = curves[:, RATE] < ALWAYS
        assert total == pytest.approx(curves[finite, RATE].sum())
        busies += busy
        assert not (busy and finite[leader])
        for j in np.flatnonzero(finite):
            laws = [shapes_at(t, mean, used, noise)[j] for t in (200, 400, 800)]
            if j == leader:
                assert_covered(curves[j], 1 - level, [(n, k) for k, n in laws])
                mirrored += 1
            else:
                assert_covered(curves[j], level, laws)
                thinned += 1
    assert min(thinned, mirrored, busies) > 8


def test_lazy_dp_ts_level_lies_between_the_leader_and_the_others():
    """By hand: eps without end, means 0.6, 0.5, 0.2 of 60, 16, 96 pulls each. Spreads are
    sqrt((c (1 - c) + 1/(O + 2))/(O + 3)); even odds for the second arm, 0.75 spreads lower."""
    spread = lambda c, o: math.sqrt((c * (1 - c) + 1 / (o + 2)) / (o + 3))  # noqa: E731
    a, b = spread(0.6, 60), spread(0.5, 16)
    even = (0.6 * b + 0.5 * a) / (a + b)
    curves, mean, used = np.empty((3, 4)), np.array([0.5, 0.6, 0.2]), np.array([16, 60, 96])
    leader, level, busy, _ = lazy_dp_ts._open_block(mean, used, 0.0, 200, 208, curves)
    assert leader == 1
    expected = 0.6 - 2 * a if busy else even - 0.75 * a
    assert level == pytest.approx(expected)
    mean = np.array([0.2, 0.8, 0.1])
    leader, level, busy, total = lazy_dp_ts._open_block(mean, used, 0.0, 200, 208, curves)
    assert (leader, busy) == (1, False)
    a, b, c = spread(0.8, 60), spread(0.2, 16), spread(0.1, 96)
    even = max((0.8 * b + 0.2 * a) / (a + b), (0.8 * c + 0.1 * a) / (a + c))
    assert level == pytest.approx(even - 0.75 * a)
    assert total < 0.1


# Thompson sampling ----------------------------------------------------------------------------

POSTERIORS = [  # successes, failures, the leader
    ([42.0, 45.0, 87.0], [36.0, 38.0, 42.0], 2),
    ([26.0, 71.0, 55.0], [32.0, 48.0, 61.0], 1),
    ([25.0, 40.0, 62.0, 66.0], [12.0, 78.0, 68.0, 76.0], 0),
]


@pytest.mark.parametrize(("good", "bad", "leader"), POSTERIORS)
def test_thompson_s_thinned_rounds_have_the_law_of_plain_ones(good, bad, leader):
    """5,000 rounds each at the start of a block of 4, and after three failures or successes."""
    good, bad = np.array(good), np.array(bad)
    curves = np.empty((len(good), 4))
    level, total = thompson._open_block(good, bad, leader, 4, curves)
    assert 0.1 < total < 0.7
    for wins_before, losses_before in ((0, 0), (0, 3), (3, 0)):
        now, lost = good.copy(), bad.copy()
        now[leader] += wins_before
        lost[leader] += losses_before
        wins, tape = np.zeros(len(good)), stream(losses_before)
        for _ in range(5000):
            clock = exponential(tape)
            if clock >= total:
                wins[leader] += 1
            else:
                wins[thompson._round(tape, now, lost, leader, level, curves, clock)] += 1
        assert_drawn_from(chances(list(zip(now, lost, strict=True))), wins)


def test_thompson_s_curves_cover_every_round_of_a_block():
    """Whatever the leader's rewards are in it; and the level, by hand."""
    rng, finite = np.random.default_rng(2), 0
    for _ in range(80):
        good, bad = rng.integers(0, 60, 3) + 0.0, rng.integers(0, 60, 3) + 0.0
        leader, length = int(np.argmax((good + 1) / (good + bad + 2))), 6
        curves = np.empty((3, 4))
        level, total = thompson._open_block(good, bad, leader, length, curves)
        if total == math.inf:
            continue
        finite += 1
        assert total == pytest.approx(curves[:, RATE].sum())
        assert total < 0.7
        worst = stats.beta(good[leader] + 1, bad[leader] + length + 1)
        others = [stats.beta(good[j] + 1, bad[j] + 1) for j in range(3) if j != leader]
        even = (
            (worst.mean() * o.std() + o.mean() * worst.std()) / (o.std() + worst.std())
            for o in others
        )
        assert level == pytest.approx(max(even))
        assert level < worst.mean()
        for j in range(3):
            if j != leader:
                assert_covered(curves[j], level, [(good[j], bad[j])])
        laws = [
            (bad[leader] + b, good[leader] + a) for a in range(length) for b in range(length - a)
        ]
        assert_covered(curves[leader], 1 - level, laws)
    assert finite > 15


def reachable(p, lost, rounds):
    """(successes, failures) of a long block: the fewest successes at several rounds, and usual."""
    for i in (lost // 2, lost, 2 * lost, rounds // 3, rounds):
        fewest = max(0, math.ceil(p * i - p * lost))
        for wins in {fewest, (fewest + i) // 2, min(i, round(p * i)), i}:
            yield wins, i - wins


def test_thompson_s_long_blocks_are_covered_whatever_their_rewards_are():
    """But for rewards that fall short of their mean by p `lost`, more than Hoeffding's share."""
    rng, long = np.random.default_rng(5), 0
    for _ in range(300):
        pulls, p = 10 ** rng.uniform(4, 7), rng.uniform(0.05, 0.95)
        k = np.floor(pulls * np.clip(p + rng.normal() * math.sqrt(p * (1 - p) / pulls), 0.01, 0.99))
        others = rng.uniform(0, p), 10 ** rng.uniform(1, 4)
        good, bad = np.array([k, others[0] * others[1]]), np.array([pulls - k, others[1]])
        lost, curves = 1 + int(0.5 * math.sqrt(pulls)), np.empty((2, 4))
        level, total = thompson._open_block(good, bad, 0, lost, curves)
        if total == math.inf or not thompson._wanes(good[0], bad[0] + lost, p, level):
            continue
        rounds = int((lost * p / thompson.SHORTFALL) ** 2)
        assert math.exp(-2 * (p * lost) ** 2 / max(rounds, 1)) <= 2.0**-63.99
        long += rounds > 2 * lost
        x = level * np.array([1, 0.9999, 0.999, 0.99, 0.9, 0.5])
        worst = stats.beta(good[0] + 1, bad[0] + lost + 1).logpdf(x)
        for wins, losses in reachable(p, lost, max(rounds, lost)):
            law = stats.beta(good[0] + wins + 1, bad[0] + losses + 1)
            assert (law.logpdf(x) <= worst + 1e-6 + 1e-12 * np.abs(worst)).all()
    assert long > 50


def test_which_long_blocks_wane():
    """By hand: mean 3/4, a level of 0.74 or just below it; a level above the truth; few pulls."""
    assert thompson._wanes(7.5e5, 2.5e5, 0.75, 0.745)
    assert not thompson._wanes(7.5e5, 2.5e5, 0.745, 0.745)
    assert not thompson._wanes(7.5e5, 2.5e5, 0.75, 0.7500001)
    # kl(0.74, level) must be above kl(0.74, 0.75) = 2.65e-4: levels below 0.7299
    assert not thompson._wanes(7.5e5, 2.5e5, 0.74, 0.7305)
    assert thompson._wanes(7.5e5, 2.5e5, 0.74, 0.7295)


def test_rounds_late_in_a_long_block_of_thompson_have_the_law_of_plain_ones():
    """5,000 rounds each after as few rewards as may be, and after the usual ones."""
    good, bad, p = np.array([225_000.0, 55.0]), np.array([75_000.0, 29.0]), 0.75
    lost, curves = 1 + int(0.5 * math.sqrt(300_000)), np.empty((2, 4))
    level, total = thompson._open_block(good, bad, 0, lost, curves)
    assert thompson._wanes(good[0], bad[0] + lost, p, level)
    assert 0.02 < total < 0.7
    for wins, losses in ((0, lost), (1220, 680), (1425, 475)):
        now, gone = good.copy(), bad.copy()
        now[0], gone[0] = now[0] + wins, gone[0] + losses
        won, tape = np.zeros(2), stream(wins)
        for _ in range(5000):
            clock = exponential(tape)
            arm = 0
            if clock < total:
                arm = thompson._round(tape, now, gone, 0, level, curves, clock)
            won[arm] += 1
        assert_drawn_from(chances(list(zip(now, gone, strict=True))), won)


def test_thompson_s_long_blocks_leave_the_law_of_a_run(monkeypatch):
    """Means 0.9 and 0.8 to round 20,000, 60 runs each, with long blocks from the start and with
    none: within 5 standard errors (if seeds were drawn anew, one in 10^5 would fail)."""
    means, at, found, longest = np.array([0.9, 0.8]), np.array([2000, 20_000]), [], []
    plain = thompson.play

    def watched(world, diary, arm, t, last):
        longest[-1] = max(longest[-1], last - t)
        plain(world, diary, arm, t, last)

    monkeypatch.setattr(thompson, "play", watched)
    for many in (0, 10**9):
        monkeypatch.setattr(thompson, "MANY", many)
        longest.append(0)
        for tape in Streams(many + 3, range(60)).states():
            diary = Diary(np.zeros(2), np.zeros(2, np.int64), np.zeros(1), np.zeros(1, np.int64))
            thompson._one(World(means, 0.9 - means, 20_000, at), diary, tape)
            found.append([*diary.regret, diary.pulls[1]])
    one, other = np.array(found[:60]), np.array(found[60:])
    error = np.sqrt(one.var(0, ddof=1) / len(one) + other.var(0, ddof=1) / len(other))
    assert (np.abs(one.mean(0) - other.mean(0)) < 5 * error).all()
    assert longest[0] > 150 > 71 >= longest[1]


# UCB1 and KL-UCB ------------------------------------------------------------------------------


@pytest.mark.parametrize("kl", [False, True])
def test_a_block_is_safe_if_and_only_if_the_leader_survives_its_worst_case(kl):
    """All its rewards 0 against the others' indices in the last round: 150 random states."""
    rng, safe = np.random.default_rng(3), 0

    def index(total, pulls, t):
        level, mean = math.log(t) / pulls, total / pulls
        if kl:
            return reference.kl_logit_bound(mean, level)
        return mean + math.sqrt(2 * level)

    for _ in range(150):
        pulls = rng.integers(1, 400, 3)
        total = rng.binomial(pulls, rng.uniform(0, 1, 3))
        first = int(pulls.sum()) + 1
        arm = int(np.argmax([index(s, n, first) for s, n in zip(total, pulls, strict=True)]))
        last = first + int(rng.integers(1, 200))
        worst = index(total[arm], pulls[arm] + last - first, first)
        others = [index(total[j], pulls[j], last) for j in range(3) if j != arm]
        found = guarded._safe(kl, total, pulls, arm, first, last)
        assert found == (max(others) < worst)
        safe += found
    assert 20 < safe < 130


def test_indices_of_ucb1_by_hand():
    """Round 9: 2/4 + sqrt(ln 9/2) = 1.548, 1/1 + sqrt(2 ln 9) = 3.096; equal arms: the first."""
    assert guarded._leader(np.array([2, 1]), np.array([4, 1]), 9) == 1
    assert guarded._leader(np.array([1, 1]), np.array([2, 2]), 9) == 0
    # round 20: 12/20 + sqrt(2 ln 20/20) = 1.1473 against 8/16 + sqrt(2 ln 20/16) = 1.1119
    assert guarded._leader(np.array([12, 8]), np.array([20, 16]), 20) == 0
    # 0.9 + sqrt(2 ln 50/40) = 1.342 against 0.3 + sqrt(2 ln 50/7) = 1.357
    assert guarded._leader(np.array([36, 2.1]), np.array([40, 7]), 50) == 1


# DP-SE ----------------------------------------------------------------------------------------


def test_length_of_dp_se_s_epochs():
    """R = max(32 ln(8 |S| e^2/beta)/Delta^2, 8 ln(4 |S| e^2/beta)/(Delta eps)) + 1, Delta = 2^-e:
    e = 2, |S| = 3, beta = 1/100."""
    sampling, privacy = 512 * math.log(9600), 32 * math.log(4800)
    assert dp_se.epoch_length(3, 2, 0.01, 1.0) == pytest.approx(sampling + 1)
    assert dp_se.epoch_length(3, 2, 0.01, 100.0) == pytest.approx(100 * privacy + 1)


@pytest.mark.parametrize(("means", "epsilon", "horizon"), [
    ((0.1, 0.9, 0.4, 0.85), 1.0, 150_000),
    ((0.5, 0.5, 0.05), 0.02, 200_000),
    ((0.2, 0.6), math.inf, 20_000),
])  # fmt: skip
def test_dp_se_takes_the_path_of_its_loop(means, epsilon, horizon):
    """To its third epoch and to a single survivor; checkpoints inside epochs; one tape."""
    means, runs = np.array(means), 2
    gaps, at = means.max() - means, np.array([1, 7, 3001, horizon // 3, horizon - 1, horizon])
    played = reference.dp_se(True, means, 1 / epsilon, horizon, Streams(5, range(runs)).states())
    for run, tape in enumerate(Streams(5, range(runs)).states()):
        diary = Diary(np.zeros(len(at)), np.zeros(len(means), np.int64), np.zeros(1),
                      np.zeros(1, np.int64))  # fmt: skip
        dp_se._one(World(means, gaps, horizon, at), diary, tape, 1 / epsilon)
        np.testing.assert_array_equal(diary.pulls, np.bincount(played[run], minlength=len(means)))
        expected = reference.regret_of(played[[run]], gaps, at)[0]
        np.testing.assert_allclose(diary.regret, expected, rtol=1e-9)
    left = [len(np.unique(row[-100:])) for row in played]
    assert left == [1 if epsilon >= 1 else 2] * runs


def test_dp_se_s_epochs_may_be_longer_than_integers():
    """eps = 1e-30: the first epoch never ends, its arms are played in turn; nothing wraps."""
    means, at = np.array([0.3, 0.6, 0.5]), np.array([1, 5, 10**12])
    diary = Diary(np.zeros(3), np.zeros(3, np.int64), np.zeros(1), np.zeros(1, np.int64))
    dp_se._one(World(means, 0.6 - means, 10**12, at), diary, stream(0), 1e30)
    assert diary.pulls.tolist() == [333333333334, 333333333333, 333333333333]
    np.testing.assert_allclose(diary.regret[:2], [0.3, 0.7])


def test_who_survives_an_epoch_of_dp_se():
    """Arms 0, 2 and 3 alive, R = 100, e = 2, T = 1000, 1/eps = 3: within 2 h + 2 c of the best,
    h = sqrt(ln(8 3 4 1000)/200) and c = 3 ln(4 3 4 1000)/100."""
    reach = 2 * math.sqrt(math.log(96_000) / 200) + 0.06 * math.log(48_000)
    for share, left in ((1 - 1e-9, [0, 2, 3]), (1 + 1e-9, [0, 3])):
        estimate = np.array([0.9, 99.0, 0.9 - share * reach, 0.8])
        found = dp_se._survivors(np.array([0, 2, 3]), estimate, 100.0, 2, 1000, 3.0)
        assert found.tolist() == left
