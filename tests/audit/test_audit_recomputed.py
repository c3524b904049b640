"""Audits, calibrations and reported pairs recomputed by other means, on cases drawn at random.

`plain` holds the other means: losses on a grid with rigorous rounding, quadrature of the defining
integrals. Every reported worst pair must lose exactly what is reported with it.
"""

import math
from itertools import permutations

import numpy as np
import plain
import pytest
from flint import arb
from scipy.special import logsumexp

from dpbandits.audit import exponential, laplace, lazy, niht, peeling, rnm
from dpbandits.audit.balls import lower, precision, upper
from dpbandits.audit.selection import selection_probabilities
from dpbandits.stochastic.engine.short_horizon import ts_table, ucb_table


def drawn(*key):
    """A generator of its own for each case, so that cases do not depend on each other."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def between(value, bounds, slack=1e-12):
    low, high = bounds
    assert low - slack <= value <= high + slack, (value, bounds)


# Laplace releases and dominating pairs


@pytest.mark.parametrize("case", range(12))
def test_composed_laplace_against_losses_on_a_grid(case):
    random = drawn(1, case)
    shift, releases = random.uniform(0.05, 1.2), int(random.integers(1, 9))
    epsilon = random.uniform(0, shift * releases)
    params = laplace.LaplaceParams(scale=1 / shift, releases=releases)
    found = laplace.audit_laplace(params, (epsilon,))
    between(found.delta_at[epsilon], plain.composed(shift, 0, releases, epsilon))
    assert found.pure_epsilon == pytest.approx(shift * releases, rel=1e-14)


def test_the_deep_tail_of_two_hundred_releases():
    """The issue's case: an accountant of the field gives at most 1.6e-13."""
    found = laplace.audit_laplace(laplace.LaplaceParams(scale=20, releases=200), (5.0, 7.0))
    between(found.delta_at[5.0], plain.composed(1 / 20, 0, 200, 5.0), slack=0)
    between(found.delta_at[7.0], plain.composed(1 / 20, 0, 200, 7.0), slack=0)
    assert found.delta_at[5.0] <= 1.6e-13
    assert found.delta_at[7.0] < 1e-25


@pytest.mark.parametrize("releases", [1, 2, 5, 40, 200])
def test_deep_tails_are_certified_to_one_percent(releases):
    """Near the pure loss delta is tiny: lower and upper ends of its ball within 1%, above 1e-30."""
    with precision(4096):
        shift = arb(1) / 7
    for share in (0.2, 0.5, 0.8, 0.9, 0.99, 0.999):
        ball = laplace.composed_delta(shift, releases, share * releases / 7)
        assert upper(ball) <= 1.01 * lower(ball) or upper(ball) < 1e-30
    for s in (1, 3):
        ball = peeling.composed_upper(shift, s, s, 0.98 * 3 * s / 7)
        assert upper(ball) <= 1.01 * lower(ball)


@pytest.mark.parametrize("case", range(12))
def test_composition_of_selections_and_releases(case):
    random = drawn(2, case)
    shift = random.uniform(0.05, 0.9)
    selections, releases = (int(x) for x in random.integers(0, 6, size=2))
    epsilon = random.uniform(0, 0.9 * shift * (2 * selections + releases) + 0.1)
    ball = peeling.composed_upper(arb(shift), selections, releases, epsilon)
    if selections + releases:
        between(float(ball), plain.composed(shift, selections, releases, epsilon, 5e-4))
    assert upper(ball) - lower(ball) < 1e-9


@pytest.mark.parametrize("case", range(5))
def test_renyi_bound_by_its_definition(case):
    """The moments as integrals over losses on a fine grid, every order of the search."""
    random = drawn(3, case)
    shift = random.uniform(0.1, 0.8)
    selections, releases = (int(x) for x in random.integers(1, 30, size=2))
    epsilon, best = random.uniform(0.5, 1) * shift * (selections + releases), 1.0
    orders = 1 + 2.0 ** (np.arange(-16, 29) / 4)
    parts = [
        ((losses.first + np.arange(len(losses.mass))) * losses.h, losses.mass, n)
        for losses, n in (
            (plain.response_losses(2 * shift, 1, 1e-5), selections),
            (plain.laplace_losses(shift, 1, 1e-5), releases),
        )
    ]
    for a in orders:
        moment = sum(n * logsumexp((a - 1) * place, b=mass) for place, mass, n in parts)
        log_bound = moment - (a - 1) * epsilon + (a - 1) * math.log1p(-1 / a) - math.log(a)
        best = min(best, math.exp(min(0.0, log_bound)))
    ours = peeling.renyi_upper(arb(shift), selections, releases, epsilon)
    assert float(ours) == pytest.approx(best, rel=5e-3)


# Peeling


@pytest.mark.parametrize("epsilon", [0.2, 0.8, 1.3])
def test_lower_bound_of_peeling_by_its_event(epsilon):
    """s = 2 of 3 at the reported gap: sequential selection by quadrature, releases on a grid."""
    ratio, s = 0.4, 2
    ball, gap = peeling.delta_lower(arb(ratio), s, 3, epsilon)
    chance, loss = 1.0, 0.0
    for left in (2, 1):
        p, q = (plain.winner([g] * left + [0], 1.0)[:left].sum() for g in (gap, gap - 2 * ratio))
        chance, loss = chance * p, loss + math.log(p / q)
    low, high = (chance * x for x in plain.composed(ratio, 0, s, epsilon - loss, 2e-4))
    between(float(ball), (low, high), slack=1e-4)


@pytest.mark.parametrize(("ratio", "epsilon"), [(0.5, 1.2), (1.0, 2.0), (2.0, 1.0)])
def test_one_of_two_at_its_reported_gap(ratio, epsilon):
    """h(p, q) at the gap that is reported: the two halves of the output by their closed forms."""
    ball, gap = peeling.delta_two(ratio, epsilon)

    def delta_of_laplace(at):  # of one release, from its definition
        if at <= -ratio:
            return 1 - math.exp(at)
        return max(0.0, 1 - math.exp((at - ratio) / 2))

    p, q = (float(plain.difference_cdf(x)) for x in (gap, gap - 2 * ratio))
    found = sum(
        a * delta_of_laplace(epsilon - math.log(a / b)) for a, b in ((p, q), (1 - p, 1 - q))
    )
    assert found == pytest.approx(lower(ball), abs=1e-7)
    for other in np.linspace(gap - 2, gap + 2, 41):
        p, q = (float(plain.difference_cdf(x)) for x in (other, other - 2 * ratio))
        here = sum(
            a * delta_of_laplace(epsilon - math.log(a / b)) for a, b in ((p, q), (1 - p, 1 - q))
        )
        assert here <= upper(ball) + 1e-12


@pytest.mark.parametrize("case", range(6))
def test_calibrated_peeling_is_its_printed_noise_at_another_epsilon(case):
    """xi = 2 lambda sqrt(3 s ln(1/delta))/eps: the audit at the eps that prints the same xi."""
    random = drawn(4, case)
    s, d, lam = int(random.integers(1, 5)), 9, random.uniform(0.5, 2)
    target = peeling.PeelingTarget(**{"s": s, "d": d, "lambda": lam})
    for epsilon, delta in ((1.0, 0.0), (0.8, 0.02)):
        scale = peeling.calibrate_peeling(target, epsilon, delta).noise["scale"]
        printed = 2 * lam * math.sqrt(3 * s * math.log(2)) / scale
        keys = {"s": s, "d": d, "lambda": lam, "epsilon": printed, "delta": 0.5}
        again = peeling.audit_peeling(peeling.PeelingParams(**keys), (epsilon,))
        assert again.worst_neighbour["scale"] == pytest.approx(scale)
        if delta == 0:
            assert again.pure_epsilon == pytest.approx(epsilon, rel=1e-6)
            assert scale == pytest.approx(3 * s * lam / epsilon, rel=1e-6)
        else:
            between(delta, plain.composed(lam / scale, s, s, epsilon, 2e-4), slack=1e-6)


# N-IHT


def niht_params(**changed):
    keys = {"x_max": 2.0, "reward_clip": 3.0, "b_max": 1.5, "n": 5000, "d": 30, "steps": 3, "s": 2}
    return niht.NihtParams(**(keys | {"epsilon": 1.0, "delta": 0.01} | changed))


def test_calibrated_niht_by_hand():
    """Pure: 3 s (4 x R + (M - 1) 4 x (R + x C))/eps = 6 (24 + 2 x 48)/0.5 = 1440."""
    sizes = {"x_max": 2.0, "reward_clip": 3.0, "b_max": 1.5, "n": 5000, "d": 30, "steps": 3, "s": 2}
    target = niht.NihtTarget(**sizes)
    assert niht.calibrate_niht(target, 0.5).noise["scale"] == pytest.approx(1440, rel=1e-5)
    scale = niht.calibrate_niht(target, 0.5, 0.02).noise["scale"]  # 6 selections, 6 releases at 48
    between(0.02, plain.composed(48 / scale, 6, 6, 0.5, 2e-4), slack=1e-6)
    assert scale < 1440


@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_printed_quantities_of_niht_by_hand(variant):
    """B = R + x C = 6 printed, 4 x B = 48 corrected; xi n/eta = B 2 sqrt(3 s ln(M/delta)) M/eps."""
    p = niht_params(variant=variant)
    used = 6.0 if variant == "printed" else 48.0
    root = 2 * math.sqrt(3 * 2 * math.log(3 / 0.01)) * 3
    found = niht.audit_niht(p, (0.7,))
    assert found.worst_neighbour["scale_times_n_over_eta"] == pytest.approx(used * root)
    shares = (
        found.worst_neighbour["sensitivity_over_noise_parameter"],
        found.worst_neighbour["the_same_in_the_first_step"],
    )
    assert shares == pytest.approx((48 / used, 24 / used))
    first, later = 24 / (used * root), 48 / (used * root)
    assert found.pure_epsilon == pytest.approx(6 * (first + 2 * later), rel=1e-12)
    between(found.delta_at[0.7], plain.composed(later, 6, 6, 0.7), slack=1e-9)


@pytest.mark.parametrize("case", range(4))
def test_the_sum_test_of_niht_by_sums_of_laplace_variables(case):
    """P(W > t) of W, a sum of M s variables, by convolution; the best threshold of a grid."""
    random = drawn(5, case)
    p = niht_params(
        steps=int(random.integers(1, 4)), s=2, d=2, epsilon=random.uniform(2, 6), variant="printed"
    )
    epsilon, count = 1.0, p.steps * p.s
    ratio = 24 / (6 * 2 * math.sqrt(3 * 2 * math.log(p.steps / 0.01)) * p.steps / p.epsilon)
    h = 2e-3
    x = np.arange(-30, 30 + h / 2, h)
    one = 0.5 * np.exp(-np.abs(x)) * h
    size = count * (len(one) - 1) + 1
    whole = np.fft.irfft(np.fft.rfft(one, size) ** count, size)
    place = h * (np.arange(len(whole)) - len(whole) // 2)
    tail = whole[::-1].cumsum()[::-1] - whole / 2
    shift = count * ratio
    excess = tail - math.exp(epsilon) * np.interp(place + shift, place, tail)
    ours = float(niht.delta_of_sum(p, epsilon))
    assert ours == pytest.approx(max(0.0, excess.max()), abs=2e-3)
    assert ours <= plain.composed(ratio, 0, count, epsilon)[1]


def test_missed_selections_by_hand():
    """M s (d + 1) e^{-G/4}, G = ((n - 1)/2 - 1) r: with n = 101, r = 1: 6 x 6 e^{-49/4}."""
    p = niht_params(n=101, steps=2, s=3, d=5)
    assert float(niht._missed_selections(p, arb(1))) == pytest.approx(36 * math.exp(-49 / 4))
    assert niht._missed_selections(niht_params(d=2), arb(1)).is_zero()


@pytest.mark.parametrize("steps", [1, 2])
def test_niht_never_loses_more_than_composition_allows(steps):
    for epsilon in (0.3, 1.0, 2.5):
        p = niht_params(steps=steps, epsilon=4.0, n=10**6)
        low, _ = niht.delta_lower(p, epsilon)
        later = float(niht.step_ratio(p, first=steps == 1))
        assert lower(low) <= plain.composed(later, 2 * steps, 2 * steps, epsilon)[1] + 1e-9
        assert low < 0.999


# Selection and report-noisy-max


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize("case", range(4))
def test_selection_by_quadrature(noise, case):
    random = drawn(6, case)
    counts = random.integers(0, 6, size=int(random.integers(2, 6)))
    scale = random.uniform(0.5, 3)
    ours = [float(p) for p in selection_probabilities(counts.tolist(), scale, noise)]
    # the exponential density jumps, which costs the trapezium rule a part of its step
    tolerance = 2e-3 if noise == "exponential" else 1e-6
    assert np.abs(np.array(ours) - plain.winner(counts, scale, noise)).max() < tolerance
    assert sum(ours) == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("counts", [(3, 1), (0, 2, 5), (4, 4, 1, 0)])
def test_exponential_noise_is_permute_and_flip(counts):
    """Walk through a random order, stop at j with probability e^{(c_j - max c)/b}: all orders."""
    scale, chance = 1.3, np.zeros(len(counts))
    stops = np.exp((np.array(counts) - max(counts)) / scale)
    orders = list(permutations(range(len(counts))))
    for order in orders:
        left = 1.0
        for j in order:
            chance[j] += left * stops[j] / len(orders)
            left *= 1 - stops[j]
    ours = [float(p) for p in selection_probabilities(counts, scale, "exponential")]
    assert ours == pytest.approx(chance, rel=1e-12)


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
@pytest.mark.parametrize(("arms", "rounds"), [(2, 7), (3, 4), (5, 2), (15, 3)])
def test_reported_pairs_of_noisy_max_lose_what_is_reported(arms, rounds, adjacency, noise):
    scale = 1.7
    params = rnm.RnmParams(scale=scale, arms=arms, rounds=rounds, adjacency=adjacency, noise=noise)
    shift = 2 if adjacency == "replace" else 1
    found = rnm.audit_rnm(params, (0.1, 0.4))
    worst, tolerance = found.worst_neighbour, 5e-3 if noise == "exponential" else 1e-5

    def neighbours(a, b):
        moves = np.array(b) - np.array(a)
        assert min(*a, *b) >= 0
        assert max(*a, *b) <= rounds
        one_way = adjacency == "replace" or not (moves.min() < 0 < moves.max())
        assert np.abs(moves).max() == 1
        assert one_way

    neighbours(worst["counts"], worst["neighbour"])
    p, q = (plain.winner(worst[k], scale, noise)[worst["output"]] for k in ("counts", "neighbour"))
    assert math.log(p / q) == pytest.approx(found.pure_epsilon, rel=tolerance)
    assert found.pure_epsilon <= shift / scale * (1 + 1e-15)
    for epsilon in (0.1, 0.4):
        where = worst["delta_at"][f"{epsilon:g}"]
        neighbours(where["counts"], where["neighbour"])
        p, q = (
            plain.winner(where[k], scale, noise)[where["outputs"]].sum()
            for k in ("counts", "neighbour")
        )
        told = where.get("delta_at_least", found.delta_at[epsilon])
        assert p - math.exp(epsilon) * q == pytest.approx(told, abs=tolerance)
        assert told <= found.delta_at[epsilon]
        if found.method == "bound" and noise != "gumbel":
            pure = found.pure_epsilon
            response = (math.exp(pure) - math.exp(epsilon)) / (1 + math.exp(pure))
            assert found.delta_at[epsilon] == pytest.approx(response, rel=1e-12)


def test_gumbel_noise_is_bounded_by_the_exponential_mechanism():
    """Many arms: e^e (e^{(s/b - e)/2} - 1)^2/(e^{s/b} - 1), the supremum over real scores."""
    params = rnm.RnmParams(scale=2.0, arms=12, rounds=100, adjacency="replace", noise="gumbel")
    found = rnm.audit_rnm(params, (0.25,))
    expected = math.exp(0.25) * (math.exp(0.375) - 1) ** 2 / (math.e - 1)
    assert found.delta_at[0.25] == pytest.approx(expected, rel=1e-12)
    assert 0.9 * expected < found.worst_neighbour["delta_at"]["0.25"]["delta_at_least"] <= expected


def test_exponential_noise_needs_no_more_scale_than_laplace():
    """Two arms, replacement, scale b: the loss is exactly 2/b already for few rounds."""
    loss = rnm.pure_loss(2.0, 2, 4, "replace", "exponential")
    assert float(loss) == pytest.approx(1.0, rel=1e-12)
    assert upper(loss) <= 1.0
    assert upper(rnm.pure_loss(2.0, 2, 4, "replace", "laplace")) < 1.0


# The exponential mechanism


@pytest.mark.parametrize("actions", [2, 5])
@pytest.mark.parametrize("at", [0.0, 0.5, 1.1])
def test_reported_scores_of_the_exponential_mechanism(actions, at):
    params = exponential.ExponentialParams(epsilon=1.4, sensitivity=2.0, actions=actions)
    found = exponential.audit_exponential(params, (at,))
    gap = found.worst_neighbour["delta_at"][f"{at:g}"]["score of action 0"]
    scores = np.array([gap, *[0.0] * (actions - 1)])
    moved = scores + 2.0 * np.r_[1, -np.ones(actions - 1)]
    p, q = (np.exp(1.4 * u / 4) / np.exp(1.4 * u / 4).sum() for u in (scores, moved))
    excess = max(q[0] - math.exp(at) * p[0], p[0] - math.exp(at) * q[0])
    assert excess == pytest.approx(found.delta_at[at], rel=1e-9)
    for other in np.linspace(gap - 5, gap + 5, 101):
        scores[0], moved[0] = other, other + 2.0
        p, q = (np.exp(1.4 * u / 4) / np.exp(1.4 * u / 4).sum() for u in (scores, moved))
        assert q[0] - math.exp(at) * p[0] <= found.delta_at[at] + 1e-12


# Lazy transcripts


def sums_read(played, rewards):
    """Sums of the finished epochs, in the order of their ends; an arm's have 1, 2, 4 .. rounds."""
    size, seen, total, sums = [1, 1], [0, 0], [0, 0], []
    for t, arm in enumerate(played[:-1]):
        seen[arm] += 1
        total[arm] += int(rewards[t][arm])
        if seen[arm] == size[arm]:
            sums.append(total[arm])
            size[arm], seen[arm], total[arm] = 2 * size[arm], 0, 0
    return tuple(sums)


@pytest.mark.parametrize(("algorithm", "horizon"), [("anytime-lazy-ucb", 6), ("lazy-dp-ts", 5)])
def test_reported_tables_of_lazy_algorithms(algorithm, horizon):
    """P(played) on the two tables that are reported, by the quadratures of HU."""
    epsilon = 1.5
    keys = {"algorithm": algorithm, "epsilon": epsilon, "horizon": horizon}
    found = lazy.audit_lazy(lazy.LazyParams(**keys), (0.3,))
    worst = found.worst_neighbour
    before, after = np.array(worst["rewards"]), np.array(worst["neighbour"])
    rows = np.flatnonzero((before != after).any(axis=1))
    assert rows.tolist() == [worst["changed_round"] - 1]
    played = [arm - 1 for arm in worst["played"]]
    law = ucb_table(epsilon, horizon) if horizon == 6 else ts_table(epsilon)
    p, q = (law[tuple(played[2:]), sums_read(played, table)] for table in (before, after))
    assert math.log(p / q) == pytest.approx(found.pure_epsilon, rel=1e-4)


def test_reported_epoch_of_rnm_ftnl():
    """T = 7: the last epoch whose leader is seen is the one of 2 rounds; noise 1/eps printed."""
    keys = {"algorithm": "rnm-ftnl", "epsilon": 0.8, "arms": 3, "horizon": 7}
    found = lazy.audit_lazy(lazy.LazyParams(**keys), (0.2,))
    assert found.worst_neighbour["epoch"] == 1
    expected = rnm.RnmParams(scale=1.25, arms=3, rounds=2, adjacency="replace")
    assert found.pure_epsilon == rnm.audit_rnm(expected, ()).pure_epsilon
    twice = lazy.audit_lazy(lazy.LazyParams(**keys, variant="corrected"), ())
    expected = rnm.RnmParams(scale=2.5, arms=3, rounds=2, adjacency="replace")
    assert twice.pure_epsilon == rnm.audit_rnm(expected, ()).pure_epsilon
    for variant, noise in (("permute-and-flip", "exponential"), ("gumbel", "gumbel")):
        other = lazy.audit_lazy(lazy.LazyParams(**keys, variant=variant), (0.2,))
        same = rnm.RnmParams(**(expected.model_dump() | {"noise": noise}))
        assert other.pure_epsilon == rnm.audit_rnm(same, ()).pure_epsilon <= 0.8
        assert other.delta_at == rnm.audit_rnm(same, (0.2,)).delta_at
    none = lazy.audit_lazy(lazy.LazyParams(**(keys | {"horizon": 1})), (0.2,))
    assert (none.pure_epsilon, none.delta_at) == (0.0, {0.2: 0.0})
