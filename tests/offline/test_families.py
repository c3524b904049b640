"""Families of data sets, at numbers by hand."""

from functools import partial

import numpy as np
import pytest

from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.problem import BanditData
from dpbandits.reproduction.kl.attacks import families
from dpbandits.reproduction.kl.attacks.families import PreferenceFamily


def test_rewards_of_arms_that_always_or_never_won():
    data = BanditData.from_wins(np.array([3, 3, 3, 0]), np.array([3, 0, 1, 0]))
    assert data.lowest.tolist() == [1, 0, 0, np.inf]
    assert data.highest.tolist() == [1, 0, 1, -np.inf]
    lone = {"counts": np.array([1, 5]), "wins": np.array([1, 2])}
    lone |= {"eta": 0.5, "beta0": 1.0, "n0": 2.0}
    found = families.BanditFamily().evaluate([lone])
    assert found["KL-T1-pure"] == 0.0  # Theorem 1 speaks of two records of each arm and more


def test_a_swap_is_set_against_its_two_steps():
    """By enumeration: the worst removal, or the worst addition to what some removal leaves."""
    counts, wins, eta, beta0 = np.array([2, 3]), np.array([0, 2]), 0.5, 1.0
    family = families.SwapFamily()
    three = {"counts": np.array([2, 3, 1]), "wins": np.array([0, 2, 1])}  # another batch
    settings = {"eta": eta, "beta0": beta0, "n0": 1.0}
    population = [three | settings, {"counts": counts, "wins": wins} | settings]
    lost, ratio = family.evaluate(population)["KL-P1a"]
    assert lost == 0.0  # a removal that leaves an arm without records loses all: no ratio
    loss = partial(exact_loss, eta=eta, beta0=beta0)
    left = [([1, 3], [0, 2]), ([2, 2], [0, 2]), ([2, 2], [0, 1])]
    steps = [loss(BanditData.from_wins(counts, wins), kinds=("remove",)).pure]
    steps += [loss(BanditData.from_wins(*map(np.array, x)), kinds=("add",)).pure for x in left]
    swap = loss(BanditData.from_wins(counts, wins), kinds=("swap",)).pure
    assert ratio == pytest.approx(swap / (2 * max(steps)), rel=1e-12)


def test_records_that_are_not_there_are_not_taken():
    family = PreferenceFamily()
    column = {
        "counts": np.array([[0, 5, 9, 2, 7, 1, 3, 4.0]]), "actions": np.eye(3, 2)[None],
        "eta": np.ones(1), "beta0": np.ones(1), "B": np.ones(1), "lambda0": np.ones(1),
    }  # fmt: skip
    base, _, _ = family.policies(column["counts"], column)
    label, record = family.neighbours(column)
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


def test_ratio_is_0_where_theorems_3_and_4_do_not_apply():
    """|z| <= 2, so removing a record takes up to 4 from lambda_min, which must leave some."""
    family = PreferenceFamily()
    data = family.draw(np.random.default_rng(0)) | {"counts": np.eye(8)[0]}  # one direction alone
    ratios = family.evaluate([data])
    assert len(ratios) == 6
    assert {x for values in ratios.values() for x in values} == {0.0}
