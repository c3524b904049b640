"""The corrected bounds: hand values, the steps of docs/proofs/KL.md in numbers, modest attacks."""

import math

import numpy as np
import pytest

from dpbandits.core.attack import attack
from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.offline import theory
from dpbandits.offline.mle import fit_many
from dpbandits.reproduction.kl.attacks.linear import LinearAttack
from dpbandits.reproduction.kl.attacks.preference import PreferenceAttack
from dpbandits.reproduction.kl.attacks.search import widths
from dpbandits.reproduction.kl.studies.attacks import ATTACKS, TOLERANCE

MANY = 20_000


def rows(size, seed=0, many=MANY):
    return 1.5 * np.random.default_rng(seed).standard_normal((many, size))


# --- hand values ------------------------------------------------------------------------------


def test_values_of_the_preference_bounds():
    grown = math.exp(1.0)  # B = 1/2
    expected = 4 * (2 + grown + 1 / grown) / (0.5 * 8)
    assert theory.corrected_theorem3_pure(9.0, 1.0, 0.5, 0.5).epsilon == pytest.approx(expected)
    root = math.exp(0.5)  # differences of norm 1: 2 (2 + e^B + e^-B)
    expected = 2 * (2 + root + 1 / root) / (0.5 * 8)
    assert theory.corrected_theorem3_pure(9.0, 1.0, 0.5, 0.5, longest=1.0).epsilon == pytest.approx(
        expected
    )
    for radius, below in ((0.6093, False), (0.6094, True), (3.0, True)):  # of the printed one
        one = theory.corrected_theorem3_pure(9.0, 1.0, 0.5, radius, longest=1.0).epsilon
        assert (one <= theory.theorem3_pure(9.0, 1.0, 0.5, radius).epsilon) == below
    # h = max(9, 5): 1/sqrt 5 - 1/3
    expected = (4 * (1 + grown) / 8 + 6 * (1 / math.sqrt(5) - 1 / 3)) / 0.5
    assert theory.corrected_theorem4_pure(9.0, 1.0, 0.5, 6.0, 0.5).epsilon == pytest.approx(
        expected
    )
    # l=2, lambda=1, so h = 5: 1 - 1/sqrt 5, though no record could be removed from l=2 alone
    expected = (4 * (1 + grown) / 1 + 6 * (1 - 1 / math.sqrt(5))) / 0.5
    assert theory.corrected_theorem4_pure(2.0, 1.0, 0.5, 6.0, 0.5).epsilon == pytest.approx(
        expected
    )


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
        sigma = theory.linear_drift(records, floor, penalty)[0 if sign < 0 else 1]
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
    assert (reach <= theory.fit_norm(floor, penalty) * (1 + 1e-9)).all()


@pytest.mark.parametrize("label", [True, False])
def test_steps_of_theorems_3_and_4(label):
    """|y|_S against its bound, the MLE on the surface of the ball included."""
    target = PreferenceAttack(2, label)
    data = target.decode(rows(target.size, seed=3, many=400))
    signed, *weights = target.records(data)
    empty = np.zeros((0, 2)), np.zeros(0)
    theta = [fit_many(*empty, signed, weight, data["B"]) for weight in weights]
    moved = theta[1] - theta[0]
    for weight in weights:
        spread = np.einsum("mk,mkd,mke->mde", weight, signed, signed)
        floor = np.linalg.eigvalsh(spread)[:, 0]
        ok = floor > 1e-3
        length = np.sqrt(np.maximum(np.einsum("md,mde,me->m", moved, spread, moved), 0))
        inverse_gamma = theory.inverse_gamma(data["B"])
        factor = inverse_gamma if label else 1 + np.exp(2 * data["B"])
        most = 2 * factor / np.sqrt(floor)
        assert ok.sum() > 200
        assert (length <= most * (1 + 1e-6))[ok].all()
    assert (np.linalg.norm(theta[0], axis=1) > data["B"] * (1 - 1e-9)).sum() > 20


# --- attacks ----------------------------------------------------------------------------------


def test_draws_come_near_to_their_bound():
    """0.956 at 400 draws; the privacy loss of none of 300 random coins is above it."""
    from dpbandits.reproduction.kl.claims.general import nearest_draws
    from dpbandits.reproduction.kl.studies.repeated_sampling import epsilon_of_draws

    assert 0.95 < nearest_draws() < 1
    rng = np.random.default_rng(3)
    for _ in range(300):
        low, spread = rng.normal(0, 2), math.exp(rng.normal(-1, 1))
        times, slack = int(rng.integers(1, 400)), math.exp(-rng.uniform(1, 60))
        p, q = (1 / (1 + math.exp(-x)) for x in (low, low + spread))
        exact = epsilon_of_draws(p, q, times, slack)
        assert exact <= theory.corrected_draws(spread, times, slack).epsilon * (1 + 1e-9)


@pytest.mark.parametrize("place", range(len(ATTACKS)), ids=lambda i: f"{ATTACKS[i].bound}-{i}")
def test_no_search_crosses_a_repaired_bound(place):
    """The large budget is the study kl/attacks; here 6000 (200 where each is slow)."""
    target, generator = ATTACKS[place], np.random.default_rng(place)
    budget = 6000 // target.cost
    found = attack(target.ratio, target.size, budget, generator, tolerance=TOLERANCE)
    assert found.instances >= 200
    assert found.crossed == 0
    assert 0 < found.value <= 1 + TOLERANCE


def test_the_search_does_find_a_crossing_of_what_is_false():
    """The same search against the printed end of Appendix C and Theorem 3's constant."""
    target = LinearAttack(1)

    def appendix(x):
        data, pair, records, floor, _ = target.prepared(x)
        factor = (1 + np.sqrt(records / (floor - 1))) / np.sqrt(floor)
        bound = (factor + data["beta0"] / (2 * (floor - 1))) / (data["eta"] * np.sqrt(floor))
        return np.where(floor > 1 + 1e-9, pure_epsilon(*pair) / bound, 0.0)

    found = attack(appendix, target.size, 6000, np.random.default_rng(0), tolerance=TOLERANCE)
    assert found.crossed > 0
