"""KL's Theorems 3 and 4 where all features at one context are within distance 1 of each other:
docs/proofs/KL.md, "Differences of at most 1", in numbers, and a search against its bounds."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from dpbandits.audit.computed.balls import ball
from dpbandits.core.divergences import pure_epsilon
from dpbandits.core.maximise import maximise
from dpbandits.offline import theory
from dpbandits.offline.mle import fit_many
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.attacks.attack import TOLERANCE
from dpbandits.reproduction.kl.attacks.preference import PreferenceAttack
from dpbandits.reproduction.kl.counterexamples import rlhf
from dpbandits.reproduction.kl.finite_laws import delta_at
from dpbandits.reproduction.proofs import at_certificate_precision

UNIT = {"longest": 1.0, "apart": 1.0}


class Near(PreferenceAttack):
    """Differences of norm 1 at most in the records; actions in a ball of radius 1/2 whose centre is
    within 1/2 of the origin: norms of 1 at most, distances of 1 at most."""

    def __init__(self, dimension: int, label: bool, bound: str):
        super().__init__(dimension, label, longest=1.0)
        self.bound = bound
        self.size += dimension  # the centre

    def decode(self, x):
        data = super().decode(x[:, : self.size - self.dimension])
        centre = x[:, -self.dimension :]
        length = np.linalg.norm(centre, axis=1, keepdims=True)
        centre = centre / np.maximum(length, 1e-300) * np.minimum(length, 1.0)
        return data | {"actions": (data["actions"] + centre[:, None]) / 2}

    def ratio(self, x):
        data, first, second, _, floor = self.prepared(x)
        known = floor, data["penalty"], data["eta"]
        beta0, radius = data["beta0"], data["B"]
        if self.bound == "printed":  # of theory.py, which takes numbers alone
            moved = (2 + 2 * np.exp(2 * radius)) if self.label else 1 + np.exp(2 * radius)
            bound = moved / (floor - data["penalty"])
            if not self.label:
                bound = bound + 2 * beta0 / (np.sqrt(floor) * (floor - 1))
            bound = bound / data["eta"]
        elif self.label:
            bound = theory.corrected_theorem3_pure(*known, radius, **UNIT).epsilon
        else:
            bound = theory.corrected_theorem4_pure(*known, beta0, radius, **UNIT).epsilon
        covered = floor > data["penalty"] * (1 + 1e-6) + 1e-6
        covered &= self.label | (floor > 1 + 1e-9) | (self.bound != "printed")
        return np.where(covered, pure_epsilon(first, second) / bound, 0.0)


@pytest.mark.parametrize("bound", ["printed", "repaired"])
@pytest.mark.parametrize("label", [True, False])
@pytest.mark.parametrize(("dimension", "instances"), [(1, 100_000), (2, 300)])
def test_no_search_crosses_the_printed_bounds_at_differences_of_1(
    dimension, instances, label, bound, rows
):
    target = Near(dimension, label, bound)
    generator = np.random.default_rng(0)
    found = maximise(target.ratio, target.size, instances, generator, tolerance=TOLERANCE)
    assert found.crossed == 0
    assert found.value > {1: 0.9, 2: 0.1}[dimension]
    if (dimension, bound) == (1, "printed"):
        for id in ("KL-T3-pure", "KL-C3") if label else ("KL-T4-pure",):
            said = f"at most {found.value:.3f} in {instances:,} adversarial instances"
            assert said in rows[id, "differences-at-most-1"]["scope"]
    data = target.decode(np.random.default_rng(1).standard_normal((500, target.size)) * 1.5)
    gaps = np.linalg.norm(data["actions"][:, :, None] - data["actions"][:, None], axis=-1)
    assert 0.99 < gaps.max() <= 1 + 1e-12
    assert 0.99 < np.linalg.norm(data["actions"], axis=-1).max() <= 1 + 1e-12


def test_general_bounds_at_differences_of_1_by_hand():
    """l = 9, lambda = 1, eta = 1/2, B = 1/2, beta0 = 6: h = 9; and l = 3/2: h = 2, 1 - 1/sqrt 2."""
    root = math.exp(0.5)
    label = theory.corrected_theorem3_pure(9.0, 1.0, 0.5, 0.5, **UNIT).epsilon
    assert label == pytest.approx((2 + root + 1 / root) / 4)
    width = 1 / math.sqrt(8) - 1 / 3
    record = theory.corrected_theorem4_pure(9.0, 1.0, 0.5, 6.0, 0.5, **UNIT).epsilon
    assert record == pytest.approx(2 * ((1 + root) / 8 + 6 * width))
    record = theory.corrected_theorem4_pure(1.5, 1.0, 0.5, 6.0, 0.5, **UNIT).epsilon
    assert record == pytest.approx(2 * ((1 + root) / 0.5 + 6 * (1 - 1 / math.sqrt(2))))


def test_identities_of_the_last_step():
    """Both sides are rational functions of low degree: equal at enough fractions, they are equal.

    Printed less corrected: labels, x = e^B; widths, u^2 - w^2 = 1, u = (t + 1/t)/2.
    """
    for x in (F(n, 3) for n in range(1, 12)):
        gap = 2 + 2 * x**2 - (2 + x + 1 / x)
        assert gap == (x - 1) * (2 * x**2 + x + 1) / x
        assert (gap >= 0) == (x >= 1)
    for t in (1 + F(n, 4) for n in range(1, 12)):
        u, w = (t + 1 / t) / 2, (t - 1 / t) / 2
        assert u**2 - w**2 == 1
        assert 2 / (u * w**2) - (1 / w - 1 / u) == (2 * u + w) / (u * w**2 * (u + w)) > 0


@pytest.mark.parametrize("radius", [1e-3, 0.1, 0.5, 1.0, 3.0])
def test_steps_of_the_proof_at_random_differences(radius):
    """|y|_S against t/(gamma sqrt(l - lambda)), and the printed bounds against the corrected."""
    for label in (True, False):
        target = Near(2, label, "repaired")
        data = target.decode(np.random.default_rng(5).standard_normal((300, target.size)) * 1.5)
        data["B"] = np.full(300, radius)
        signed, *weights = target.records(data)
        empty = np.zeros((0, 2)), np.zeros(0)
        theta = [fit_many(*empty, signed, weight, data["B"]) for weight in weights]
        moved = theta[1] - theta[0]
        most = 2 + math.exp(radius) + math.exp(-radius) if label else 1 + math.exp(radius)
        for weight in weights:  # D is either of the two
            spread = np.einsum("mk,mkd,mke->mde", weight, signed, signed)
            floor = np.linalg.eigvalsh(spread)[:, 0]
            ok = floor > 1e-3
            length = np.sqrt(np.maximum(np.einsum("md,mde,me->m", moved, spread, moved), 0))
            assert ok.sum() > 150
            assert (length <= most / np.sqrt(floor) * (1 + 1e-6))[ok].all()
    for floor in (1.01, 1.5, 4.0, 100.0):
        for penalty in (1e-3, 1.0):
            known = floor, penalty, 0.5
            pair = (
                theory.corrected_theorem3_pure(*known, radius, **UNIT),
                claimed.theorem3_pure(*known, radius),
            )
            assert pair[0].epsilon <= pair[1].epsilon
            for beta0 in (0.0, 1.0, 1e4):
                mine = theory.corrected_theorem4_pure(*known, beta0, radius, **UNIT).epsilon
                assert mine <= claimed.theorem4_pure(*known, beta0, radius).epsilon


def nearest(label: bool, radius: float, records: int = 10**6) -> float:
    """Exact loss over the printed bound, beta0 = 0: d = 1, differences 1, actions 1/2 and -1/2,
    the one that gains is rare; the MLE moves from just below B, lambda = 1."""
    won = math.floor(records / (1 + math.exp(-radius))) - 2
    odds = won / (records - won)
    after = (won + 1) / (records - won - 1) if label else won / (records - won - 1)
    assert 0 <= math.log(odds) <= math.log(after) <= radius
    loss = math.log(after) - math.log(odds)  # as pi0 of the rare one tends to 0
    if label:
        return loss / float(claimed.theorem3_pure(1.0 + records, 1.0, 1.0, radius).epsilon)
    return loss / float(claimed.theorem4_pure(1.0 + records, 1.0, 1.0, 0.0, radius).epsilon)


@pytest.mark.parametrize("label", [True, False])
def test_printed_constants_are_attained_as_b_tends_to_0(label):
    """And the corrected ones at every B."""
    assert 0.99 < nearest(label, 1e-3) <= 1
    for radius in (0.5, 2.0):
        x = math.exp(radius)
        ratio = (2 + x + 1 / x) / (2 + 2 * x**2) if label else (1 + x) / (1 + x**2)
        assert nearest(label, radius, 10**8) == pytest.approx(ratio, rel=1e-3)


HALVED = {  # row: (its counterexample, factor of eps)
    "KL-T3-approx": (rlhf.theorem3_approx, 1),
    "KL-T4-approx": (rlhf.theorem4_approx, 1),
    "KL-C3": (rlhf.corollary3_approx, 2),
}


@pytest.mark.parametrize("row", HALVED)
@at_certificate_precision
def test_approximate_parts_stay_false_at_differences_of_1(row, rows):
    """Actions e1/2, e2/2 and half the eta: the same policies; lambda0 = 640000."""
    make, factor = HALVED[row]
    found = make()
    given, data = found.given, rlhf.uneven()
    eta, actions = given["eta"] / 2, ((F(1, 2), 0), (0, F(1, 2)))
    coverage = claimed.Coverage(2, data.width(actions[1]), ball(640000))
    rest = ball(eta), ball(given["beta0"]), ball(data.radius)
    known = coverage, data.lambda_min, 1, *rest
    n = data.count
    bound = {
        "KL-T3-approx": lambda: claimed.theorem3_approx(*known),
        "KL-T4-approx": lambda: claimed.theorem4_approx(*known),
        "KL-C3": lambda: corollaries.corollary3_approx(
            2, ball(n), 2, ball(F(n, 800)), *rest[:2], radius=rest[2], c=ball(given["c"])
        ),
    }[row]()  # fmt: skip
    law = data.policy(actions, eta, given["beta0"])
    assert all(x.overlaps(y) for x, y in zip(law, found.pair[0], strict=True))
    assert bound.epsilon.overlaps(factor * found.epsilon)
    if factor == 1:
        assert bound.delta.overlaps(found.allowed)
    assert bound.delta <= found.allowed * (1 + ball(F(1, 10**30)))
    assert delta_at(*found.pair, bound.epsilon) > 1000 * bound.delta
    text = rows[row, "approximate-part" if row == "KL-C3" else "printed"]["scope"]
    assert "it stays one if all differences are at most 1" in text
