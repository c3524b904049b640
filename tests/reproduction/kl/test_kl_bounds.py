"""`dpbandits bound`: printed, repaired and exact side by side, on files of a user's own."""

import math
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.core.mechanisms import delta_of_pure
from dpbandits.offline import theory
from dpbandits.offline.problem import BanditSetting
from dpbandits.offline.repaired import linear_bounds, preference_bounds
from dpbandits.reproduction.comparison import Comparison
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.bounds import theorems as bounds


@pytest.fixture
def arms(file):
    """The counterexample of Theorem 1 (approximate): a leader with two records."""
    data = file("arm,reward\n" + "0,1\n" * 2 + "1,0\n" * 10000)
    return ["bound", "kl-mab", "--data", data]


@pytest.fixture
def line(file):
    actions = file("x1\n1\n0\n", "actions.csv")
    data = file("x1,reward\n" + "1,1\n" * 99, "line.csv")
    return ["bound", "kl-linear", "--data", data, "--actions", actions]


@pytest.fixture
def duels(file):
    actions = file("x1\n1\n-1\n", "both.csv")
    data = file("x1,label\n" + "2,1\n2,0\n" * 10, "duels.csv")
    return ["bound", "kl-rlhf", "--data", data, "--actions", actions]


def test_bandit(ask, arms):
    found = ask(*arms, "--set", "eta=0.01", "beta0=1.2", "--at-epsilon", "1.015,200")
    # (9) at min N = 2: (4 + 1.2)/0.01; repaired: (1/2 + 1.2 (1 - 1/sqrt 2))/0.01
    assert found["pure_epsilon"]["printed"] == pytest.approx(520.0)
    bound = 100 * (0.5 + 1.2 * (1 - 1 / math.sqrt(2)))
    assert found["pure_epsilon"]["repaired"] == pytest.approx(bound)
    assert found["pure_epsilon"]["exact"] <= bound
    assert found["claims"] == ["KL-T1-pure", "KL-T1-approx"]
    assert found["printed_below_the_loss"] == ["delta_at 1.015"]
    at, beyond = found["delta_at"]["1.015"], found["delta_at"]["200"]
    assert at["printed"] < 0.05 < 0.99 < at["exact"] <= at["repaired"] + 1e-12
    assert beyond["exact"] <= beyond["repaired"]


def test_linear(ask, line):
    found = ask(*line, "--set", "eta=0.02", "beta0=11", "--at-epsilon", "0,3")
    for sides in (found["pure_epsilon"], *found["delta_at"].values()):
        assert 0 <= sides["found"] <= sides["repaired"] * (1 + 1e-9)
    assert found["method"] == "bound"
    # l = 100, n = 99, lambda = 1: 2/100 (1 + sqrt(98 * 98)/99) + 11 (1/sqrt 99 - 1/10)
    bracket = 2 / 100 * (1 + 98 / 99) + 11 * (1 / math.sqrt(99) - 0.1)
    assert found["pure_epsilon"]["repaired"] == pytest.approx(bracket / 0.02)
    assert found["pure_epsilon"]["repaired"] < found["pure_epsilon"]["printed"]
    # I = the null action; the addition is the worst case: 10 * 1/10 - 11/10 sqrt(100/101)
    mass = math.exp((1 - 1.1 * math.sqrt(100 / 101)) / 0.02)
    assert found["delta_at"]["0"]["repaired"] == pytest.approx(mass / (1 + mass))


def test_labels_and_records(ask, duels):
    """KL-T3-pure's counterexample: the exact loss lies between the printed and the repaired."""
    keys = ["--set", "eta=0.01", "beta0=1", "B=0.2", "lambda=1"]
    label, record = (
        ask(*duels, *keys, "--neighbours", kind)["pure_epsilon"] for kind in ("flip", "remove")
    )
    assert label["printed"] < label["exact"] <= label["repaired"]
    assert label["repaired"] == pytest.approx(4 * (2 + 2 * math.cosh(0.4)) / (0.01 * 80))
    assert record["printed"] < record["exact"] <= record["repaired"]


@pytest.mark.parametrize(("keys", "part"), [
    (["B=inf"], "finite B"),
    (["B=1", "neighbours=flip,remove"], "Theorem 4"),
    (["B=1", "neighbours=swap"], "Theorem 4"),
])  # fmt: skip
def test_bound_refuses_what_the_theorems_do_not_cover(refusal, duels, keys, part):
    assert part in refusal(*duels, "--set", "eta=0.1", "beta0=1", *keys)


def audited(floor, radius=1.0):
    """Of nine records with this lambda_min, lambda = 1/2; two actions of the line."""
    return SimpleNamespace(
        features=np.zeros((9, 1)), actions=np.array([[1.0], [-1.0]]), inverse=np.eye(1) / floor,
        lambda_min=floor,
        data=SimpleNamespace(covariance=lambda penalty: floor * np.eye(1)), radius=radius,
        eta=0.5, beta0=1.0, penalty=0.5, reward_max=1.0, log_reference=np.log([0.5, 0.5]),
    )  # fmt: skip


@pytest.mark.parametrize(("bounds", "kinds", "least"), [
    (linear_bounds, {"add"}, 1.0),
    (linear_bounds, {"remove", "swap"}, 2.0),
    (preference_bounds, {"flip"}, 0.5),
    (preference_bounds, {"remove"}, 0.5),
    (preference_bounds, {"swap"}, 4.5),
])  # fmt: skip
def test_hypotheses_of_the_repaired_theorems(bounds, kinds, least):
    """Theorem 2 above lambda_min = 1, for swaps above 2; Theorems 3 and 4 above lambda, for swaps
    above lambda + 4."""
    with np.errstate(all="raise"):
        assert bounds(audited(least), kinds).pure == inf
        assert bounds(audited(least), kinds).pairs == ()
        assert bounds(audited(least * (1 + 1e-6)), kinds).pure < inf


def test_theorems_3_and_4_need_a_ball():
    assert preference_bounds(audited(9.0, inf), {"flip"}).pure == inf


def test_a_swap_is_two_steps():
    """From D, and from D less a record: 8 of them, lambda_min - 1, or - 4 for preferences."""
    found = linear_bounds(audited(5.0), {"swap"})
    first, then = (
        theory.corrected_theorem2_pure(n, x, 0.5, 0.5, 1.0) for n, x in ((9, 5.0), (8, 4.0))
    )
    assert (found.pure, found.pairs) == (pytest.approx(first.epsilon + then.epsilon), ())
    found = preference_bounds(audited(9.0), {"swap", "add"})
    first, then = (theory.corrected_theorem4_pure(x, 0.5, 0.5, 1.0, 1.0) for x in (9.0, 5.0))
    assert (found.pure, found.pairs) == (pytest.approx(first.epsilon + then.epsilon), ())


def test_labels_alone_have_theorem_3():
    """And a pair for each smaller set of actions."""
    label, record = (preference_bounds(audited(9.0), kinds) for kinds in ({"flip"}, {"add"}))
    for found, theorem in ((label, "KL-T3"), (record, "KL-T4")):
        assert found.name == f"{theorem}-pure and {theorem}-approx, repaired (docs/proofs/KL.md)"
        assert len(found.pairs) == 1
    assert label.pure == theory.corrected_theorem3_pure(9.0, 0.5, 0.5, 1.0).epsilon
    assert record.pure == theory.corrected_theorem4_pure(9.0, 0.5, 0.5, 1.0, 1.0).epsilon
    assert record.delta(0.0) != label.delta(0.0)


def test_hypotheses_of_the_printed_theorems(ask, file):
    """lambda_min = 1/10 + 1/2 is above lambda, which is all that Theorem 3 asks; not above 1."""
    data, actions = file("x1,label\n0.5,1\n0.5,0\n"), file("x1\n1\n-1\n", "line.csv")
    call = ["bound", "kl-rlhf", "--data", data, "--actions", actions]
    call += ["--set", "eta=0.5", "beta0=1", "B=0.5", "lambda=0.1"]
    label, records = (ask(*call, f"neighbours={kind}") for kind in ("flip", "remove"))
    # (2 + 2e)/(1/2 * 1/2)
    assert label["pure_epsilon"]["printed"] == pytest.approx(8 + 8 * math.e)
    assert label["claims"] == ["KL-T3-pure", "KL-T3-approx"]
    assert records["pure_epsilon"]["printed"] == "inf"
    assert records["pure_epsilon"]["repaired"] != "inf"
    assert records["claims"] == ["KL-T4-pure", "KL-T4-approx"]


def test_bounds_of_lone_records(file):
    data = file("arm,reward\n0,1\n1,0\n")
    with np.errstate(all="raise"):
        lone = bounds.bound_bandit(BanditSetting(data=data, eta=1.0, beta0=1.0), [1.0])
    assert set(lone.pure_epsilon.values()) == {inf}
    assert lone.delta_at[1.0]["repaired"] == 1.0


def test_repaired_theorem_1_speaks_from_its_least_epsilon_on(file):
    data = file("arm,reward\n0,1\n0,0\n" + "1,0\n" * 9)
    step = float(corollaries.bandit_step(9, 1.0, 9.0))
    params = BanditSetting(data=data, eta=1.0, beta0=9.0)
    found = bounds.bound_bandit(params, [step]).delta_at[step]["repaired"]
    promised = float(corollaries.corrected_theorem1_approx(9, 1.0, 9.0, step).delta)
    assert found == pytest.approx(promised)
    assert promised < 0.7 < float(delta_of_pure(corollaries.bandit_step(2, 1.0, 9.0), step))


@pytest.mark.parametrize("beta0", [0.3, 1.0, 5.0, 400.0])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 50.0])
def test_best_threshold_of_the_printed_theorem_1(epsilon, beta0):
    """No N0 of a fine grid whose eps is small enough has a smaller delta."""
    eta, top, most = 0.2, 3.0, 1000
    best = claimed.theorem1_approx(
        4, most, eta, beta0, bounds.best_n0(epsilon, eta, beta0, top), top
    )
    assert best.epsilon <= epsilon
    grid = [
        claimed.theorem1_approx(4, most, eta, beta0, n0, top)
        for n0 in np.geomspace(1e-3, 1e9, 20_000)
    ]
    allowed = [b.delta for b in grid if b.epsilon <= epsilon]
    assert best.delta <= min(allowed) * (1 + 1e-9) + 1e-300
    assert best.delta == pytest.approx(min(allowed), rel=0.05)


@pytest.mark.parametrize(("side", "loss", "method", "refuted"), [
    ("found", 1.0, "bound", []),
    ("found", 1.1, "bound", ["pure_epsilon"]),
    ("exact", 1.1, "certified", ["pure_epsilon"]),
    ("at_most", 1.1, "bound", []),  # an upper bound refutes nothing
])  # fmt: skip
def test_a_loss_above_a_printed_bound_refutes_it(side, loss, method, refuted):
    comparison = Comparison({"printed": 1.0, "repaired": 3.0, side: loss}, {}, method, ())
    assert comparison.refuted_here() == refuted
    assert comparison.as_json().get("printed_below_the_loss", []) == refuted
