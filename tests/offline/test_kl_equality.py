"""Equality and ties in KL's engines: what is exactly at a limit, which of two equals is told."""

from functools import partial
from math import inf, log

import numpy as np
import pandas as pd
import pytest
from flint import arb

from dpbandits.offline import theory
from dpbandits.offline.bandit import attack as bandit_attack
from dpbandits.offline.bandit.loss import exact_loss, exact_losses
from dpbandits.offline.engine import attack, families, quadratic_ratio, sampling, verdicts
from dpbandits.offline.engine.crossing import Crossing, Step
from dpbandits.offline.engine.families_rlhf import PreferenceFamily
from dpbandits.offline.engine.search import maximise
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.attack import LinearAttack
from dpbandits.offline.preference.attack import PreferenceAttack
from dpbandits.offline.studies import tightness

EVEN = np.log([0.5, 0.5])


# --- counterexamples and verdicts ---------------------------------------------------------------
def test_what_holds_with_equality_is_no_counterexample():
    assert not Step("", arb(1), arb(1)).fails
    assert not Crossing(arb(1), arb(1), "").proved
    promised = Crossing(
        arb(1), arb(0), "", repaired=(theory.Bound(0.5, 0.25), theory.Bound(1, 0.1))
    )
    assert [promised.repaired_delta(e) for e in (0.5, 0.9, 1.0)] == [0.25, 0.25, 0.1]
    assert np.isnan(promised.repaired_delta(0.4))


def crossed(allowed=0.125, epsilon=None, repaired=(), quantity="delta"):
    pair = [arb(0.75), arb(0.25)], [arb(0.25), arb(0.75)]
    step = Step("the step", arb(1), arb(0))
    epsilon = None if epsilon is None else arb(epsilon)
    return Crossing(arb(0.5), arb(allowed), "w", epsilon, pair, (step,), quantity, tuple(repaired))


@pytest.mark.parametrize(
    ("crossing", "measured", "slack"),
    [
        (crossed(), "delta 0.5", "exceeded by a factor 4"),
        (crossed(0.0, 0.25), "delta 0.5 at eps=0.25", "exceeded where 0 is allowed"),
    ],
)
def test_what_a_refutation_says(crossing, measured, slack):
    told = verdicts.refuted(crossing, "repaired", tightness="t", evidence=("more",))
    assert (told.measured, told.slack, told.proof_step) == (measured, slack, "the step")
    assert (told.verdict, told.method) == ("violated", "certified")
    assert (told.repaired, told.repaired_method) == ("repaired", "proof")
    assert told.evidence[-1] == "more"


def test_where_the_points_of_a_counterexample_stand():
    """delta allowed 1/8 from eps = 1/4 on: grid 0, 1/32, .., 1/4 and on to 1/2; a repaired bound
    beyond (3/2 > 3 x 1/2 is not) stretches it to 1.1 of its eps, and stands on the grid itself."""

    def grid(**keys):
        found = verdicts.crossing_points(crossed(**keys))
        return found, [float(x) for x in found.x]

    plain, places = grid(epsilon=0.25)
    assert places == pytest.approx(sorted({i / 32 for i in range(17)}))
    assert np.isnan(plain.at_most[:8]).all()
    assert set(plain.at_most[8:]) == {0.125}
    far = theory.Bound(1.5, 0.1)
    assert grid(epsilon=0.25, repaired=(far,))[1] == places
    near = theory.Bound(1.0, 0.25)
    stretched = grid(epsilon=0.25, repaired=(near,))[1]
    assert (max(stretched), 1.0 in stretched) == (pytest.approx(1.1), True)
    for count, own in ((8, True), (9, False)):
        many = [theory.Bound(0.3 + i / 50, 0.45) for i in range(count)]
        assert (many[1].epsilon in grid(epsilon=0.25, repaired=many)[1]) == own
    at_zero = grid(epsilon=0.0)[1]
    assert at_zero == pytest.approx([i / 8 for i in range(9)])  # up to 1, twice 0 being 0
    pure, places = grid()  # the allowed pure loss 1/8, the measured one 1/2
    assert max(places) == pytest.approx(0.55)
    assert set(pure.at_most[8:]) == {0.0}
    assert float(pure.measured[0]) == pytest.approx(0.5)


def test_a_repaired_bound_that_only_just_reaches_the_grid():
    """3 x the end of the grid is 1.5 at eps = 1/4: a bound there is not near."""
    found = verdicts.crossing_points(crossed(epsilon=0.25, repaired=(theory.Bound(1.5, 0.1),)))
    assert float(max(found.x)) == pytest.approx(0.5)


def test_the_first_point_is_at_the_very_eps_that_is_promised():
    """delta = 3/4 - e^eps/4 just below ln 3, where a fraction near eps would not do."""
    epsilon = log(3) - 1e-13
    true = (theory.Bound(0.0, 1.0),)
    found = verdicts.crossing_points(crossed(0.0, epsilon, true))
    exact = 0.75 - arb(epsilon).exp() / 4
    assert 0 < exact < 1e-13
    assert float(found.measured[8]) == pytest.approx(float(exact), rel=1e-2, abs=0)


def test_tables_that_are_empty_prove_nothing():
    rows = pd.DataFrame({
        "claim": ["A"], "worst": [0.5], "data_sets": [3], "crossed": [1],
        "bound": ["b"], "ratio": [0.5], "dimension": [0], "instances": [9],
    })  # fmt: skip
    for asked in ("A", "B"):  # crossed, and not there at all
        with pytest.raises(Exception, match="contradicts the proof"):
            verdicts.proved(lambda name: rows, asked, "S", "bound")
    for asked in ("b", "c"):
        with pytest.raises(Exception, match="the attack crosses it"):
            verdicts.attacked(lambda name: rows, asked)


def test_what_an_attack_came_to():
    rows = pd.DataFrame({
        "bound": ["b", "b", "b (small delta)", "other"], "ratio": [0.5, 0.75, 0.25, 2.0],
        "dimension": [1, 2, 0, 1], "instances": [1000, 500, 200, 9], "crossed": [0, 0, 0, 1],
    })  # fmt: skip
    assert verdicts.attacked(lambda name: rows, "b") == (
        "true/bound 0.7500 (d = 2); true/bound 0.2500 where $10^{-6} \\le \\delta \\le 0.1$; no "
        "crossing in 1,700 adversarial instances: figures/kl/attacks.csv, rows `b`, has the nearest"
    )


# --- the worst neighbours, searches, attacks ----------------------------------------------------
def test_of_two_equal_neighbours_the_first_is_told():
    worst, again, law = Worst((0.1,)), Worst((0.1,)), np.log([[0.25, 0.75]])
    for name in ("first", "second"):
        worst.see(EVEN, law, lambda i, name=name: {"row": name})
    again.see(EVEN, law, lambda i: {"row": "third"})
    worst.merge(again)
    assert worst.found() == [{"row": "first"}] * 2


def test_rows_are_searched_anew_four_times_at_most():
    worst, searched = Worst(), []
    worst.neighbour = {"row": 0}

    def put(found):
        worst.neighbour = {"row": found["row"] + 1}

    worst.in_other_rows(put, searched.append)
    assert searched == [1, 2, 3, 4]


def test_quadratic_ratios_are_asked_for_fourteen_times(monkeypatch):
    """(y^2 + y)/(1 + y^2) where 4 y^2 <= 1: at y = 1/2, 3/5."""
    asked, top = [], quadratic_ratio._top
    monkeypatch.setattr(quadratic_ratio, "_top", lambda *a: asked.append(a[3].copy()) or top(*a))
    found, at = quadratic_ratio.ratio_maximum(np.ones((1, 1, 1)), np.ones((1, 1)), np.array([4.0]))
    assert len(asked) == 14
    assert (found[0], at[0, 0]) == (pytest.approx(0.6, rel=1e-4), pytest.approx(0.5, rel=1e-2))
    assert found[0] >= 0.6


def test_a_flat_search_stays_where_it_began():
    start = np.array([[0.25, 0.5]])
    point, value = maximise(lambda p: np.zeros(len(p)), start, 1.0, "flat", rounds=3)
    assert (point.tolist(), value) == ([0.25, 0.5], 0.0)


def test_ratios_at_the_tolerance_do_not_cross():
    target = attack.Attack("flat", 2, lambda x: np.full(len(x), 1.5), None)
    assert attack.attack(target, 4000, 0.5, np.random.default_rng(0)).crossed == 0
    row = tightness._row("c", "f", [{"x": 1}], np.array([1 + tightness.ROUNDING]))
    assert (row["crossed"], row["data_set"]) == (0, "")


def test_an_instance_at_its_middle_is_an_addition():
    assert not bandit_attack._decode(np.zeros((1, 13)))["removal"].any()
    for group in (LinearAttack(1), PreferenceAttack(1, False)):
        assert not group.decode(np.zeros((1, group.size)))["removal"].any()


def test_ratios_of_nothing():
    assert [sampling.ratio(0.0, 0.0), sampling.ratio(1.0, 0.0), sampling.ratio(1.0, 2.0)] == [
        0.0, inf, 0.5,
    ]  # fmt: skip


# --- families -----------------------------------------------------------------------------------
def test_rewards_of_arms_that_always_or_never_won():
    data = families.BanditFamily().records(np.array([3, 3, 3]), np.array([3, 0, 1]))
    assert (data.lowest.tolist(), data.highest.tolist()) == ([1, 0, 0], [1, 0, 1])
    lone = {"counts": np.array([1, 5]), "wins": np.array([1, 2])}
    lone |= {"eta": 0.5, "beta0": 1.0, "n0": 2.0}
    found = families.BanditFamily().evaluate([lone])
    assert found["KL-T1-pure"] == 0.0  # Theorem 1 speaks of two records of each arm and more


def test_a_swap_is_set_against_its_two_steps(monkeypatch):
    """By enumeration: the worst removal, or the worst addition to what some removal leaves."""
    counts, wins, eta, beta0 = np.array([2, 3]), np.array([0, 2]), 0.5, 1.0
    family, seen = families.SwapFamily(), []

    def noted(data, *rest, **more):
        seen.append(data)
        return exact_losses(data, *rest, **more)

    monkeypatch.setattr(families, "exact_losses", noted)
    three = {"counts": np.array([2, 3, 1]), "wins": np.array([0, 2, 1])}  # another batch
    settings = {"eta": eta, "beta0": beta0, "n0": 1.0}
    population = [three | settings, {"counts": counts, "wins": wins} | settings]
    lost, found = family.evaluate(population)["KL-P1a"]
    assert lost == 0.0  # a removal that leaves an arm without records loses all: no ratio
    assert all((data.sums >= 0).all() and (data.sums <= data.counts).all() for data in seen)
    loss = partial(exact_loss, eta=eta, beta0=beta0)
    left = [([1, 3], [0, 2]), ([2, 2], [0, 2]), ([2, 2], [0, 1])]
    steps = [loss(family.records(counts, wins), kinds=("remove",)).pure]
    steps += [loss(family.records(*map(np.array, x)), kinds=("add",)).pure for x in left]
    swap = loss(family.records(counts, wins), kinds=("swap",)).pure
    assert found == pytest.approx(swap / (2 * max(steps)), rel=1e-12)


def test_records_that_are_not_there_are_not_taken():
    family = PreferenceFamily()
    column = {
        "counts": np.array([[0, 5, 9, 2, 7, 1, 3, 4.0]]), "actions": np.eye(3, 2)[None],
        "eta": np.ones(1), "beta0": np.ones(1), "B": np.ones(1), "lambda0": np.ones(1),
    }  # fmt: skip
    base, _, _ = family._policies(column["counts"], column)
    label, record = family._neighbours(base, column)
    assert (label.shape, record.shape) == ((1, 8, 3), (1, 16, 3))
    for found in (label[0, 0], record[0, 0]):  # the first kind: no flip, no removal
        assert found == pytest.approx(base[0], abs=1e-12)
    assert (np.abs(label[0, 1:] - base[0]).max(axis=1) > 1e-6).all()
    assert (np.abs(record[0, 1:] - base[0]).max(axis=1) > 1e-6).all()


@pytest.mark.parametrize("family", [PreferenceFamily(), families.LinearFamily()])
def test_a_data_set_is_judged_as_if_it_were_alone(family):
    generator = np.random.default_rng(6)
    population = [family.draw(generator) for _ in range(12)]
    together, alone = family.evaluate(population), [family.evaluate([own]) for own in population]
    for claim, values in together.items():
        assert values == pytest.approx([own[claim][0] for own in alone], rel=1e-9), claim


def test_a_loss_of_nothing_is_told_all_the_same():
    """Equal policies: the neighbour that was looked at is named, also where it comes from others;
    one that loses no more takes nobody's place."""
    one, whole = Worst((0.5,)), Worst((0.5,))
    one.see(EVEN, EVEN[None], lambda i: {"kind": "add"})
    whole.merge(one)
    assert (whole.pure, whole.delta, whole.found()) == (0.0, {0.5: 0.0}, 2 * [{"kind": "add"}])
    other = Worst((0.5,))
    other.see(EVEN, EVEN[None], lambda i: {"kind": "remove"})
    whole.merge(other)
    whole.see(EVEN, EVEN[None], lambda i: {"kind": "swap"})
    assert whole.found() == 2 * [{"kind": "add"}]
