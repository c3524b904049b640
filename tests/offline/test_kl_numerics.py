"""How attacks climb, where they stop to speak, and when the likelihood's search has arrived."""

import numpy as np
import pytest

from dpbandits.offline.engine import attack as climbing
from dpbandits.offline.engine.attack import Attack, attack
from dpbandits.offline.engine.families_rlhf import PreferenceFamily
from dpbandits.offline.linear.attack import LinearAttack
from dpbandits.offline.preference import mle
from dpbandits.offline.preference.attack import PreferenceAttack
from dpbandits.offline.preference.boxes import _reached
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.perturbation import PIECES, ObjectivePerturbation
from dpbandits.offline.problem import Preferences


def test_the_best_takes_the_place_of_the_worst(monkeypatch):
    """Two parents, one child each, and no child is better: from the second round on both children
    are the best's, within a step (at most 1e-3 standard deviations in the last round)."""
    monkeypatch.setattr(climbing, "PARENTS", 2)
    monkeypatch.setattr(climbing, "CHILDREN", 1)
    asked = []

    def ratio(rows):
        asked.append(rows)
        return rows[:, 0] if len(asked) == 1 else np.full(len(rows), -9.0)

    generator = np.random.default_rng(1)
    found = attack(Attack("made up", 1, ratio, dict), 20, 0.0, generator)
    best = asked[0].max()
    assert found.ratio == best
    assert asked[-1] == pytest.approx(best, abs=0.01)
    assert len(asked[-1]) == 2


def test_theorem_2_is_attacked_where_it_speaks():
    """It asks for lambda_min > 1: within rounding of 1 nothing is compared with it."""

    class Given(LinearAttack):
        def prepared(self, floors):
            halves = np.log(np.full((len(floors), 2), 0.5))
            thirds = np.log(np.tile([1 / 3, 2 / 3], (len(floors), 1)))
            data = {"penalty": np.ones(1), "eta": np.ones(1), "beta0": np.ones(1)}
            return data, (halves, thirds), np.full(len(floors), 5.0), floors, None

    with np.errstate(invalid="ignore"):
        ratios = Given(1).pure(np.array([1 - 5e-10, 1 + 5e-10, 1 + 1e-8]))
    assert list(ratios[:2]) == [0.0, 0.0]
    assert 0 < ratios[2] < 1


def test_a_likelihood_that_never_rises_is_given_up(monkeypatch):
    """100 steps, each halved up to 40 times."""
    asked = []

    def falling(*words):
        asked.append(None)
        return np.array([-float(len(asked))]), np.ones((1, 2)), np.eye(2)[None]

    monkeypatch.setattr(mle, "_likelihood", falling)
    mle.fit_many(np.eye(2), np.ones(2), np.zeros((1, 0, 2)), np.zeros((1, 0)), np.inf)
    assert len(asked) == 1 + 100 * 40


def test_a_likelihood_that_has_arrived_is_not_searched_on(monkeypatch):
    """At the maximum it rises no more than by rounding, which must not halve the step."""
    asked = []
    likelihood = mle._likelihood

    def counted(*words):
        asked.append(None)
        return likelihood(*words)

    monkeypatch.setattr(mle, "_likelihood", counted)
    none = np.zeros((1, 0, 2))
    for seed in range(20):
        generator = np.random.default_rng(seed)
        signed = generator.standard_normal((50, 2)) * 3
        mle.fit_many(signed, np.ones(50), none, np.zeros((1, 0)), 1e6)
    assert len(asked) <= 20 * 10


@pytest.mark.parametrize("family", [LinearAttack(1), PreferenceAttack(1, True)])
def test_all_deltas_of_a_probability_are_compared(family, monkeypatch):
    """Unless less is asked for: up to 1, as no delta beyond promises anything."""
    monkeypatch.setattr(type(family), "best", lambda self, pair, bound, most: most)
    x = np.random.default_rng(2).standard_normal((50, family.size)) * 1.5
    assert [family.approx(x).max(), family.approx(x, 0.1).max()] == [1.0, 0.1]


def test_nothing_is_claimed_of_records_that_cover_too_little():
    """Theorems 3 and 4 ask for records in all directions; |z| <= 2, so removing one takes up to 4
    from lambda_min of those that are left."""
    data = {"eta": 1.0, "beta0": 1.0, "B": 1.0, "lambda0": 1.0}
    ratios = PreferenceFamily()._ratios(None, None, None, np.array([4.0]), None, [data])
    assert len(ratios) == 6
    assert {x for values in ratios.values() for x in values} == {0.0}


def test_a_box_is_dropped_by_the_curvature_at_its_centre():
    """300 contested records z = 2 about theta = 2: |g| = 600 (sigma(4) - 1/2) = 289.2. Over a
    half-width of 0.97 it falls by at most 0.97 e^1.94 1200 sigma'(4) = 143, so no addition (of
    a pull of 2 at most) balances it; by the largest curvature of all theta, 300, it might."""
    signed = np.array([[2.0]] * 150 + [[-2.0]] * 150)
    actions = np.array([[1.0], [-1.0]])
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=1.0, beta0=0.0, penalty=1.0, radius=4.0
    )
    assert not _reached(audit, np.array([[2.0]]), np.array([[0.97]]))[0]


def test_how_many_nodes_a_noise_is_integrated_over():
    """16 Gauss-Legendre nodes on each of 12 pieces before the nearest point and 11 behind it."""
    assert PIECES == 24
    perturbed = ObjectivePerturbation(
        np.array([[1.0, 0.5], [-0.3, 0.8]]), np.array([0.0, 2.0, 4.0])
    )
    nodes, weights = perturbed._steps(0, 1.0)
    assert len(nodes) == len(weights) == 16 * 23 + 1
