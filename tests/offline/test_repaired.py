"""The repaired bounds: hand values, the steps of docs/proofs/KL.md in numbers, modest attacks."""

import math

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline import repaired, theory
from dpbandits.offline.engine.attack import attack, widths
from dpbandits.offline.linear.attack import LinearAttack
from dpbandits.offline.preference.attack import PreferenceAttack
from dpbandits.offline.preference.mle import fit_many
from dpbandits.offline.studies.attacks import ATTACKS, TOLERANCE

MANY = 20_000


def rows(size, seed=0, many=MANY):
    return 1.5 * np.random.default_rng(seed).standard_normal((many, size))


# --- hand values ------------------------------------------------------------------------------


def test_values_of_the_bandit_bounds():
    # N=4, eta=1/2, beta0=6: (1/4 + 6 (1/sqrt 3 - 1/2)) * 2
    expected = 2 * (0.25 + 6 * (0.5773502691896258 - 0.5))
    assert repaired.theorem1_pure(4, 0.5, 6).epsilon == pytest.approx(expected, rel=1e-14)
    # beta0/(2 eta eps) = 8/(2 * 1 * 1/2) = 8, so n_eps = 1 + 8^(2/3) = 5; exponent
    # 1 + 8/sqrt 16 - 8/sqrt 5 = 3 - 3.5777087639996634, times pi0 ratio 2
    mass = 2 * math.exp(3 - 3.5777087639996634)
    found = repaired.theorem1_approx(16, 1.0, 8.0, 0.5, reference_ratio=2.0).delta
    assert found == pytest.approx(mass / (1 + mass), rel=1e-13)
    assert repaired.threshold(0.5, 2.0) == 1 / 4  # 1/(2 * 1/2 * 4)


def test_values_of_the_linear_bounds():
    # l=5, lambda=1: s >= 2 lambda, sqrt(4-1)/4 and sqrt(5-1)/5
    assert repaired.leverage(4.0, 1.0) == pytest.approx(math.sqrt(3) / 4)
    assert repaired.leverage(5.0, 1.0) == pytest.approx(2 / 5)
    assert repaired.leverage(1.0, 2.0) == pytest.approx(1 / (2 * math.sqrt(2)))
    # n=13: removal 2/5 (1 + sqrt(12 * 3)/4) + beta0 (1/2 - 1/sqrt 5), addition is smaller
    removal = 2 / 5 * (1 + 6 / 4) + 3 * (0.5 - 1 / math.sqrt(5))
    found = repaired.theorem2_pure(13, 5.0, 1.0, 0.5, 3.0).epsilon
    assert found == pytest.approx(2 * removal, rel=1e-14)


def test_values_of_the_preference_bounds():
    grown = math.exp(1.0)  # B = 1/2
    expected = 4 * (2 + grown + 1 / grown) / (0.5 * 8)
    assert repaired.theorem3_pure(9.0, 1.0, 0.5, 0.5).epsilon == pytest.approx(expected)
    root = math.exp(0.5)  # differences of norm 1: 2 (2 + e^B + e^-B)
    expected = 2 * (2 + root + 1 / root) / (0.5 * 8)
    assert repaired.theorem3_pure(9.0, 1.0, 0.5, 0.5, longest=1.0).epsilon == pytest.approx(
        expected
    )
    for radius, below in ((0.6093, False), (0.6094, True), (3.0, True)):  # of the printed one
        one = repaired.theorem3_pure(9.0, 1.0, 0.5, radius, longest=1.0).epsilon
        assert (one <= theory.theorem3_pure(9.0, 1.0, 0.5, radius).epsilon) == below
    # h = max(9, 5): 1/sqrt 5 - 1/3
    expected = (4 * (1 + grown) / 8 + 6 * (1 / math.sqrt(5) - 1 / 3)) / 0.5
    assert repaired.theorem4_pure(9.0, 1.0, 0.5, 6.0, 0.5).epsilon == pytest.approx(expected)
    # l=2, lambda=1, so h = 5: 1 - 1/sqrt 5, though no record could be removed from l=2 alone
    expected = (4 * (1 + grown) / 1 + 6 * (1 - 1 / math.sqrt(5))) / 0.5
    assert repaired.theorem4_pure(2.0, 1.0, 0.5, 6.0, 0.5).epsilon == pytest.approx(expected)


def test_values_of_the_approximate_bounds_of_one_context():
    """d = 1, Sigma = 4, lambda = 1, actions 1 and 0: widths 1/2 and 0, distance 1/2."""
    actions = np.array([[1.0], [0.0]])
    inverse, log_reference = np.array([[0.25]]), np.log([0.25, 0.75])
    context = repaired.context_of(actions, inverse, inverse, inverse, log_reference)
    # n=4, beta0=7, eta=1: at D 2/2 - 7/2 = -2.5; removal sqrt 3 sqrt(4/3)/2 - 3.5 = -2.5;
    # addition sqrt 5/2 - 7/2 sqrt(4/5) = -2.01246...
    bound = repaired.theorem2_approx(context, 1, 4, 4.0, 1.0, 1.0, 7.0)
    mass = math.exp(math.sqrt(5) / 2 - 3.5 * math.sqrt(0.8)) / 3
    assert bound.epsilon == 0.0
    assert bound.delta == pytest.approx(mass / (1 + mass), rel=1e-13)
    everything = repaired.theorem2_approx(context, 2, 4, 4.0, 1.0, 1.0, 7.0)
    # drift: removal (1 + sqrt 3 sqrt 2/3)/2; addition (1 + 2 sqrt 3/4) 2/5 = 0.746..
    drift = max((1 + math.sqrt(6) / 3) / 2, (1 + math.sqrt(3) / 2) * 2 / 5)
    assert everything.delta == 0.0
    assert everything.epsilon == pytest.approx(drift / 2 + 3.5 * (math.sqrt(4 / 3) - 1))
    plain = repaired.context_of(actions, inverse, np.array([[1 / 3]]), np.eye(1), log_reference)
    label = repaired.theorem3_approx(plain, 1, 4.0, 1.0, 1.0, 7.0, 2.0)
    mass = math.exp(2 - 3.5) / 3
    assert label.delta == pytest.approx(mass / (1 + mass))


def test_values_of_the_general_bounds():
    # T=8, omega=1/2, delta' = e^-4: 8/32 + 1/2 sqrt(8 * 4/2) = 1/4 + 2
    assert repaired.draws(0.5, 8, math.exp(-4.0)).epsilon == pytest.approx(2.25)
    bound = repaired.inexact(theory.Bound(1.0, 0.2), math.log(2.0))
    assert bound.epsilon == pytest.approx(1 + 2 * math.log(2))
    assert bound.delta == pytest.approx(0.4)  # 1 - 0.8/2 = 0.6 is larger
    assert repaired.inexact(theory.Bound(1.0, 0.8), math.log(2.0)).delta == pytest.approx(0.9)


# --- steps ------------------------------------------------------------------------------------


def test_log_ratios_stay_within_the_range_of_the_change():
    """(F1)."""
    x = rows(10)
    before, change = log_normalise(3 * x[:, :5]), 2 * x[:, 5:]
    spread = change.max(axis=1) - change.min(axis=1)
    assert (pure_epsilon(before, log_normalise(before + change)) <= spread * (1 + 1e-12)).all()


def test_steps_of_theorem_1_approx():
    """Steps 3 to 5 in numbers: the exponent stays below that of n_eps."""
    g = np.random.default_rng(1)
    k = np.rint(np.exp(g.uniform(np.log(2), np.log(1e4), MANY)))
    beta, epsilon = np.exp(g.uniform(-3, 8, MANY)), np.exp(g.uniform(-6, 4, MANY))
    y = beta * (1 / np.sqrt(k - 1) - 1 / np.sqrt(k))
    count = 1 + (beta / (2 * epsilon)) ** (2 / 3)
    assert (y <= beta / (2 * (k - 1) ** 1.5) * (1 + 1e-9)).all()
    rest = k > count
    x = np.maximum(epsilon - y, 0)  # case A at its smallest x
    gain = beta * (1 / np.sqrt(count) - 1 / np.sqrt(k))
    assert rest.sum() > 1000
    assert ((k - 1) * x >= gain * (1 - 1e-9))[rest].all()
    alone = k - 1 > count  # case B: k (eps + y) is at least beta/sqrt(n_eps)
    assert (k * (epsilon + y) >= beta / np.sqrt(count) * (1 - 1e-9))[alone].all()


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_steps_of_theorem_2(dimension):
    """Residuals, drift and widths, each against its bound, on random data sets."""
    target = LinearAttack(dimension)
    x = rows(target.size, seed=dimension)
    data = target.decode(x)
    (more, theta_more, n), (less, theta_less, _) = target.states(data)
    z, penalty = data["record"], data["penalty"]
    for inverse, floor_of, sign, records in ((more, less, -1.0, n), (less, more, 1.0, n - 1)):
        floor = 1 / np.linalg.eigvalsh(inverse)[:, -1]
        ok = floor > 1 + 1e-9
        sigma = repaired.linear_drift(records, floor, penalty)[0 if sign < 0 else 1]
        moved = theta_less - theta_more
        sigma_inverse_norm = np.sqrt(
            np.maximum(np.einsum("md,mde,me->m", moved, np.linalg.inv(inverse), moved), 0)
        )
        assert (sigma_inverse_norm <= sigma * (1 + 1e-8))[ok].all()
        own, other = (widths(data["actions"], form) for form in (inverse, floor_of))
        rate = np.sqrt(floor / np.where(ok, floor + sign, 1.0))
        assert ((other - own) * -sign >= -1e-12).all()
        assert (np.abs(other - own) <= np.abs(rate - 1)[:, None] * own * (1 + 1e-8) + 1e-13)[
            ok
        ].all()
    q = np.einsum("md,mde,me->m", z, less, z)
    groups = np.einsum("mgd,mde,me->mg", data["groups"], less, z)
    reach = np.sqrt((data["counts"] * groups**2).sum(axis=1))  # |X Sigma^-1 z|
    floor = 1 / np.linalg.eigvalsh(less)[:, -1]
    assert (reach <= np.sqrt(q) * (1 + 1e-9)).all()
    assert (reach <= repaired.leverage(floor, penalty) * (1 + 1e-9)).all()


@pytest.mark.parametrize("label", [True, False])
def test_steps_of_theorems_3_and_4(label):
    """|y|_S against its bound, the MLE on the surface of the ball included."""
    target = PreferenceAttack(2, label)
    data = target.decode(rows(target.size, seed=3, many=400))
    z, v = data["differences"], data["record"]
    signed = np.concatenate([z, -z, v[:, None], -v[:, None]], axis=1)
    common = np.concatenate([data["won"], data["lost"]], axis=1)
    one, none = np.ones((len(v), 1)), np.zeros((len(v), 1))
    empty = np.zeros((0, 2)), np.zeros(0)
    weights = [
        np.concatenate([common, one, none], axis=1),
        np.concatenate([common, none, one if label else none], axis=1),
    ]
    theta = [fit_many(*empty, signed, weight, data["B"]) for weight in weights]
    moved = theta[1] - theta[0]
    for weight in weights:
        spread = np.einsum("mk,mkd,mke->mde", weight, signed, signed)
        floor = np.linalg.eigvalsh(spread)[:, 0]
        ok = floor > 1e-3
        length = np.sqrt(np.maximum(np.einsum("md,mde,me->m", moved, spread, moved), 0))
        share = 1.0 if label else repaired.miss(data["B"])
        most = 2 * share * repaired.flatness(data["B"]) / np.sqrt(floor)
        assert ok.sum() > 200
        assert (length <= most * (1 + 1e-6))[ok].all()
    assert (np.linalg.norm(theta[0], axis=1) > data["B"] * (1 - 1e-9)).sum() > 20


# --- attacks ----------------------------------------------------------------------------------


def test_draws_come_near_to_their_bound():
    """0.956 at 400 draws; the privacy loss of none of 300 random coins is above it."""
    from dpbandits.offline.claims.general import _nearest_draws
    from dpbandits.offline.studies.repeated_sampling import epsilon_of_draws

    assert 0.95 < _nearest_draws() < 1
    rng = np.random.default_rng(3)
    for _ in range(300):
        low, spread = rng.normal(0, 2), math.exp(rng.normal(-1, 1))
        times, slack = int(rng.integers(1, 400)), math.exp(-rng.uniform(1, 60))
        p, q = (1 / (1 + math.exp(-x)) for x in (low, low + spread))
        exact = epsilon_of_draws(p, q, times, slack)
        assert exact <= repaired.draws(spread, times, slack).epsilon * (1 + 1e-9)


@pytest.mark.parametrize("place", range(len(ATTACKS)), ids=lambda i: f"{ATTACKS[i].bound}-{i}")
def test_no_search_crosses_a_repaired_bound(place):
    """The large budget is the study kl/attacks; here 6000 (200 where each is slow)."""
    found = attack(ATTACKS[place], 6000, TOLERANCE, np.random.default_rng(place))
    assert found.instances >= 200
    assert found.crossed == 0
    assert 0 < found.ratio <= 1 + TOLERANCE


def test_the_search_does_find_a_crossing_of_what_is_false():
    """The same search against the printed end of Appendix C and Theorem 3's constant."""
    target = LinearAttack(1)

    def appendix(x):
        data, pair, records, floor, _ = target.prepared(x)
        factor = (1 + np.sqrt(records / (floor - 1))) / np.sqrt(floor)
        bound = (factor + data["beta0"] / (2 * (floor - 1))) / (data["eta"] * np.sqrt(floor))
        return np.where(floor > 1 + 1e-9, pure_epsilon(*pair) / bound, 0.0)

    from dataclasses import replace

    false = replace(ATTACKS[-1], size=target.size, ratio=appendix, told=target.told, cost=1)
    assert attack(false, 6000, TOLERANCE, np.random.default_rng(0)).crossed > 0


def test_the_partition_needs_both_masses():
    """Reading the rest's mass at D alone fails for the same search's instances."""
    x = rows(9)
    before, after = log_normalise(6 * x[:, :4]), log_normalise(6 * x[:, :4] + 6 * x[:, 4:8])
    spread = np.abs(6 * x[:, 4] - 6 * x[:, 5])
    alone = np.exp(before[:, 2:]).sum(axis=1)
    assert (delta_at(before, after, spread[:, None]) > alone * 1.5).sum() > 100
