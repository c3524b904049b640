"""HU's printed and repaired formulas by hand: expected values are worked out from the paper and
from docs/proofs/HU.md, not by our code. All exact: nothing flakes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_tables import same
from scipy.stats import beta

from dpbandits.core.algorithms import run
from dpbandits.core.series import Series
from dpbandits.stochastic import PAPER, attacks, noisy_max, optimal_rate, series, theory
from dpbandits.stochastic.engine import noisy_leader
from dpbandits.stochastic.problem import AdapSetting, GrowthSetting, RnmFtnlSetting
from dpbandits.stochastic.rnm_ftnl import real_epsilon, rule_of
from dpbandits.stochastic.studies.bounds import Bounds
from dpbandits.stochastic.studies.conjecture import Conjecture, conjecture_gaps
from dpbandits.stochastic.studies.constants import instance
from dpbandits.stochastic.studies.lower_bound import LowerBound

E5 = math.exp(5)  # a horizon with ln T = 5
LN_6 = 6 * math.log(10)  # ln 10^6


# Theorem 3 ------------------------------------------------------------------------------------


def test_sufficient_epochs():
    """24 5/(0.2 0.1) = 6000 <= 2^13; 72 5/(0.2 0.1) = 18000 <= 2^15; 24 5/0.2^2 = 3000 <= 2^12."""
    assert theory.sufficient_epoch(0.2, 0.1, E5, 24) == 13
    assert theory.sufficient_epoch(0.2, 0.1, E5, 72) == 15
    assert theory.sufficient_epoch(0.2, 0.3, E5, 24) == 12


def test_lemma_19_by_hand():
    """s = 1 to t = 3: 2^3 - 1 = 7 pulls times t = 2, 3 of (log t + 2)(t^-3/2 + t^-6), and
    4 ln 4/4^2 for what comes later."""
    rounds = 3 * (1 / 16 + 1 / 64) + (math.log2(3) + 2) * (1 / 54 + 1 / 729)
    same(theory.lemma_19_term(1, 4.0), 7 * (rounds + math.log(4) / 4))


def test_theorem_3():
    """omega^(d + 1) = 2^15 - 1 at d = 13, and Lemma 19's 0.4; T = 10^12: d = 16 and 15."""
    same(theory.lazy_ucb_pulls(0.2, 0.1, E5), 32767.4)
    gaps = [0, 0.2, 0.4]
    same(theory.lazy_ucb_bound(gaps, 0.1, 1e12), 0.2 * 262143.4 + 0.4 * 131071.4)
    same(theory.lazy_ucb_bound(gaps, 0.1, E5), 0.6 * E5)  # all that can be lost


@pytest.mark.parametrize(("epsilon", "horizon"), [(0.1, 1e6), (0.0005, 1e8)])
def test_worst_case_of_theorem_3(epsilon, horizon):
    """T Delta* + 2 (4 48 ln T/min(Delta*, eps) + 0.4), K = 3."""
    critical = math.sqrt(3 * math.log(horizon) / horizon)
    assert (critical < epsilon) == (epsilon == 0.1)
    each = 192 * math.log(horizon) / min(critical, epsilon) + 0.4
    same(theory.lazy_ucb_worst_case(3, epsilon, horizon), horizon * critical + 2 * each)
    assert theory.lazy_ucb_worst_case(3, 1e-6, horizon) == horizon


# Theorem 5 ------------------------------------------------------------------------------------


def overestimated(best, y, n):
    """E of P(theta <= y)/P(theta > y) for n <= 2 observations, all laws written out."""
    below = {
        (0, 1): 1 - (1 - y) ** 2, (1, 1): y**2,
        (0, 2): 1 - (1 - y) ** 3, (1, 2): 3 * y**2 - 2 * y**3, (2, 2): y**3,
    }  # fmt: skip
    return sum(
        math.comb(n, s) * best**s * (1 - best) ** (n - s) * p / (1 - p)
        for (s, m), p in below.items()
        if m == n
    )


def test_optimism_by_hand():
    """(39) to T = 2, 3: 2 E(1) + 4 E(2); y = best - gap/6."""
    same(theory.overestimation(0.75, 0.65, 1), overestimated(0.75, 0.65, 1))
    by_hand = 2 * overestimated(0.75, 0.65, 1) + 4 * overestimated(0.75, 0.65, 2)
    for horizon in (2, 3):
        same(theory.optimism_pulls(0.75, 0.6, horizon), by_hand)
    same(theory._over_epochs(lambda n: 1 / n, 2**9), 20)  # 2 in each of ten epochs
    same(theory._over_epochs(lambda n: float(n == 1), 2**9), 2)


def test_theorem_t_by_hand(monkeypatch):
    """a = 0.25 of Delta' = 0.5, n = 400; then a = 0.01 of 0.02, n = 100, where 1 + sqrt(pi n/8) is
    the smaller one; n = 1: 1/Delta'."""
    monkeypatch.setattr(theory, "SHARES", np.array([0.5]))
    u = 1 / (1 - math.exp(-1))
    total = math.exp(-50) * 2 * u + math.exp(-25) * (1 + 10 * math.sqrt(math.pi))
    same(theory.overestimation_bound(0.5, 400), total / (401 * 0.25))
    u, other = 1 / (1 - math.exp(-0.04)), 1 + math.sqrt(12.5 * math.pi)
    assert other < u
    total = math.exp(-0.02) * (u + other) + math.exp(-0.01) * (1 + 5 * math.sqrt(math.pi))
    same(theory.overestimation_bound(0.02, 100), total / (101 * 0.01))
    assert theory.overestimation_bound(0.02, 1) == 50
    same(theory.optimism_bound(0.12, 1), 100)  # 2 times 1/Delta', Delta' = gap/6


def test_the_best_share_of_theorem_t():
    """Over a from 0.05 to 0.95 of Delta' in steps of 0.025."""
    np.testing.assert_allclose(theory.SHARES, np.arange(2, 39) / 40)
    each = []
    for share in np.arange(2, 39) / 40:
        a, u = 0.5 * share, 1 / (1 - math.exp(-2 * share))
        total = math.exp(-800 * a**2) * (u + min(u, 1 + math.sqrt(50 * math.pi)))
        total += math.exp(-400 * a**2) * (1 + 10 * math.sqrt(math.pi))
        each.append(total / (401 * (0.5 - a)))
    same(theory.overestimation_bound(0.5, 400), min(each))


def test_lemmas_22_and_23():
    """(45), (46) at t = 3 and 4, where log(t - 1) + 1 has the whole part 2."""
    confidence, laplace = theory.bad_event_pulls(2, 4)
    same(confidence, 4 * (3**-6 + 4**-6))
    same(laplace, 3**-3 + 4**-3)
    assert theory.bad_event_pulls(2, 1e9) == theory.bad_event_pulls(2, 1e5)  # nothing is left


def test_theorem_5():
    """72 5/(0.5 0.1) = 7200 <= 2^13: omega_1 = 2^15 - 1; then (39), (45), twice (46), and 1."""
    confidence, laplace = theory.bad_event_pulls(2, E5)
    rest = theory.optimism_pulls(0.75, 0.5, E5) + confidence + 2 * laplace
    same(theory.lazy_ts_pulls(0.75, 0.5, 0.1, E5, 2), 32768 + rest)
    means = [0.25, 0.75, 0.25, 0.75]
    pulls = theory.lazy_ts_pulls(0.75, 0.5, 0.1, 1e9, 4)
    same(theory.lazy_ts_bound(means, 0.1, 1e9), 2 * 0.5 * pulls)
    assert theory.lazy_ts_bound(means, 0.1, E5) == E5


@pytest.mark.parametrize("epsilon", [1e-4, 0.1])
def test_worst_case_of_theorem_5(epsilon):
    """T Delta* + 2 (4 144 ln T/min(Delta*, eps) + Delta* omega_2 + (45) + 2 (46) + 1)."""
    critical = math.sqrt(3 * math.log(1e10) / 1e10)
    confidence, laplace = theory.bad_event_pulls(3, 1e10)
    each = 576 * math.log(1e10) / min(critical, epsilon) + confidence + 2 * laplace + 1
    each += critical * theory.optimism_bound(critical, 1e10)
    same(theory.lazy_ts_worst_case(3, epsilon, 1e10), 1e10 * critical + 2 * each)
    assert theory.lazy_ts_worst_case(3, 1e-9, 1e10) == 1e10


# Full information -----------------------------------------------------------------------------


def test_theorem_9_with_gaps_below_1_over_t():
    same(theory.rnm_ftnl_bound([0, 0.1, 1e-7], 1, 1e6), 2561)
    same(theory.rnm_ftnl_bound([0, 0.1, 1e-6], 1, 1e6), 2561)  # up to 1/T
    assert theory.rnm_ftnl_bound([0, 1e-7], 1, 1e6) == 1
    assert theory.rnm_ftnl_bound([0, 0], 1, 1e6) == 0
    two = 256 * (1 + math.log(2)) / 0.1 + 256 / 0.15  # gaps 0.1, 0.1 and 0.4 in brackets 1 and 3
    same(theory.rnm_ftnl_bound([0, 0.1, 0.1, 0.4], 0.15, 1e6), two)


def test_corollary_11():
    """K = 16, T = 10^4, Delta* = sqrt(ln 16)/100: one bracket above eps = 1/2, six above 1/64 (and
    Delta* > 1/64), none above 1; T = 1 with none."""
    w = 1 + math.log(16)
    critical = math.sqrt(math.log(16)) / 100
    base = 1e4 * critical + 512 * w / critical + 1
    for epsilon, brackets in ((0.5, 1), (0.3, 2), (0.001, 6), (1.0, 0), (3.0, 0)):
        found = theory.corollary_11_bound(16, epsilon, 1e4)
        same(found, base + 256 * w * brackets / epsilon)
    critical = math.sqrt(math.log(2))
    expected = critical + 512 * (1 + math.log(2)) / critical + 1
    same(theory.corollary_11_bound(2, 0.5, 1), expected)
    rate = math.sqrt(E5 * math.log(16)) + 5 * math.log(16) / 0.3
    same(theory.corollary_11_rate(16, 0.3, E5), rate)


def test_lower_bound_and_lemma_24():
    assert theory.packing_instance(3, 0.1, 1) == [0.5, 0.6, 0.5]
    same(theory.lower_bound_rounds(8, 0.2, 0.1), 5 * math.log(8))
    same(theory.private_lower_bound(8, 0.2), 0.049 * math.log(8))
    same(theory.noise_tail_bound(3, 0.2, 0.1), 2 * math.exp(-0.02))
    same(theory.noise_tail_bound(3, 0.2, 0.5), 2 * math.exp(-0.04))


@pytest.mark.parametrize(("schedule", "first", "weight"), [
    ("prefix", 1, 4), ("phase", 2 - math.log(2), math.e),
])  # fmt: skip
def test_theorem_o(schedule, first, weight):
    """Its two cases; they do not meet at gap = eps/2, which belongs to the first."""
    k = math.log(5)
    for gap in (0.05, 0.3):
        same(optimal_rate.upper_bound(5, gap, 0.1, schedule), first + weight * 40 * k)
    small = 4 * (1 + k) / 0.04 - 40
    same(optimal_rate.upper_bound(5, 0.04, 0.1, schedule), first + weight * small)


@pytest.mark.parametrize("eta", [0.05, 0.2, 3.0])
def test_instance_bound_of_one_and_two_gaps(eta):
    """(O.2) and (O.3) for 0.1 alone, and for 0.1, 0.4, 0.4: the best of three splits."""

    def fall(x):
        return math.sinh(eta) - (math.cosh(eta) - 1) / x

    def decay(x):  # -ln of the minimum of cosh - x sinh, which is at tanh = x if that is allowed
        at = min(eta, 0.5 * math.log((1 + x) / (1 - x)))
        return -math.log(math.cosh(at) - x * math.sinh(at))

    def large(arms, x):
        return math.log(1 + arms) / fall(x) if fall(x) > 0 else math.inf

    one = min(large(1, 0.1), 0.1 / decay(0.1))
    same(optimal_rate.instance_bound([0, 0.1], 2 * eta, "prefix"), 0.1 + 4 * one)
    high = 0.3 * (1 + math.log(2)) / decay(0.4)
    three = min(
        large(3, 0.1),
        0.1 / decay(0.1) + large(2, 0.4),
        0.1 * (1 + math.log(3)) / decay(0.1) + high,
    )
    found = optimal_rate.instance_bound([0.4, 0.1, 0.4, 0], 2 * eta, "phase")
    same(found, (2 - math.log(2)) * 0.4 + math.e * three)
    assert optimal_rate.instance_bound([0, 0], 2 * eta, "phase") == 0


def test_decay_of_a_certain_lead():
    """gap 1: the minimum of cosh x - sinh x = e^-x is at the end."""
    assert optimal_rate.decay(1.0, 0.7) == pytest.approx(0.7)


def test_weights_of_the_schedules():
    """phase, m = 1: floor(e y) is 2 to 3/e, 3 to 4/e, 4 to 5/e, 5 from there to 2 (5.44/e)."""
    by_hand = 2 * math.log(3 / math.e) + 3 * math.log(4 / 3) + 4 * math.log(5 / 4)
    by_hand += 5 * (math.log(2) - math.log(5 / math.e))
    same(optimal_rate.phase_weight(1), by_hand)
    assert [optimal_rate.prefix_weight(m) for m in (1, 2, 3)] == [2, 4, 4]


@pytest.mark.parametrize("arms", [2, 9])
@pytest.mark.parametrize(("gap", "epsilon"), [(0.3, 0.4), (1.0, 2.0), (0.2, 0.15)])
def test_theorems_l_and_m_term_by_term(arms, gap, epsilon):
    """gap times the sum of (1 - c^(t - 1)/K)_+ to T, and for ever."""
    rates = [
        (optimal_rate.private_lower_bound, (arms, gap, epsilon), 1 + gap * math.expm1(epsilon),
         arms),
        (optimal_rate.sampling_lower_bound, (arms, gap), math.sqrt(1 + 4 * gap**2),
         math.sqrt(arms)),
    ]  # fmt: skip
    for bound, place, c, k in rates:
        terms = [gap * max(0.0, 1 - c**t / k) for t in range(300)]
        for horizon in (1, 2, 4, 7):
            assert bound(*place, horizon) == pytest.approx(sum(terms[:horizon]), abs=1e-12)
        assert bound(*place) == pytest.approx(sum(terms), abs=1e-12)


# Noise and instances --------------------------------------------------------------------------


def test_noise_of_each_variant():
    """D.1's scale 1/eps as printed, 2/eps else; `phase` grows by e from a random start."""
    laplace, exponential, gumbel = (
        noisy_leader.LAPLACE,
        noisy_leader.EXPONENTIAL,
        noisy_leader.GUMBEL,
    )
    assert len({laplace, exponential, gumbel}) == 3
    assert {name: tuple(rule_of(name, 0.5)) for name in RNM_VARIANTS} == {
        "printed": (laplace, 2, 2, False, False),
        "corrected": (laplace, 4, 2, False, False),
        "permute-and-flip": (exponential, 4, 2, False, False),
        "gumbel": (gumbel, 4, 2, False, False),
        "prefix": (gumbel, 4, 2, False, True),
        "phase": (exponential, 4, math.e, True, False),
    }
    kept = {name: real_epsilon(RnmFtnlSetting(means=(0, 1), variant=name), 0.5) for name in
            RNM_VARIANTS}  # fmt: skip
    assert kept == {name: 1.0 if name == "printed" else 0.5 for name in RNM_VARIANTS}


RNM_VARIANTS = ("printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase")


def test_bound_of_a_wrong_leader_by_hand():
    """Half the gap is 8 rewards of 64: e^(-0.25 0.25 8) and 4/4 e^-2; the best arm adds nothing."""
    of = noisy_leader.error_bound.py_func
    same(of(np.array([0.25, 0.0]), 4.0, 64.0), math.exp(-0.5) + math.exp(-2))
    same(of(np.array([0.25, 0.0, 0.25]), 0.0, 64.0), 2 * math.exp(-0.5))


def test_defaults_of_settings():
    """BASELINES: alpha = 3.1 (Azize and Basu); growth 1.1 is ours."""
    assert AdapSetting(means=(0, 1)).alpha == 3.1
    assert GrowthSetting(means=(0, 1)).growth == 1.1
    assert RnmFtnlSetting(means=(0, 1)).variant == "printed"
    assert list(RnmFtnlSetting(means=(0.25, 1, 0)).gaps) == [0.75, 0, 1]
    assert Bounds(settings={}, epsilon=(1,), horizon=100).points == 40


STUDY = {"series": ("ftl",), "arms": (2,), "gap": (0.1,), "epsilon": (0.1,), "seeds": 2}
CONJECTURE = {key: STUDY[key] for key in ("series", "arms", "seeds")}
LIMITS = [  # what is allowed just within, and what is refused just beyond
    (AdapSetting, {"means": (0, 1)}, "alpha", 0.01, 0),
    (GrowthSetting, {"means": (0, 1)}, "growth", 1.01, 1),
    (AdapSetting, {}, "means", (0, 1), (1,)),
    (AdapSetting, {}, "means", (0, 1), (0, 1.0001)),
    (AdapSetting, {}, "means", (0, 1), (-0.0001, 1)),
    (LowerBound, STUDY, "arms", (2, 3), (3, 1)),
    (LowerBound, STUDY, "gap", (0.01,), (0.1, 0)),
    (LowerBound, STUDY, "seeds", 2, 1),
    (LowerBound, STUDY, "series", ("ftl",), ()),
    (Conjecture, CONJECTURE | {"epsilon_over_gap": (1,)}, "beyond", 1, 0.99),
    (Bounds, {"settings": {}, "epsilon": (1,)}, "horizon", 100, 99),
    (Bounds, {"settings": {}, "epsilon": (1,), "horizon": 100}, "points", 2, 1),
]


@pytest.mark.parametrize(("kind", "others", "key", "within", "beyond"), LIMITS)
def test_limits_of_settings_and_studies(kind, others, key, within, beyond):
    assert getattr(kind(**others | {key: within}), key)
    with pytest.raises(ValueError, match=f"validation error.*\n{key}"):
        kind(**others | {key: beyond})


def test_instances_of_the_studies():
    assert conjecture_gaps("doubling", 4).tolist() == [0, 0.125, 0.25, 0.5]
    assert conjecture_gaps("equal", 4).tolist() == [0, 0.125, 0.125, 0.125]
    by_kind = {kind: instance(kind, 4, 0.25) for kind in ("equal", "sparse", "doubling")}
    assert {kind: (gaps.tolist(), best) for kind, (gaps, best) in by_kind.items()} == {
        "equal": ([0.25, 0.25, 0.25, 0], 0.75),
        "sparse": ([0.25, 0.25, 0.25, 0], 0.25),
        "doubling": ([0.75, 0.5, 0.25, 0], 0.75),
    }


def test_studies_run_the_seeds_they_are_asked_for():
    """From `first` on; an algorithm that is not private runs at eps = inf, whatever is asked."""
    means, at = (0.5, 0.7), [60]
    for name, epsilon in (("ftl", math.inf), ("rnm-ftnl", 0.4)):
        found = series.regret_of(Series.model_validate(name), means, 0.4, 60, 3, first=2)
        expected = run(name, {"means": list(means)}, epsilon, 60, range(2, 5), at).regret[:, 0]
        assert found.tolist() == expected.tolist()
    named = Series.model_validate({"id": "x", "name": "rnm-ftnl", "with": {"variant": "gumbel"}})
    asked = {"means": list(means), "variant": "gumbel"}
    expected = run("rnm-ftnl", asked, 0.4, 60, range(2), at).regret[:, 0]
    assert series.regret_of(named, means, 0.4, 60, 2).tolist() == expected.tolist()


# The attacks' exact values --------------------------------------------------------------------


@pytest.mark.parametrize("noise", ["gumbel", "exponential"])
def test_a_leader_among_copies_has_the_law_of_the_noisy_leader(noise):
    for arms, lead in itertools.product((2, 3, 6), (-2.5, -0.1, 0.0, 0.1, 3.0)):
        law = noisy_max.selection(noise, np.array([lead, *[0.0] * (arms - 1)]))
        found = attacks.wrong_leader(noise, np.array([arms]), np.array([lead]))
        assert found == pytest.approx(1 - law[0])


@pytest.mark.parametrize("schedule", ["prefix", "phase"])
def test_regret_of_copies_path_by_path(schedule):
    """K = 2, leads up by 1 with chance 0.6, down with 0.2; leaders of 1, 2 and 3 rewards."""
    point = np.array([[0.0, 0.6, 0.5, 0.4]])
    epsilon, chances = 0.05 * 200**0.4, {1: 0.6, -1: 0.2, 0: 0.2}
    total = optimal_rate.FIRST[schedule]
    for m in (1, 2, 3):
        weight = getattr(optimal_rate, f"{schedule}_weight")(m)
        for steps in itertools.product(chances, repeat=m):
            wrong = attacks.wrong_leader(
                "gumbel", np.array([2]), epsilon / 2 * np.array([sum(steps)])
            )
            total += weight * math.prod(chances[s] for s in steps) * wrong[0]
    expected = 0.4 * total / optimal_rate.upper_bound(2, 0.4, epsilon, schedule)
    assert attacks.copies_ratio("gumbel", schedule, point, rounds=4) == pytest.approx(expected)


def test_privacy_ratio_of_one_pair_by_hand():
    """Sums (3, 8) of 12 rounds and (4, 7); eps = 0.5. Logits: eta 5 and eta 3, eta = eps/2."""
    scale = math.log(10) / math.log(100)
    point = np.array([[3.5 / 13, 8.5 / 13, 0.9, 0.1, scale]])
    by_hand = math.log((1 + math.exp(1.25)) / (1 + math.exp(0.75))) / 0.5
    assert attacks.privacy_ratio("gumbel", 2, point) == pytest.approx(by_hand)
    edge = np.array([[0.0, 0.999, 0.0, 0.9, scale]])  # 0 and 12 stay in their range
    assert attacks.privacy_ratio("gumbel", 2, edge) == pytest.approx(0.0)


def test_overestimation_for_three_observations():
    law = [beta(s + 1, 4 - s) for s in range(4)]
    chances = [0.2**3, 3 * 0.8 * 0.2**2, 3 * 0.8**2 * 0.2, 0.8**3]
    by_hand = sum(p * x.cdf(0.5) / x.sf(0.5) for p, x in zip(chances, law, strict=True))
    same(theory.overestimation(0.8, 0.5, 3), by_hand)


def test_each_series_has_a_look_of_its_own():
    """Number 10 is free. The first paper of the house."""
    assert sorted(PAPER.looks.values()) == [*range(10), *range(11, 19)]
    assert (PAPER.key, PAPER.order) == ("hu", 1)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    gaps=st.lists(st.floats(1e-3, 0.5), min_size=1, max_size=6),
    epsilon=st.floats(1e-3, 1.0),
    order=st.randoms(use_true_random=False),
)
def test_bounds_whatever_the_instance(gaps, epsilon, order):
    """The same for arms in any order and with a second best arm; the printed ones fall in eps and
    grow in T, and some are twice as large with half of all gaps and of eps."""
    mixed = [*gaps, 0.0, 0.0]
    order.shuffle(mixed)
    bounds = (
        lambda x, e: theory.rnm_ftnl_bound(x, e, 1e9),
        lambda x, e: theory.lazy_ucb_bound(x, e, 1e9),
        lambda x, e: optimal_rate.instance_bound(x, e, "phase"),
        lambda x, e: optimal_rate.instance_bound(x, e, "prefix"),
    )
    for bound in bounds:
        assert bound(mixed, epsilon) == pytest.approx(bound(gaps, epsilon))
    for bound in bounds[:2]:
        assert bound(gaps, 2 * epsilon) <= bound(gaps, epsilon)
    assert theory.lazy_ucb_bound(gaps, epsilon, 1e6) <= bounds[1](gaps, epsilon)
    half = [gap / 2 for gap in gaps]
    same(bounds[0](half, epsilon / 2), 2 * bounds[0](gaps, epsilon))
    for schedule, first in optimal_rate.FIRST.items():
        whole, smaller = (
            optimal_rate.upper_bound(7, c * min(gaps), c * epsilon, schedule) - first
            for c in (1.0, 0.5)
        )
        assert smaller == pytest.approx(2 * whole)
