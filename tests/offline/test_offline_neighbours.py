"""Audits of (10) and (11): enumerated neighbours against refits, found ones against dense samples,
and the repaired theorems above all of them."""

from math import exp, inf, log

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline.losses import linear as linear_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mle import SeparableData
from dpbandits.offline.neighbours import Worst
from dpbandits.offline.policy import concluded
from dpbandits.offline.problem import Preferences
from dpbandits.offline.repaired import Bounds, linear_bounds, preference_bounds
from dpbandits.offline.theory import Bound
from dpbandits.reproduction.kl.draws import draw_preferences

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


@pytest.mark.parametrize("cells", [1000, 40, 1])
def test_removals_do_not_depend_on_the_size_of_a_block(cells, monkeypatch):
    audit = linear(0, 1)
    whole = audit.worst(("remove",), EPSILONS)
    monkeypatch.setattr(linear_loss, "CELLS", cells)
    parts = audit.worst(("remove",), EPSILONS)
    assert (parts.found(), parts.pure) == (whole.found(), pytest.approx(whole.pure, rel=1e-12))


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
    x *= audit.MAX_NORM / np.linalg.norm(x, axis=1, keepdims=True)
    x *= generator.choice([1.0, 0.5, 0.05], (count, 1))
    policies = audit.added(x, generator.choice([0.0, 1.0, 0.5, 0.15], (count, 1)))
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
        assert np.linalg.norm(found["x"]) <= audit.MAX_NORM * (1 + 1e-12)
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
        x *= audit.MAX_NORM / np.linalg.norm(x)
        record = audit.record(x, generator.choice([0.0, 1.0], 1))
        policies.append(refitted(audit, record | {"kind": "swap", "row": int(row) + 1}))
    assert pure_epsilon(audit.log_pi, np.array(policies)).max() <= worst.pure * (1 + 1e-9)
    for epsilon in EPSILONS:
        most = delta_at(audit.log_pi, np.array(policies), epsilon).max()
        assert most <= worst.delta[epsilon] * (1 + 1e-6)
    assert audit.worst(("remove",)).pure < worst.pure


def test_the_worst_row_of_a_swap_may_be_another_for_delta():
    """The rows whose swaps lose most in the pure sense hardly move delta here (0.12)."""
    generator = np.random.default_rng(11)
    features, actions = generator.standard_normal((40, 4)), generator.standard_normal((2, 4))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    actions /= np.linalg.norm(actions, axis=1, keepdims=True)
    rewards = generator.integers(0, 2, 40).astype(float)
    audit = LinearAudit(features, rewards, actions, eta=0.01, beta0=0.1, penalty=1.0)
    assert audit.worst(("swap",), (0.1,)).delta[0.1] > 0.99


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


def test_excluded_actions_change_nothing():
    audit = linear(32, 5)
    actions = np.vstack([audit.actions, -audit.actions[:1]])
    options = audit.options | {"log_reference": np.append(audit.log_reference, -np.inf)}
    wider = LinearAudit(audit.features, audit.rewards, actions, **options)
    one, two = (a.worst(("add", "remove"), EPSILONS) for a in (audit, wider))
    assert two.pure == pytest.approx(one.pure, rel=1e-3)
    assert linear_bounds(wider, ("add",)) == linear_bounds(audit, ("add",))


def test_removing_the_only_record_of_a_direction_under_a_tiny_penalty():
    """1 - leverage is about lambda there, and cancels: e1 alone, then only its width 1/sqrt(l)."""
    penalty, beta0 = 1e-9, 0.5
    own = {"eta": 1.0, "beta0": beta0, "penalty": penalty}
    audit = LinearAudit(np.eye(2), np.array([1.0, 0.5]), np.eye(2), **own)
    kept = np.array([1.0, 0.5]) / (1 + penalty) - beta0 / np.sqrt(1 + penalty)
    scores = np.array([-beta0 / np.sqrt(penalty), kept[1]])
    expected = pure_epsilon(log_normalise(kept), log_normalise(scores))
    assert audit.worst(("remove",)).pure == pytest.approx(float(expected), rel=1e-12)


def test_neighbours_of_preferences_on_a_line_stay_on_it():
    """Off the line the likelihood is flat: rounding must not carry the MLE away from it."""
    z = np.array([0.98773461, 0.4869904])
    signed = np.array([1, 1, -1, -1, 1])[:, None] * z
    actions = np.array([[1.0, 0.0], [-0.3, 0.9], [0.0, -1.0]])
    own = {"eta": 1.0, "beta0": 0.0, "penalty": 1.0, "radius": 20.0}
    audit = PreferenceAudit(Preferences(signed), actions, **own)
    # 3 against 2 become 2 against 2 (theta = 0) or 3 against 1; a flip: 2 against 3 or 4 against 1
    logs = [np.log(won / lost) / (z @ z) * actions @ z
            for won, lost in ((3, 2), (2, 2), (3, 1), (2, 3), (4, 1))]  # fmt: skip
    own, *others = (log_normalise(s) for s in logs)
    removed, turned = (pure_epsilon(own, np.array(o)).max() for o in (others[:2], others[2:]))
    assert audit.worst(("remove",)).pure == pytest.approx(removed, rel=1e-9)
    assert audit.worst(("flip",)).pure == pytest.approx(turned, rel=1e-9)


def test_separability_of_a_neighbour_includes_its_new_record():
    """Without a ball: ten of 0.01 alone are separable, with -0.02 they are not; theta is large."""
    signed = np.array([[0.01]] * 10 + [[-0.01]])
    own = {"eta": 0.5, "beta0": 0.5, "penalty": 1.0, "radius": np.inf}
    audit = PreferenceAudit(Preferences(signed), np.array([[1.0], [-1.0]]), **own)
    found = audit.changed(np.array([[[-0.01], [-0.02]]]), np.array([[-1.0, 1.0]]))
    assert np.isfinite(found).all()
    with pytest.raises(SeparableData):
        audit.changed(np.array([[[-0.01]]]), np.array([[-1.0]]))


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


def test_best_delta_of_a_theorem():
    bounds = Bounds(2.0, (Bound(0.5, 0.4), Bound(1.0, 0.01)))
    assert bounds.delta(2.0) == 0.0
    # (e^2 - e^0.4)/(1 + e^2) at 0.4, where no pair speaks
    assert bounds.delta(0.4) == pytest.approx((exp(2) - exp(0.4)) / (1 + exp(2)))
    assert bounds.delta(0.5) == pytest.approx(0.4)
    assert bounds.delta(1.5) == 0.01
    assert Bounds(inf).delta(9.0) == 1.0


def test_worst_keeps_the_first_of_the_largest():
    """Coins 1/2 against 1/4 and 1/8: ln 2 and ln 4; delta(ln 2) 0 and 1/4."""
    worst, two = Worst((log(2),)), np.log([[0.25, 0.75], [0.125, 0.875], [0.5, 0.5]])
    worst.update(EVEN, two[2:], lambda i: {"row": 5})
    assert worst.found() == [{"row": 5}, {"row": 5}]  # nothing lost, yet a neighbour
    worst.update(EVEN, two, lambda i: {"row": i})
    worst.update(EVEN, two[1:2], lambda i: {"row": 9})
    worst.update(EVEN, two[:0], lambda i: {"row": 9})
    assert (worst.pure, worst.delta[log(2)]) == (pytest.approx(log(4)), pytest.approx(0.25))
    assert worst.found() == [{"row": 1}, {"row": 1}]
