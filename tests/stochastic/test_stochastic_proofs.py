"""The steps of docs/proofs/HU.md on many instances, its theorems attacked; sections as on the page.

All seeds are fixed and all values exact (closed forms, polynomials, convolutions): nothing flakes.
"""

import itertools
import math

import numpy as np
import pytest

from dpbandits.audit.rnm import selection_probabilities
from dpbandits.core.attack import climb
from dpbandits.stochastic import optimal_rate, theory
from dpbandits.stochastic.attacks import copies_ratio, privacy_ratio
from dpbandits.stochastic.engine.kept_binomials import room
from dpbandits.stochastic.engine.noisy_leader import noisy_leader
from dpbandits.stochastic.noisy_max import _nodes, _weights, selection

NOISES = ("gumbel", "exponential")

TAILS = {
    "laplace": lambda x: np.where(x > 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2),
    "exponential": lambda x: np.minimum(1, np.exp(-x)),
    "gumbel": lambda x: -np.expm1(-np.exp(-x)),
}


def worst_loss(noise: str, arms: int, rounds: int, epsilon: float) -> float:
    """The privacy loss over all sums in 0..rounds that one vector may change: scale 2/epsilon.

    Worst is an arm at 0 that rises by 1 while all others fall from `rounds`: the argument of
    dpbandits.audit.rnm holds for any log-concave noise, and a test looks at all pairs.
    """
    before = np.array([0.0] + [rounds] * (arms - 1))
    after = np.array([1.0] + [rounds - 1] * (arms - 1))
    laws = selection(noise, epsilon / 2 * np.array([before, after]))
    return float(np.log(laws[1, 0] / laws[0, 0]))


def potential(noise: str, scores: np.ndarray) -> np.ndarray:
    """E max(scores + noise), but for the mean of Gumbel noise (Euler's constant)."""
    weight, highest = _weights(scores), scores.max(-1)
    if noise == "gumbel":
        return highest + np.log(weight.sum(-1))
    u, mass = _nodes(weight.shape[-1])
    beaten = 1 - (1 - weight[..., None, :] * u[:, None]).prod(-1)
    return highest + (beaten / u) @ mass


# 1. Report-noisy-max --------------------------------------------------------------------------


def test_potential_and_worst_loss_by_hand():
    """Gumbel: ln(e^1 + e^3); K = 2, sums (0, 4) to (1, 3) at eps = 0.6: logits -1.2 and -0.6."""
    scores = np.array([1.0, 3.0])
    assert potential("gumbel", scores) == pytest.approx(math.log(math.e + math.exp(3)))
    by_hand = math.log((1 + math.exp(1.2)) / (1 + math.exp(0.6)))
    assert worst_loss("gumbel", 2, 4, 0.6) == pytest.approx(by_hand)
    # exponential noise: the lower one wins if its noise is ahead by 2, half of e^-2
    assert selection("exponential", scores)[0] == pytest.approx(math.exp(-2) / 2)
    # E max = 3 + 1 + E (Z - 2 - Z')_+ = 4 + e^-2/2
    assert potential("exponential", scores) == pytest.approx(4 + math.exp(-2) / 2)


@pytest.mark.parametrize("noise", NOISES)
def test_laws_of_the_noisy_leader_against_drawn_noise(noise):
    """Within 5 standard errors of 200,000 draws, and the potential's slope is the probability."""
    rng, scores = np.random.default_rng(0), np.array([0.0, -0.4, -2.0, 0.0])
    draw = rng.gumbel if noise == "gumbel" else rng.exponential
    noisy = scores + draw(size=(200_000, 4))
    expected = selection(noise, scores)
    seen = np.bincount(noisy.argmax(1), minlength=4) / 200_000
    assert (np.abs(seen - expected) < 5 * np.sqrt(expected / 200_000)).all()
    highest = noisy.max(1) - (np.euler_gamma if noise == "gumbel" else 0)
    error = highest.std() / math.sqrt(200_000)
    assert abs(highest.mean() - potential(noise, scores)) < 5 * error
    h = 1e-5 * np.array([0, 1, 0, 0])
    slope = (potential(noise, scores + h) - potential(noise, scores - h)) / 2e-5
    assert slope == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.parametrize("noise", TAILS)
def test_lemma_1_hazard_at_most_one(noise):
    x, s = np.meshgrid(np.linspace(-20, 20, 801), np.linspace(0, 10, 101))
    assert (TAILS[noise](x + s) >= np.exp(-s) * TAILS[noise](x) * (1 - 1e-12)).all()


@pytest.mark.parametrize("noise", NOISES)
def test_lemma_2_a_fall_by_a_and_rises_by_b_cost_a_plus_b(noise):
    rng = np.random.default_rng(2)
    before = rng.normal(0, 3, (20000, 5))
    a, b = rng.uniform(0, 2, (2, 20000))
    after = before + rng.uniform(-2, 1, before.shape) * b[:, None]
    after = np.minimum(after, before + b[:, None])
    after[:, 0] = before[:, 0] - a
    fall = selection(noise, before)[:, 0] / selection(noise, after)[:, 0]
    assert (np.log(fall) <= a + b + 1e-9).all()
    assert (np.log(fall) / (a + b)).max() > 0.9  # the lemma is not idle


@pytest.mark.parametrize(("noise", "arms"), [(n, k) for n in NOISES for k in (2, 3, 5, 8)])
def test_theorem_p_withstands_the_search(noise, arms):
    """60,000 pairs of neighbours per case, half a million in all; brought within 1e-6 of eps."""
    rng = np.random.default_rng(arms)
    worst, _, spent = climb(
        lambda p: privacy_ratio(noise, arms, p), 2 * arms + 1, rng, draws=20000, steps=20
    )
    assert spent == 60000
    assert 1 - 1e-6 < worst <= 1 + 1e-12


def test_permute_and_flip_attains_theorem_p_and_the_printed_scale_doubles_it():
    for epsilon in (0.1, 1.0):
        one, two = (
            selection("exponential", epsilon / 2 * np.array(sums))[0]
            for sums in ([5.0, 9.0], [6.0, 8.0])
        )
        assert math.log(two / one) == pytest.approx(epsilon, rel=1e-12)
        one, two = (selection_probabilities(s, 1 / epsilon)[0] for s in ([0, 640], [1, 639]))
        assert 1.9 * epsilon < float((two / one).log()) <= 2 * epsilon


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("arms", "rounds"), [(2, 6), (3, 4), (4, 2)])
def test_the_worst_neighbours_over_all_tables_of_sums(noise, arms, rounds):
    """Every pair of neighbours: at most eps, and the worst is that of `worst_loss`."""
    epsilon, sums = 0.7, np.array(list(itertools.product(range(rounds + 1), repeat=arms)))
    largest = 0.0
    law = selection(noise, epsilon / 2 * sums)
    for move in itertools.product((-1, 0, 1), repeat=arms):
        other = sums + np.array(move)
        fits = ((other >= 0) & (other <= rounds)).all(1)
        ratio = selection(noise, epsilon / 2 * other[fits]) / law[fits]
        largest = max(largest, np.log(ratio).max())
    assert largest <= epsilon * (1 + 1e-12)
    assert largest == pytest.approx(worst_loss(noise, arms, rounds, epsilon), rel=1e-9)


@pytest.mark.parametrize("noise", ["laplace", *NOISES])
def test_what_is_executed_has_the_audited_law(noise):
    """The engine's own leader on sums (6, 6, 0): 40,000 decisions, within 5 standard errors."""
    from dpbandits.core.algorithms import get_algorithm
    from dpbandits.core.streams import streams_for
    from dpbandits.stochastic.rnm_ftnl import rule_of

    variant = {"laplace": "corrected", "exponential": "permute-and-flip", "gumbel": "gumbel"}[noise]
    rule, means = rule_of(variant, 0.5), np.array([1.0, 1.0, 0.0])
    setting = get_algorithm("rnm-ftnl").setting(means=tuple(means))
    stream = streams_for("rnm-ftnl", setting, 0.5, 10, range(1)).states()[0]
    drawn = (6, rule.noise, rule.scale)
    laws = room(3)
    made = [noisy_leader(stream, means, laws, 0, *drawn) for _ in range(40_000)]
    seen = np.bincount(made, minlength=3) / len(made)
    if noise == "laplace":
        law = np.array([float(p) for p in selection_probabilities([6, 6, 0], 4.0)])
    else:
        law = selection(noise, 0.25 * np.array([6.0, 6.0, 0.0]))
    assert (np.abs(seen - law) < 5 * np.sqrt(law * (1 - law) / len(made))).all()


# 2. The optimal rate --------------------------------------------------------------------------


def joint_laws(rng, cases, arms):
    """Random laws of one reward vector: all 2^arms vectors with Dirichlet weights, many sparse."""
    vectors = (np.arange(2**arms)[:, None] >> np.arange(arms)) & 1
    return vectors, rng.dirichlet(np.full(2**arms, 0.2), cases)


@pytest.mark.parametrize("noise", NOISES)
def test_step_o_2_the_potential_falls_as_claimed(noise):
    """Steps 3 to 5, for arms that depend on each other in any way: 4,000 states."""
    rng, arms, cases = np.random.default_rng(3), 4, 4000
    vectors, law = joint_laws(rng, cases, arms)
    eta = 10 ** rng.uniform(-2, 0.5, (cases, 1))
    sums = rng.integers(0, 30, (cases, arms)).astype(float)
    sums[:, 0] += rng.integers(0, 30, cases)
    p, start = selection(noise, eta * sums), potential(noise, eta * sums)
    change = np.zeros(cases)
    for vector, weight in zip(vectors, law.T, strict=True):
        rise = potential(noise, eta * (sums + vector)) - start
        change += weight * (rise - eta[:, 0] * vector[0])
    grows = law @ ((vectors[:, :1] - vectors) == 1)  # q_j^+
    falls = law @ ((vectors[:, :1] - vectors) == -1)
    claimed = (p * (grows * -np.expm1(-eta) - falls * np.expm1(eta))).sum(1)
    assert (change <= -claimed + 1e-9).all()
    gap = grows - falls
    step_5 = gap * np.sinh(eta) - (grows + falls) * (np.cosh(eta) - 1)
    np.testing.assert_allclose((p * step_5).sum(1), claimed, atol=1e-9)


def test_step_o_2_total_fall_and_step_7():
    for n in range(2, 400):
        zero = np.zeros(n)
        assert potential("gumbel", zero) == pytest.approx(math.log(n))
        harmonic = (1 / np.arange(1, n + 1)).sum()
        assert potential("exponential", zero) == pytest.approx(harmonic)
        assert harmonic - 1 <= math.log(n)
    for eta in np.geomspace(1e-3, 1, 50):
        for gap in np.linspace(eta, 1, 50):
            assert math.sinh(eta) - (math.cosh(eta) - 1) / gap >= eta / 2


def test_step_o_3_pairs_and_moments():
    lead, share = np.meshgrid(np.linspace(-30, 30, 601), np.linspace(0, 1, 21))
    for noise in NOISES:
        loses = selection(noise, np.stack([lead, np.zeros_like(lead)], -1))[..., 1]
        assert (loses <= np.exp(-share * lead) * (1 + 1e-12)).all()
    for gap in np.linspace(0.01, 1, 60):
        for eta in np.geomspace(0.01, 3, 40):
            exact = optimal_rate.decay(gap, eta)
            grid = np.linspace(0, eta, 4000)
            least = -np.log((np.cosh(grid) - gap * np.sinh(grid)).min())
            assert exact == pytest.approx(least, rel=1e-3, abs=1e-9)
            assert exact >= least - 1e-12
            if gap <= eta:
                assert exact >= gap**2 / 2


def test_step_o_1_weights_of_the_schedules():
    """phase: its weight by drawing the start 200,000 times agrees; never above e."""
    weights = [optimal_rate.phase_weight(m) for m in range(1, 3000)]
    assert max(weights) <= math.e
    start = (np.arange(200_000) + 0.5) / 200_000
    lengths = np.floor(np.exp(np.arange(6)[:, None] + start))
    for m in (1, 2, 3, 7, 20):
        rounds = (lengths[1:] * (lengths[:-1] == m)).sum() / 200_000
        assert rounds == pytest.approx(optimal_rate.phase_weight(m), rel=1e-3)
    assert lengths[0].mean() == pytest.approx(optimal_rate.FIRST["phase"], abs=1e-4)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("schedule", ["prefix", "phase"])
def test_theorem_o_withstands_the_search(noise, schedule):
    """2,000 exact regrets per case (K to 2000, eps 0.05 to 10, any law of a lead): at most 0.65."""
    rng = np.random.default_rng(5)
    search = lambda p: copies_ratio(noise, schedule, p, 128)  # noqa: E731
    worst, _, spent = climb(search, 4, rng, draws=1000, steps=10)
    assert spent == 2000
    assert 0.4 < worst < 0.65


def test_instance_bound_refines_theorem_o():
    rng = np.random.default_rng(6)
    for _ in range(500):
        arms = int(rng.integers(2, 40))
        gaps = 10 ** rng.uniform(-3, 0, arms - 1)
        epsilon = 10 ** rng.uniform(-3, 1)
        for schedule in optimal_rate.WEIGHT:
            fine = optimal_rate.instance_bound(gaps, epsilon, schedule)
            assert fine <= optimal_rate.upper_bound(arms, gaps.min(), epsilon, schedule) * 1.0001


def test_corollary_whatever_the_gaps():
    """Theorem O with small gaps counted as T Delta*, over 2,000 random instances."""
    rng = np.random.default_rng(9)
    for _ in range(2000):
        arms, horizon = int(rng.integers(2, 40)), 10 ** rng.uniform(1, 9)
        gaps, epsilon = 10 ** rng.uniform(-6, 0, arms - 1), 10 ** rng.uniform(-4, 1)
        k, critical = math.log(arms), math.sqrt(math.log(arms) / horizon)
        large = gaps[gaps >= critical]
        for schedule, weight in optimal_rate.WEIGHT.items():
            fine = horizon * critical + optimal_rate.instance_bound(large, epsilon, schedule)
            rate = 4 * k / epsilon + 4 * (1 + k) * math.sqrt(horizon / k)
            allowed = optimal_rate.FIRST[schedule] + horizon * critical + weight * rate
            assert fine <= allowed * (1 + 1e-12)


def test_a_prefix_of_all_lengths_has_no_end():
    """O.5 (c): each epoch gives m = 1 the weight 2; `prefix` and `phase` give it once."""
    epochs = 2.0 ** np.arange(30)
    assert (2 * epochs / epochs).sum() == 60


# 3. Lower bounds ------------------------------------------------------------------------------


def success_of_softmax(counts_law, t, gap, epsilon):
    """P(best arm leads) after t rewards on an instance of Theorem L (exponential mechanism)."""
    arms, law = counts_law
    lose = (arms - 1) * np.exp(-epsilon / 2 * np.arange(t + 1))
    return law(t) @ (1 / (1 + lose))


def test_theorem_l_on_a_learner_that_re_decides_once():
    """An eps-DP learner that explores n rounds and then leads: never below Theorem L's bound."""
    from scipy.stats import binom

    tightest = math.inf
    for arms in (2, 5, 50, 1000):
        for gap in (0.05, 0.3, 1.0):
            for epsilon in (0.05, 0.5, 2.0):
                law = (arms, lambda t, g=gap: binom.pmf(np.arange(t + 1), t, g))
                horizon = int(20 * math.log(arms) / math.log1p(gap * math.expm1(epsilon)))
                bound = optimal_rate.private_lower_bound(arms, gap, epsilon, horizon)
                for n in np.unique(np.linspace(0, horizon, 30).astype(int)):
                    wrong = 1 - success_of_softmax(law, n, gap, epsilon)
                    regret = gap * ((1 - 1 / arms) * n + wrong * (horizon - n))
                    tightest = min(tightest, regret / bound)
    assert 1 <= tightest < 3


def test_theorem_l_step_1_moment_and_closed_forms():
    from scipy.stats import binom

    for gap in (0.1, 0.5):
        for epsilon in (0.1, 1.0):
            moment = binom.pmf(np.arange(31), 30, gap) @ np.exp(epsilon * np.arange(31))
            assert moment == pytest.approx((1 + gap * math.expm1(epsilon)) ** 30)
    for arms in (2, 4, 10, 10**4):
        for gap in (0.01, 0.1, 0.24):
            for epsilon in (0.01, 0.1, 1, 5):
                closed = (math.log(arms) - 1 + 1 / arms) / math.expm1(epsilon)
                assert optimal_rate.private_lower_bound(arms, gap, epsilon) >= closed
            closed = (math.log(arms) - 2 + 2 / math.sqrt(arms)) / (4 * gap)
            assert optimal_rate.sampling_lower_bound(arms, gap) >= closed * (1 - 1e-12)


def test_theorem_m_bounds_follow_the_leader():
    """FTL on the packing class, exact for K = 2 by convolution: above the bound at every T."""
    gap, tail = 0.1, []
    law = np.array([1.0])
    step = np.convolve([0.5 - gap, 0.5 + gap], [0.5, 0.5])  # of the lead: -1, 0, 1
    for _ in range(400):
        middle = len(law) // 2
        tail.append(law[:middle].sum() + law[middle] / 2)
        law = np.convolve(law, step)
    regret = gap * np.cumsum(tail)
    bounds = [optimal_rate.sampling_lower_bound(2, gap, t + 1) for t in range(400)]
    assert (regret >= np.array(bounds) - 1e-12).all()


def test_theorem_12_with_the_constant_40():
    """The proof's case distinction on a grid of the theorem's whole range, at its smallest T."""
    least = math.inf
    for arms in (4, 5, 10, 10**3, 10**9):
        k = math.log(arms)
        for gap in (1e-3, 0.01, 0.1, 0.2499):
            for epsilon in (1e-4, 1e-3, 0.01, 0.1, 0.2, 1, 10):
                horizon = math.ceil(max(k / (16 * gap**2), k / (10 * epsilon * gap)))
                found = max(
                    optimal_rate.private_lower_bound(arms, gap, epsilon, horizon),
                    optimal_rate.sampling_lower_bound(arms, gap, horizon),
                )
                least = min(least, found / (max(1 / gap, 1 / epsilon) * k))
    assert least >= 1 / 40


def test_theorem_9_second_form_against_theorem_l():
    """The quotient lower bound/(printed expression) passes every constant as eps falls."""
    quotients = [
        optimal_rate.private_lower_bound(10, 0.1, 2 * e) / (math.log(10) / 0.1)
        for e in (1e-2, 1e-4, 1e-6)
    ]
    assert quotients[1] > 90 * quotients[0]
    assert quotients[2] > 1000


# 4. RNM-FTNL as printed -----------------------------------------------------------------------


def test_theorem_9_steps():
    for alpha in np.geomspace(1e-4, 0.5, 40):
        for r0 in range(1, 12):
            total = sum(2.0**r * math.exp(-(2.0**r) * alpha) for r in range(r0, 40))
            assert total <= 4 * math.exp(-(2.0 ** (r0 - 1)) * alpha) / alpha
        assert 4 + 16 * math.exp(-alpha) / alpha <= 16 / alpha  # step 4
    for size in (2, 3, 10, 1000):
        for product in np.geomspace(1e-6, 1, 40):  # min(gap^2, gap eps)
            r0 = math.ceil(math.log2(8 * math.log(size) / product)) + 1
            assert r0 >= 1
            beta = 2.0 ** (r0 + 1)
            beta += 128 * size * math.exp(-(2.0 ** (r0 - 1)) * product / 8) / product
            assert beta <= (64 * math.log(size) + 128) / product * (1 + 1e-12)


def test_corollary_11_counts_its_brackets():
    for horizon in (2, 10, 10**4, 10**9):
        for arms in (2, 10, 10**3):
            critical = math.sqrt(math.log(arms) / horizon)
            if critical <= 1:
                gaps = np.geomspace(critical, 1, 200)
                assert len(theory.brackets(gaps)) <= 1 + math.log2(1 / critical)


def test_minimax_remark_fails_where_16_ln_k_exceeds_t():
    for constant in (1.0, 1e-3):
        log_k = (2 / constant) ** 2  # T = 1, regret at most 1
        epsilon = math.sqrt(log_k) / 10
        assert log_k / (100 * epsilon**2) <= 1 + 1e-12
        assert constant * math.sqrt(log_k) > 1


# 5. The lazy algorithms -----------------------------------------------------------------------


def test_lemma_19_constants():
    terms = [theory.lemma_19_term(s) for s in range(6, 14)]
    assert terms[0] < 0.2
    assert (np.diff(terms) < 0).all()
    assert max(b / a for a, b in itertools.pairwise(terms)) < 2 / 3
    assert sum(terms) + 2 * terms[-1] < 0.4  # so the rest is at most 2/3/(1 - 2/3) of the last
    for gap in (1e-3, 0.1, 1.0):
        for epsilon in (0.01, 1.0, 100.0):
            for horizon in (3, 100, 10**9):
                d = theory.sufficient_epoch(gap, epsilon, horizon, 24)
                assert d + 1 >= 6
                level = 3 * math.log(horizon) / 2.0**d
                assert math.sqrt(level) + level / epsilon < gap / 2  # step 2


def test_lemma_20_steps():
    for gap in (1e-3, 0.1, 1.0):
        for epsilon in (0.01, 1.0, 100.0):
            for horizon in (3, 100, 10**9):
                n = 2.0 ** theory.sufficient_epoch(gap, epsilon, horizon, 72)
                level = 3 * math.log(horizon) / n
                assert math.sqrt(level) + 2 * level / epsilon <= gap / 3
                assert 1 / n <= gap / 12
                assert n * 50 * gap**2 / 144 >= 25 * math.log(horizon) * (1 - 1e-12)


def _ratios(n, y):
    """P(theta_x <= y) and log P(theta_x > y) for x = 0..n, by Fact 18."""
    from scipy.stats import binom

    law = binom.logpmf(np.arange(n + 2), n + 1, y)
    above = np.logaddexp.accumulate(law)[:-1]  # theta_x > y: at most x of n + 1 below
    return np.exp(np.logaddexp.accumulate(law[::-1])[::-1][1:]), above


def test_theorem_t_steps_on_many_states():
    """T.1 (its integral, by Gauss's rule), T.2 (f falls) and T.3 (each p_x)."""
    from scipy.stats import binom

    rng, nodes = np.random.default_rng(11), np.polynomial.legendre.leggauss(400)
    for _ in range(150):
        n, y = int(2 ** rng.uniform(0, 7)), rng.uniform(0.02, 0.95)
        below, above = _ratios(n, y)
        z, x = y + (1 - y) * (nodes[0] + 1) / 2, np.arange(n + 1)
        f = (np.exp(binom.logpmf(x, n, z[:, None]) - above) * below).sum(1)
        assert (1 - y) / 2 * nodes[1] @ f == pytest.approx(y, rel=1e-6)
        assert (np.diff(f) <= 1e-9 * f[:-1]).all()
        a = rng.uniform(0, 1) * (1 - y)
        p = below * np.exp(_ratios(n, y + a)[1] - above)
        t = x / n - y
        between = np.exp(-2 * n * (t**2 + np.maximum(a - t, 0) ** 2))
        claimed = np.where(t <= 0, np.exp(4 * a * n * t - 2 * n * a**2), between)
        assert (p <= claimed * (1 + 1e-9)).all()
        steep, root = 1 / -math.expm1(-4 * a), math.sqrt(math.pi * n)
        outside = steep + min(steep, 1 + root / math.sqrt(8))
        total = math.exp(-2 * n * a**2) * outside + math.exp(-n * a**2) * (1 + root / 2)
        assert p.sum() <= total * (1 + 1e-9)


def test_theorem_t_and_lemma_7_withstand_the_search():
    """4,000 random (n, mean, y), y down to 10^-3 means away and means up to 1 - 10^-4."""
    from scipy.stats import binom

    rng, worst, printed = np.random.default_rng(0), 0.0, 0.0
    for _ in range(4000):
        n = int(2 ** rng.uniform(0, 9))
        mean = rng.uniform(0.001, 1) if rng.random() < 0.7 else 1 - 10 ** rng.uniform(-4, -1)
        shift = 0.999 * mean * 10 ** rng.uniform(-3, 0)
        below, above = _ratios(n, mean - shift)
        f = float((np.exp(binom.logpmf(np.arange(n + 1), n, mean) - above) * below).sum())
        worst = max(worst, f / theory.overestimation_bound(shift, n), f * shift / (mean - shift))
        v = n * shift**2
        if n * shift >= 8:
            second = math.exp(-v / 2) + math.exp(-2 * v) / ((n + 1) * shift**2)
            printed = max(printed, f / (second + 1 / math.expm1(v / 4)))
    assert 0.4 < worst <= 1
    assert printed <= 1.4


def test_adap_ucb_s_episodes_started_by_wrong_means_have_finite_cost():
    t = np.arange(2.0, 1e6)
    partial = np.cumsum(3 * (np.log2(t) + 1) * t ** (1 - 3.0))
    assert partial[-1] - partial[len(t) // 10] < 1e-3


# 6. Further statements ------------------------------------------------------------------------


def test_statement_56_on_exponential_mechanisms_and_its_last_step():
    """Steps 1 (the distance), 3, and three learners, exact for K = 2 by convolution."""
    for gap in (0.05, 0.2, 0.5):
        one, two = np.outer([0.5 - gap, 0.5 + gap], [0.5, 0.5]), np.full((2, 2), 0.25)
        two = np.outer([0.5, 0.5], [0.5 - gap, 0.5 + gap])
        assert np.abs(one - two).sum() / 2 == pytest.approx(gap)
        for epsilon in (0.1, 1.0, 5.0):
            law = np.array([1.0])
            for n in range(1, 60):
                law = np.convolve(law, np.convolve([0.5 - gap, 0.5 + gap], [0.5, 0.5]))
                error = law @ (1 / (1 + np.exp(epsilon / 2 * np.arange(-n, n + 1))))
                assert error >= 0.45 * min(1, math.exp(-10 * epsilon * n * gap))
    for arms in (2, 5, 100):
        for spent in np.linspace(0, 20, 50):
            exact = 0.9 * (arms - 1) / (arms - 1 + math.exp(spent))
            assert exact >= 0.45 * min(1, (arms - 1) / math.exp(spent)) * (1 - 1e-12)


def test_the_private_term_alone():
    """Its two cases, down to T = 1: at least 0.0049 ln K/eps."""
    for arms in (2, 3, 10, 10**4):
        for gap in (0.001, 0.1, 0.5):
            for epsilon in (1e-3, 0.1, 1.0, 50.0):
                rounds = math.log(arms) / (10 * epsilon * gap)
                least = (
                    gap * (1 - 1 / arms) if rounds < 1 else 0.2 * 0.49 * math.floor(rounds) * gap
                )
                assert least >= 0.0049 * math.log(arms) / epsilon
                assert 0.45 * (arms - 1) / arms >= 0.2


def test_follow_the_leader_below_its_bound():
    """K = 2, ties lost: exact regret to 1,500 rounds; the two parts of the integral."""
    for gap in (0.05, 0.2, 0.8):
        step = np.convolve(*2 * [[(1 - gap) / 2, (1 + gap) / 2]])  # means (1 + gap)/2, (1 - gap)/2
        law, regret = np.array([1.0]), gap
        for m in range(1, 1500):
            law = np.convolve(law, step)
            loses = law[: m + 1].sum()
            assert loses <= 2 * math.exp(-m * gap**2 / 2)
            regret += gap * loses
        assert regret <= 1 + 4 * (1 + math.log(2)) / gap
