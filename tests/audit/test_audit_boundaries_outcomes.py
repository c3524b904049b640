"""Equality and ties in lazy transcripts, in outcomes of any kind, and in the zoo."""

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import (
    balls,
    blackbox,
    function,
    lazy,
)
from dpbandits.audit.engine.lazy_ts import Quadrature
from dpbandits.audit.engine.outcomes import _binned, coded
from dpbandits.audit.engine.piecewise import laplace_density
from dpbandits.audit.engine.transcripts import Law, epochs_of, transcripts
from dpbandits.audit.studies import zoo
from dpbandits.core.errors import InputError, ProofError

# Lazy transcripts


def test_transcripts_of_short_horizons():
    assert transcripts(1) == [(0,)]
    assert transcripts(1, 3) == [(0,)]
    assert transcripts(3, 3) == [(0, 1, 2)]
    assert transcripts(3) == [(0, 1, 0), (0, 1, 1)]


def test_the_row_that_changes_is_told():
    """One arm, two rows, of which the second one decides: coins 1/2 and 1/4."""
    law = Law(1, 2, [(0,), (1,)], np.log([[0.5, 0.5]] * 2 + [[0.25, 0.75]] * 2), 3)
    pure, where, _ = law.worst([])
    assert pure == pytest.approx(math.log(2))
    assert where == {"rewards": [[0], [0]], "neighbour": [[0], [1]], "changed_round": 2,
                     "played": [1]}  # fmt: skip


def test_a_probability_that_is_never_told_from_0_is_asked_for_eight_times(monkeypatch):
    bits = []

    def probability(*a):
        bits.append(balls.ctx.prec)
        return arb(1, 1)

    monkeypatch.setattr(lazy.lazy_ucb, "probability", probability)
    with pytest.raises(ProofError, match="not told from 0"):
        lazy.ucb_law(2, 1.0)
    assert bits == [256 << i for i in range(8)]


def test_equal_breaks_are_one_break():
    law = laplace_density(arb(0.5), 1)
    square = law * law
    assert (len(square.breaks), len(square.pieces)) == (1, 2)
    other = laplace_density(arb(1.5), 1) * law
    assert [float(x) for x in other.breaks] == [0.5, 1.5]
    both = other * law
    assert [float(x) for x in both.breaks] == [0.5, 1.5]
    assert float(both.total()) == pytest.approx(float((law * other).total()), rel=1e-12)


def test_a_mean_that_is_used_in_the_last_round_counts():
    assert [e.used_from for e in epochs_of((0, 1, 0))] == [2, 3]


def test_what_one_table_can_never_play_tells_it_apart():
    """Tables 0 and 1, transcripts of probability (1/2, 1/2) and (1, 0)."""
    with np.errstate(divide="ignore"):
        law = Law(1, 1, [(0,), (1,)], np.log([[0.5, 0.5], [1.0, 0.0]]), 1)
    pure, where, deltas = law.worst([0.0])
    assert (pure, deltas) == (math.inf, {0.0: pytest.approx(0.5)})
    assert where == {"rewards": [[0]], "neighbour": [[1]], "changed_round": 1, "played": [2]}


@pytest.mark.parametrize("epsilon", [0.3, 60.0])
@pytest.mark.parametrize(("size", "total"), [(1, 1), (4, 2)])
def test_nodes_carry_the_whole_law_of_a_sharp_mean(epsilon, size, total):
    """Panels are no wider than the noise: else the cusp is lost in them."""
    masses = Quadrature(6, epsilon).line(size).masses(total, epsilon)
    assert masses.sum() == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize(("arms", "most"), [(2, 3), (3, 4)])
def test_tables_are_enumerated_up_to_the_last_round_that_is_allowed(monkeypatch, arms, most):
    monkeypatch.setattr(lazy, "MOST_ROUNDS", {2: 3, 3: 4})
    for horizon, method in ((most, "exact"), (most + 1, "bound")):
        keys = {"algorithm": "anytime-lazy-ucb", "epsilon": 1.0, "arms": arms, "horizon": horizon}
        assert lazy.audit_lazy(lazy.LazyParams(**keys), []).method == method


def test_the_least_epsilon_of_thompson_sampling():
    keys = {"algorithm": "lazy-dp-ts", "horizon": 2}
    assert lazy.audit_lazy(lazy.LazyParams(epsilon=1e-3, **keys), []).method == "exact"
    with pytest.raises(InputError, match=r"at least 0\.001"):
        lazy.audit_lazy(lazy.LazyParams(epsilon=0.99e-3, **keys), [])


@pytest.mark.parametrize(
    ("horizon", "doubling", "phase"),
    [(1, 0, 0), (2, 1, 1), (3, 1, 2), (7, 2, 5), (8, 4, 5), (9, 4, 6), (10, 4, 7), (11, 4, 7)],
)
def test_longest_epochs_by_hand(horizon, doubling, phase):
    """floor(n) + floor(n/e) + .. rounds end before the last: 5 + 1, 6 + 2, 7 + 2, 8 + 2 + 1."""
    assert lazy.longest_epoch("printed", horizon) == doubling
    assert lazy.longest_epoch("phase", horizon) == phase


def test_which_variants_are_audited_as_if_drawn_lengths_were_seen():
    for variant, epoch in (("printed", 2), ("prefix", 2), ("phase", 1)):
        keys = {"algorithm": "rnm-ftnl", "epsilon": 1.0, "horizon": 9, "variant": variant}
        found = lazy.audit_lazy(lazy.LazyParams(**keys), [])
        drawn = variant != "printed"
        assert ("gap" in found.worst_neighbour, found.method == "bound") == (drawn, drawn)
        assert found.worst_neighbour["epoch"] == epoch


# Outcomes, functions, the zoo


@pytest.mark.parametrize("columns", [1, 2])
def test_bins_are_cut_at_the_middle_of_both_first_halves(monkeypatch, columns):
    """0, 10 and 20, 30 of 4 runs each choose the cut: 15, whatever the others are."""

    class Score:
        def __init__(self, **options):
            pass

        def fit(self, rows, labels):
            assert (rows[:, 0].tolist(), labels.tolist()) == ([0, 10, 20, 30], [0, 0, 1, 1])

        def decision_function(self, rows):
            return rows[:, 0]

    monkeypatch.setattr("sklearn.ensemble.HistGradientBoostingClassifier", Score)
    rows = np.array([0, 10, 99, 98, 20, 30, -99, -98.0])[:, None] * np.ones(columns)
    found = _binned(rows, 4, 2)
    assert (found.first.tolist(), found.second.tolist()) == ([0, 0, 1, 1], [1, 1, 0, 0])
    what = "outcome" if columns == 1 else "score of a classifier"
    assert found.said(np.array([0])) == f"{what} in (-inf, 15]"
    assert found.said(np.array([1])) == f"{what} in (15, inf]"


def test_whole_numbers_beside_numbers_are_numbers():
    whole, numbers = np.zeros(300, int), np.arange(300) / 7
    for first, second in ((whole, numbers), (numbers, whole)):
        assert coded(first, second, 150).said(np.array([0])).startswith("outcome in (")


def test_rows_of_whole_numbers_are_vectors_and_a_lone_entry_is_not_its_vector():
    rows = np.array([[0, 1], [1, 1], [0, 1]])
    found = coded(rows, rows[::-1], 1)
    assert found.first.tolist() == [0, 1, 0] == found.second.tolist()
    mixed = coded([(1,)], [1], 1)
    assert mixed.first[0] != mixed.second[0]


@pytest.mark.parametrize("name", ["math", ":f", "math:", ":", ""])
def test_names_of_functions_that_are_none(name):
    with pytest.raises(InputError, match=r"package\.module:function"):
        function.load(name)


def test_nothing_found_refutes_nothing():
    params = function.FunctionParams(data=[0], neighbour=[1], runs=100, epsilon=0.0,
                                     confidence=1 - 1e-12)  # fmt: skip
    found = function.audit_function(lambda data, generator: 0, params)
    assert (found.epsilon, found.refuted) == (0.0, False)
    few = function.FunctionParams(data=[0], neighbour=[1], runs=100, delta=0.99)
    assert function.audit_function(lambda data, generator: 0, few).largest_provable == 0.0


def test_a_bound_at_the_claim_does_not_refute_it(monkeypatch):
    specimen = zoo.specimens()[0]
    monkeypatch.setattr(zoo, "specimens", lambda: [specimen])
    for bound, refuted in ((1.0, 0.0), (1.001, 1.0)):
        tried = []
        monkeypatch.setattr(zoo, "_trial", lambda *a, b=bound, t=tried: t.append(a[2:]) or b)
        table = zoo.zoo_table(zoo.ZooParams(samples=(100,), trials=2))
        assert table["refuted"].tolist() == [refuted]
        assert tried == [(blackbox.CONFIDENCE, (0, 100, trial)) for trial in range(2)]
    assert table["defect"].tolist() == ["none"]
    assert all(a.mechanism and a.defect != b.defect for a, b in pairwise(zoo.specimens()[:3]))
