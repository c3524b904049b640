"""Certified counterexamples against floating point, and the ledger rows."""

import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpbandits.audit.balls import ball, policy, precisely
from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.core.errors import ProofError
from dpbandits.core.figures import reader
from dpbandits.core.ledger import claims, row
from dpbandits.offline import theory
from dpbandits.offline.bandit import counterexamples as bandit
from dpbandits.offline.bandit.loss import exact_loss
from dpbandits.offline.claims import numbers
from dpbandits.offline.engine import crossing
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import counterexamples as linear
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.mechanisms.audits import preference_loss
from dpbandits.offline.preference import counterexamples as preference
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import fit
from dpbandits.offline.problem import BanditData, Preferences

CROSSINGS = [
    *(crossing.lemma1_partition_at_one_data_set, crossing.single_actions),
    *(crossing.composition_with_k, crossing.inexact, crossing.bradley_terry),
    *(bandit.theorem1_approx, bandit.corollary1, bandit.rare_mass),
    *(bandit.vanishing, bandit.every_data_set),
    *(linear.theorem2_pure_appendix, linear.theorem2_approx, linear.corollary2_approx),
    *(linear.addition_step, linear.width_step),
    *(preference.theorem3_pure, preference.theorem3_unit_differences, preference.theorem3_approx),
    *(preference.theorem4_pure, preference.theorem4_approx),
    *(preference.corollary3_pure, preference.corollary3_approx),
    *(preference.width_step, preference.bilinear_step, preference.no_zero_gradient),
]


def of_numbers(name):
    """A refuted step whose two sides are numbers."""
    make = lambda: numbers.crossing(name, "", "")  # noqa: E731
    make.__name__ = name
    return make


NUMBERS = ("KL-B-mean", "KL-B12-reference", "KL-S4.1", "KL-R1-scales", "KL-C2-width")
CROSSINGS += [of_numbers(name) for name in NUMBERS]
WITHOUT_STEPS = {"KL-P1b", "KL-S4.2", "KL-S4.4-baselines"}  # tests/proofs/test_proof_steps.py
HOLDS = ["KL-P1a", "KL-L1-pure", "KL-T1-pure", "KL-T2-pure", "KL-E1", "KL-ABS"]
HOLDS_IN_A_READING = [
    ("KL-L1-partition", "all-data-sets"),
    ("KL-C2", "pure-part"),
    ("KL-T3-pure", "unit-differences, B at least 0.61"),
    ("KL-S4.4-composition", "printed"),
]


crossed = cache(lambda make: make())


@pytest.fixture(scope="module")
def tables():
    return reader(Path(__file__).parents[1] / "golden/kl")


def test_approximate_bounds_meet_pure_ones_at_lambda_min():
    pure = theory.theorem2_pure(50, 3, 9.0, 0.1, 0.5).epsilon
    assert theory.theorem2_approx(4, 50, 3, 9.0, 0.1, 0.1, 0.5, 9.0).epsilon == pytest.approx(pure)
    pure = theory.theorem3_pure(9.0, 1.0, 0.1, 0.5).epsilon
    args = (4, 9.0, 1.0, 0.1, 0.1, 0.5, 0.5, 9.0)
    assert theory.theorem3_approx(*args).epsilon == pytest.approx(pure)
    pure = theory.theorem4_pure(9.0, 1.0, 0.1, 0.5, 0.5).epsilon
    assert theory.theorem4_approx(*args).epsilon == pytest.approx(pure)


@pytest.mark.parametrize("make", CROSSINGS, ids=lambda make: f"{make.__module__}.{make.__name__}")
def test_counterexamples_are_proved(make):
    found = crossed(make)
    assert found.proved
    assert float(found.measured.rad()) < 1e-30
    assert float(found.allowed.rad()) < 1e-30 * max(1.0, float(found.allowed.mid()))


@pytest.mark.parametrize("make", CROSSINGS, ids=lambda make: f"{make.__module__}.{make.__name__}")
def test_the_blamed_step_fails_at_its_counterexample_and_none_before_it_does(make):
    """Every step of the printed proof in numbers: left <= right up to the one named first."""
    found = crossed(make)
    failing = [step.fails for step in found.steps]
    first = failing.index(True)
    assert found.broken.split("; then ")[0] == found.steps[first].text
    assert not any(failing[:first])
    for step in found.steps[:first]:  # not only undecided
        assert float(step.left.mid()) <= float(step.right.mid()) * (1 + 1e-30)


@pytest.mark.parametrize(
    "make",
    [preference.theorem3_approx, preference.theorem4_approx, preference.corollary3_approx],
)
def test_counterexamples_to_the_approximate_parts_survive_four_times_the_printed_eps(make):
    """All missing factors 2 put in, in eps and in the e^eps of delta."""
    found = make()
    own = float(found.epsilon.mid())
    p, q = (np.array([float(x.mid()) for x in side]) for side in found.pair)
    exact = max(np.maximum(a - math.exp(4 * own) * b, 0).sum() for a, b in ((p, q), (q, p)))
    assert exact > 1e4 * float(found.allowed.mid()) * math.exp(3 * own)


def test_counterexamples_to_the_corollaries_survive_their_slip():
    """c sqrt(k1) for sqrt(c k1): |A| e^eps exp(beta0/eta sqrt(d/n) (1 - c sqrt k1))."""
    for found, n, d, k1, c, rate in (
        (linear.corollary2_approx(), 39600, 1, 400, 3 / 40, 198 * 20),
        (preference.corollary3_approx(), 4000400, 2, 4000400 / 800, 1 / 20, 8500),
    ):
        mended = math.exp(rate * math.sqrt(d / n) * (1 - c * math.sqrt(k1)))
        allowed = 2 * math.exp(float(found.epsilon.mid())) * mended
        assert float(found.measured.mid()) > 500 * allowed


def test_an_action_of_another_dimension_is_refused():
    one, zero = Fraction(1), Fraction(0)
    records = linear.Records((((one, zero), 0, 1), ((zero, one), 0, 1)))
    for data in (records, preference._uneven()):
        for asked in (data.width, data.mean):
            with pytest.raises(ValueError, match="argument 2"):
                asked((1,))


def test_the_step_of_appendix_d_fails_for_the_fitted_estimates_too():
    """(29) at the data of the certificate, with the MLE of the engine."""
    e1, e2 = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    z, phi = np.array([0.5, 0.5]), np.array([0.5, -0.5])
    rows = [e1] * 10 + [-e1] * 10 + [e2] * 15 + [-e2] * 5
    before, after = fit(np.array(rows), 2.0), fit(np.array([*rows, z]), 2.0)
    sigma = sum(np.outer(v, v) for v in (*rows, z))
    assert z @ np.linalg.inv(sigma) @ phi == pytest.approx(0.0, abs=1e-15)
    gamma = 1 / (2 + math.exp(4) + math.exp(-4))
    assert gamma * abs((after - before) @ phi) > float(preference.bilinear_step().measured.mid())


def test_certificates_agree_with_the_floating_point_audits():
    """The same data sets through the audit engine: two independent computations."""
    data = BanditData(
        np.array([2, 10000]), np.array([2.0, 0]), np.array([1.0, 0]), np.array([1.0, 0])
    )
    certified = bandit.theorem1_approx()
    epsilon = float(certified.epsilon.mid())
    worst = exact_loss(data, 0.01, 1.2, at_epsilon=(epsilon,))
    assert worst.delta[epsilon] == pytest.approx(float(certified.measured.mid()), rel=1e-9)

    x, actions = np.array([[-1.0], [-1], [1]]), np.array([[1.0], [-1]])
    audit = LinearAudit(x, np.ones(3), actions, eta=0.05, beta0=0.1, penalty=1.0)
    one = audit.updated(x[2:], np.ones(1), -1.0)
    certified = linear.theorem2_pure_appendix()
    assert float(pure_epsilon(audit.log_pi, one)[0]) == pytest.approx(
        float(certified.measured.mid())
    )

    signed = np.repeat([[2.0], [-2.0]], 10, axis=0)
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=0.01, beta0=4.0, penalty=1.0, radius=0.2
    )
    certified = preference.theorem3_pure()
    flips = preference_loss(audit, ("flip",))
    assert flips.pure_epsilon == pytest.approx(float(certified.measured.mid()), rel=1e-9)
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=0.01, beta0=1.0, penalty=1.0, radius=0.1
    )
    certified = preference.theorem4_pure()
    assert audit.theta == pytest.approx([0.0], abs=1e-14)
    worst = Worst()
    audit.removals(worst)
    assert worst.pure == pytest.approx(float(certified.measured.mid()), rel=1e-9)


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


@pytest.fixture(scope="module")
def verdicts(tables):
    own = [c for c in claims().values() if c.paper == "KL"]
    return {(c.id, v.reading): row(c, v) for c in own for v in c.verdicts(tables)}


def test_every_claim_has_its_verdict(verdicts):
    holds = {(id, "printed") for id in HOLDS} | set(HOLDS_IN_A_READING)
    assert {key for key, line in verdicts.items() if line["verdict"] == "holds"} == holds
    assert {line["verdict"] for line in verdicts.values()} == {"holds", "violated"}
    assert len({id for id, _ in verdicts}) == 37
    for line in verdicts.values():
        assert all(line[key] for key in ("statement", "kind", "method", "scope", "evidence"))
        assert line["measured"]
        assert line["bound"]


def test_every_blamed_step_is_one_of_a_certificate(verdicts):
    refuted = {k: line for k, line in verdicts.items() if line["verdict"] == "violated"}
    blamed = {line["proof_step"] for (id, _), line in refuted.items() if id not in WITHOUT_STEPS}
    assert blamed <= {crossed(make).broken for make in CROSSINGS}


def test_every_refutation_has_its_cause_and_a_repair(verdicts):
    for key, line in verdicts.items():
        if line["verdict"] == "violated":
            assert line["method"] in ("certified", "exact", "proof", "formal"), key
            needed = ("counterexample", "proof_step", "repaired", "repaired_verdict", "tightness")
            assert all(line[column] for column in needed), key


def test_bounds_that_are_proved_are_never_crossed_and_false_ones_are_found(tables):
    data = tables("tightness").groupby("claim")["crossed"].sum()
    kept = ["KL-P1a", "KL-L1-pure", "KL-T1-pure", "KL-T2-pure", "KL-C2"]
    assert (data[kept] == 0).all()
    assert (data[["KL-T2-pure-appendix", "KL-T3-pure", "KL-T4-pure"]] > 0).all()


def test_a_contradicted_proof_is_reported(tables):
    from dpbandits.offline.claims.bandit import bandit_pure
    from dpbandits.offline.claims.preference import label_pure

    false = pd.DataFrame(
        {"claim": ["KL-T1-pure"], "worst": [2.0], "crossed": [1], "data_sets": [9]}
    )
    with pytest.raises(ProofError, match="contradicts"):
        bandit_pure(lambda name: false if name == "tightness" else tables(name))
    crossed = tables("attacks").assign(crossed=1)
    with pytest.raises(ProofError, match="crosses"):
        label_pure(lambda name: crossed)
