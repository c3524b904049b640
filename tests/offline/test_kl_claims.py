"""Bounds as printed, certified counterexamples against floating point, and the ledger rows."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dpbandits.audit.balls import ball, policy, precisely
from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.core.errors import ProofError
from dpbandits.core.ledger import claims, row
from dpbandits.offline import theory
from dpbandits.offline.bandit.loss import exact_loss
from dpbandits.offline.claims import counterexamples
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.mechanisms.audits import preference_loss
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.problem import BanditData, Preferences
from dpbandits.offline.studies.repeated_sampling import RepeatedSampling, repeated_sampling
from dpbandits.offline.studies.tightness import Tightness, tightness

CROSSINGS = [
    "theorem1_approx",
    "corollary1",
    "theorem2_pure_appendix",
    "theorem2_approx",
    "corollary2_approx",
    "theorem3_pure",
    "theorem3_approx",
    "theorem4_pure",
    "theorem4_approx",
    "corollary3_pure",
    "corollary3_approx",
    "lemma1_partition_at_one_data_set",
    "composition_with_k",
    "inexact",
]
VIOLATED = [
    "KL-P1b",
    "KL-T1-approx",
    "KL-C1",
    "KL-T2-pure-appendix",
    "KL-T2-approx",
    "KL-C2",
    "KL-T3-pure",
    "KL-T3-approx",
    "KL-T4-pure",
    "KL-T4-approx",
    "KL-C3",
    "KL-S4.4-inexact",
]
HOLDS = ["KL-P1a", "KL-L1-pure", "KL-T1-pure", "KL-T2-pure"]
AMBIGUOUS = ["KL-L1-partition", "KL-S4.4-composition"]


@pytest.fixture(scope="module")
def tables():
    made = {
        "tightness": tightness(Tightness(designed=200, rounds=2)),
        "repeated_sampling": repeated_sampling(RepeatedSampling(times=(1, 10, 100))),
    }
    return lambda name: made[name]


def test_printed_values():
    """Each formula at round numbers, worked out by hand."""
    assert theory.theorem1_pure(5, 0.5, 8).epsilon == 2 * (4 / 4 + 8 / 8)
    bound = theory.theorem1_approx(3, 16, 0.5, 8, 4)
    assert bound.epsilon == 2 * (1 + 1)
    assert bound.delta == pytest.approx(3 * math.exp(4 / 2 + 16 * (1 / 4 - 1 / 2 + 1 / 8)))
    corollary = theory.corollary1(3, 16, 0.5, 8, 4)
    assert corollary.epsilon == pytest.approx(bound.epsilon)
    assert corollary.delta == pytest.approx(3 * math.exp(-16 / 4 + 16 / 16 + 16 * 8 / 64))
    assert theory.theorem2_pure(8, 2, 5, 0.5, 4).epsilon == pytest.approx(
        2 / math.sqrt(5) * (2 * (1 + 2) * 1 / 2 + 1)
    )
    assert theory.theorem2_pure_appendix(8, 2, 5, 0.5, 4).epsilon == pytest.approx(
        2 / math.sqrt(5) * (3 / math.sqrt(5) + 4 / 8)
    )
    assert theory.corollary2_pure(8, 2, 4, 0.5, 3).epsilon == pytest.approx(2 * (2 * 5 + 3))
    double = math.exp(2 * 0.5)
    assert theory.theorem3_pure(5, 1, 0.5, 0.5).epsilon == pytest.approx(2 * (2 + 2 * double) / 4)
    assert theory.theorem4_pure(4, 1, 0.5, 3, 0.5).epsilon == pytest.approx(
        1 * ((1 + double) * 2 / 3 + 6 / 3)
    )
    assert theory.corollary3_pure(8, 2, 4, 0.5, 0.5).epsilon == pytest.approx((2 + 2 * double) * 2)
    composed = theory.composition_approx(theory.Bound(0.1, 1e-6), 100, 1e-5, 100)
    assert composed.epsilon == pytest.approx(
        math.sqrt(200 * math.log(1e5)) * 0.1 + 10 * math.expm1(0.1)
    )
    assert composed.delta == pytest.approx(1.1e-4)


def test_approximate_bounds_meet_pure_ones_at_lambda_min():
    pure = theory.theorem2_pure(50, 3, 9.0, 0.1, 0.5).epsilon
    assert theory.theorem2_approx(4, 50, 3, 9.0, 0.1, 0.1, 0.5, 9.0).epsilon == pytest.approx(pure)
    pure = theory.theorem3_pure(9.0, 1.0, 0.1, 0.5).epsilon
    args = (4, 9.0, 1.0, 0.1, 0.1, 0.5, 0.5, 9.0)
    assert theory.theorem3_approx(*args).epsilon == pytest.approx(pure)
    pure = theory.theorem4_pure(9.0, 1.0, 0.1, 0.5, 0.5).epsilon
    assert theory.theorem4_approx(*args).epsilon == pytest.approx(pure)


@pytest.mark.parametrize("name", CROSSINGS)
def test_counterexamples_are_proved(name):
    crossing = getattr(counterexamples, name)()
    assert crossing.proved
    assert float(crossing.measured.rad()) < 1e-30
    assert float(crossing.allowed.rad()) < 1e-30 * max(1.0, float(crossing.allowed.mid()))


def test_certificates_agree_with_the_floating_point_audits():
    """The same data sets through the audit engine: two independent computations."""
    data = BanditData(
        np.array([2, 10000]), np.array([2.0, 0]), np.array([1.0, 0]), np.array([1.0, 0])
    )
    crossing = counterexamples.theorem1_approx()
    epsilon = float(crossing.epsilon.mid())
    worst = exact_loss(data, 0.01, 1.2, at_epsilon=(epsilon,))
    assert worst.delta[epsilon] == pytest.approx(float(crossing.measured.mid()), rel=1e-9)

    x, actions = np.array([[-1.0], [-1], [1]]), np.array([[1.0], [-1]])
    audit = LinearAudit(x, np.ones(3), actions, eta=0.05, beta0=0.1, penalty=1.0)
    one = audit.updated(x[2:], np.ones(1), -1.0)
    crossing = counterexamples.theorem2_pure_appendix()
    assert float(pure_epsilon(audit.log_pi, one)[0]) == pytest.approx(
        float(crossing.measured.mid())
    )

    signed = np.repeat([[2.0], [-2.0]], 10, axis=0)
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=0.01, beta0=4.0, penalty=1.0, radius=0.2
    )
    crossing = counterexamples.theorem3_pure()
    flips = preference_loss(audit, ("flip",))
    assert flips.pure_epsilon == pytest.approx(float(crossing.measured.mid()), rel=1e-9)
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=0.01, beta0=1.0, penalty=1.0, radius=0.1
    )
    crossing = counterexamples.theorem4_pure()
    assert audit.theta == pytest.approx([0.0], abs=1e-14)
    worst = Worst()
    audit.removals(worst)
    assert worst.pure == pytest.approx(float(crossing.measured.mid()), rel=1e-9)


def test_certificates_refuse_floats():
    with pytest.raises(TypeError):
        ball(0.1)
    error = precisely(lambda: abs(sum(policy([0, 1, None], Fraction(1, 7))) - 1))()
    assert error < ball(Fraction(1, 10**50))


def test_partitioned_lemma_holds_with_the_hypothesis_at_both_data_sets():
    """Random scores with Delta on I, anything elsewhere, delta0 the larger mass of the rest."""
    generator = np.random.default_rng(0)
    for _ in range(3000):
        k, inside = 4, int(generator.integers(1, 4))
        scores = 6 * generator.standard_normal(k)
        moved = scores + 6 * generator.standard_normal(k)
        sensitivity = generator.random()
        moved[:inside] = scores[:inside] + sensitivity * generator.uniform(-1, 1, inside)
        p, q = (s - np.logaddexp.reduce(s) for s in (scores, moved))
        rest = max(np.exp(p[inside:]).sum(), np.exp(q[inside:]).sum())
        bound = theory.lemma1_partition(sensitivity, 1.0, rest)
        assert delta_at(p, q, bound.epsilon) <= bound.delta * (1 + 1e-12)


def test_every_claim_has_its_verdict(tables):
    found = {c.id: row(c, c.verdicts(tables)[0]) for c in claims().values() if c.paper == "KL"}
    verdicts = {id: line["verdict"] for id, line in found.items()}
    expected = dict.fromkeys(VIOLATED, "violated") | dict.fromkeys(HOLDS, "holds")
    assert verdicts == expected | dict.fromkeys(AMBIGUOUS, "ambiguous")
    for line in found.values():
        needed = ("statement", "kind", "method", "scope", "measured", "bound", "evidence")
        assert all(line[key] for key in needed)
        if line["verdict"] == "violated":
            assert line["method"] in ("certified", "exact")
            assert line["counterexample"]
            assert line["proof_step"]
            assert line["repaired"]


def test_bounds_that_are_proved_are_never_crossed_and_false_ones_are_found(tables):
    data = tables("tightness").groupby("claim")["crossed"].sum()
    kept = ["KL-P1a", "KL-L1-pure", "KL-T1-pure", "KL-T2-pure", "KL-C2"]
    ours = ["bandit pure, ours", "bandit approx, ours", "label pure, ours", "record pure, ours"]
    assert (data[kept + ours] == 0).all()
    assert (data[["KL-T2-pure-appendix", "KL-T3-pure", "KL-T4-pure"]] > 0).all()


def test_a_contradicted_proof_is_reported(tables):
    from dpbandits.offline.claims.bandits import bandit_pure

    false = pd.DataFrame(
        {"claim": ["KL-T1-pure"], "worst": [2.0], "crossed": [1], "data_sets": [9]}
    )
    with pytest.raises(ProofError, match="contradicts"):
        bandit_pure(lambda name: false)
