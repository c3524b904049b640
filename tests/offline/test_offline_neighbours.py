"""Audits of (10) and (11): enumerated neighbours against refits, found ones against dense samples,
and the repaired theorems above all of them."""

from math import exp, inf

import numpy as np
import pytest
from preferences import draw_preferences

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.neighbours import Worst
from dpbandits.offline.problem import Preferences
from dpbandits.offline.repaired import Bounds, concluded, linear_bounds, preference_bounds
from dpbandits.offline.theory import Bound

EPSILONS = (0.05, 0.5)
EVEN = np.log([0.5, 0.5])


def linear(seed, d, n=25, m=4, rewards_max=1.0):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((n, d))
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    actions = generator.standard_normal((m, d))
    actions /= np.maximum(1.0, np.linalg.norm(actions, axis=1, keepdims=True))
    rewards = rewards_max * generator.random(n)
    eta, beta0 = float(10 ** generator.uniform(-2, 0)), float(generator.choice([0.0, 0.5, 2.0]))
    own = {"eta": eta, "beta0": beta0, "penalty": 1.0, "reward_max": rewards_max}
    reference = np.log(generator.dirichlet(np.ones(m)))
    return LinearAudit(features, rewards, actions, log_reference=reference, **own)


def duels(seed, d, n=30, radius=1.0, m=4):
    generator = np.random.default_rng(seed)
    data = draw_preferences(n, np.full(d, 1.5 / np.sqrt(d)), 0.4, generator)
    actions = generator.standard_normal((m, d))
    actions /= np.maximum(1.0, np.linalg.norm(actions, axis=1, keepdims=True))
    eta, beta0 = float(10 ** generator.uniform(-1.5, 0)), float(generator.choice([0.0, 0.5, 2.0]))
    return PreferenceAudit(data, actions, eta=eta, beta0=beta0, penalty=1.0, radius=radius)


def refitted(audit, found):
    """The policy of the data after the change that is described."""
    other = audit if found["kind"] == "add" else audit.without(found["row"] - 1)
    return (other if found["kind"] == "remove" else other.with_record(found)).log_pi


AUDITS = [
    linear(0, 1),
    linear(2, 3),
    linear(3, 6),
    duels(3, 1, radius=3.0),
    duels(4, 2, radius=0.5),
]


@pytest.mark.parametrize("audit", AUDITS)
def test_removals_equal_refits(audit):
    worst = audit.worst(("remove",), EPSILONS)
    others = np.array([audit.without(i).log_pi for i in range(len(audit))])
    losses = pure_epsilon(audit.log_pi, others)
    assert worst.pure == pytest.approx(losses.max(), rel=1e-7)
    assert losses[worst.neighbour["row"] - 1] == pytest.approx(losses.max(), rel=1e-7)
    for epsilon in EPSILONS:
        expected = delta_at(audit.log_pi, others, epsilon).max()
        assert worst.delta[epsilon] == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("audit", [a for a in AUDITS if isinstance(a, PreferenceAudit)])
def test_label_flips_equal_refits(audit):
    signed, policies = audit.data.signed, []
    for i in range(len(signed)):
        turned = np.where(np.arange(len(signed)) == i, -1.0, 1.0)[:, None] * signed
        policies.append(PreferenceAudit(Preferences(turned), audit.actions, **audit.options).log_pi)
    losses = pure_epsilon(audit.log_pi, np.array(policies))
    assert audit.worst(("flip",)).pure == pytest.approx(losses.max(), rel=1e-7)


@pytest.mark.parametrize(
    "audit",
    [linear(10, 1, rewards_max=2.0), linear(12, 2, rewards_max=2.0), linear(15, 3), linear(17, 8),
     duels(6, 1, radius=3.0), duels(8, 2, radius=3.0), duels(9, 2, radius=0.3)],
)  # fmt: skip
def test_no_addition_of_a_dense_sample_beats_the_search(audit):
    worst = audit.worst(("add",), EPSILONS)
    count = 20_000 if isinstance(audit, LinearAudit) else 1500
    generator = np.random.default_rng(0)
    x = generator.standard_normal((count, audit.dimension))
    x *= audit.problem.longest / np.linalg.norm(x, axis=1, keepdims=True)
    x *= generator.choice([1.0, 0.5, 0.05], (count, 1))
    highest = audit.problem.reward_range(audit)[1]
    policies = audit.added(x, highest * generator.choice([0.0, 1.0, 0.5, 0.15], count))
    assert pure_epsilon(audit.log_pi, policies).max() <= worst.pure * (1 + 1e-9)
    for epsilon in EPSILONS:
        most = delta_at(audit.log_pi, policies, epsilon).max()
        assert most <= worst.delta[epsilon] * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize("kind", ["add", "swap"])
@pytest.mark.parametrize("audit", [linear(20, 3), linear(23, 6, n=60), duels(7, 2), duels(50, 1)])
def test_what_is_found_is_attained_by_the_data_set_described(audit, kind):
    worst = audit.worst((kind,), EPSILONS)
    for found, epsilon in zip(worst.found(), (None, *EPSILONS), strict=True):
        assert found["kind"] == kind
        assert np.linalg.norm(found["x"]) <= audit.problem.longest * (1 + 1e-12)
        other = refitted(audit, found)
        if epsilon is None:
            assert float(pure_epsilon(audit.log_pi, other)) == pytest.approx(worst.pure, rel=1e-6)
        else:
            real = float(delta_at(audit.log_pi, other, epsilon))
            assert real == pytest.approx(worst.delta[epsilon], rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("audit", [linear(21, 2), linear(24, 3, n=200), duels(51, 2)])
def test_no_random_swap_beats_the_search(audit):
    """300 random swaps, refitted; and a swap can be worse than any removal alone."""
    worst, generator = audit.worst(("swap",), EPSILONS), np.random.default_rng(1)
    policies = []
    for row in generator.integers(0, len(audit), 300):
        x = generator.standard_normal(audit.dimension)
        x *= audit.problem.longest / np.linalg.norm(x)
        record = audit.record(x, generator.choice([0.0, 1.0]))
        policies.append(refitted(audit, record | {"kind": "swap", "row": int(row) + 1}))
    assert pure_epsilon(audit.log_pi, np.array(policies)).max() <= worst.pure * (1 + 1e-9)
    for epsilon in EPSILONS:
        most = delta_at(audit.log_pi, np.array(policies), epsilon).max()
        assert most <= worst.delta[epsilon] * (1 + 1e-6)
    assert audit.worst(("remove",)).pure < worst.pure


@pytest.mark.parametrize("kind", ["remove", "add", "swap", "flip"])
@pytest.mark.parametrize("audit", [linear(31, 2, n=60), linear(32, 6, n=150), duels(55, 2, n=200),
                                   duels(58, 3, n=400, radius=0.8)])  # fmt: skip
def test_repaired_theorems_are_above_all_that_is_found(audit, kind):
    bounds_of = linear_bounds if isinstance(audit, LinearAudit) else preference_bounds
    if kind == "flip" and bounds_of is linear_bounds:
        return
    worst, theorem = audit.worst((kind,), EPSILONS), bounds_of(audit, (kind,))
    assert worst.pure <= theorem.pure < inf
    assert all(worst.delta[e] <= theorem.delta(e) for e in EPSILONS)


@pytest.mark.parametrize("audit", [linear(33, 1, n=1), linear(34, 2, n=9), duels(60, 1, n=1)])
def test_kinds_together_are_the_worst_of_each(audit):
    """Also where a swap leaves no other record, or loses less than a flip."""
    kinds = ("remove", "add", "swap", "flip")[: 4 if isinstance(audit, PreferenceAudit) else 3]
    together, each = audit.worst(kinds, EPSILONS), [audit.worst((k,), EPSILONS) for k in kinds]
    assert together.pure == max(one.pure for one in each)
    for epsilon in EPSILONS:
        assert together.delta[epsilon] == max(one.delta[epsilon] for one in each)


# --- what an audit concludes --------------------------------------------------------------------
def seen(pure=1.0, delta=0.2, at=0.1):
    worst = Worst((at,))
    worst.pure, worst.delta, worst.neighbour = pure, {at: delta}, {"row": 7}
    worst.neighbour_at = {at: {"row": 8}}
    return worst


CONCLUSIONS = [  # kinds; theorem; the loss, delta(0.1), how
    (("remove", "flip"), Bounds(3.0, name="T"), 1.0, 0.2, "exact"),
    (("remove", "add"), Bounds(1.3, name="T"), 1.3, (exp(1.3) - exp(0.1)) / (1 + exp(1.3)),
     "bound"),
    (("swap",), Bounds(2.0, (Bound(0.1, 0.25),), "T"), 2.0, 0.25, "bound"),
    (("add", "flip"), Bounds(0.7, (Bound(0.1, 0.05),), "T"), 1.0, 0.2, "bound"),
    (("add",), Bounds(2.0, (Bound(0.11, 0.05),), "T"), 2.0, (exp(2) - exp(0.1)) / (1 + exp(2)),
     "bound"),
    (("add",), Bounds(inf, name="T"), inf, 1.0, "bound"),
]  # fmt: skip


@pytest.mark.parametrize("case", CONCLUSIONS)
def test_conclusion_is_exact_or_the_theorem_above_what_is_found(case):
    kinds, theorem, pure, delta, method = case
    audit = type("Audit", (), {"log_reference": EVEN})
    loss = concluded(audit, kinds, seen(), theorem)
    assert (loss.pure_epsilon, loss.method) == (pure, method)
    assert loss.delta_at == {0.1: pytest.approx(delta)}
    about = loss.worst_neighbour
    found = about if method == "exact" else about["found"]
    assert (found["row"], found["at_epsilon"]) == (7, {"0.1": {"row": 8}})
    if method == "bound":
        assert about["theorem"] == "T"
        assert found["attained"] == {"pure": 1.0, "0.1": 0.2}
