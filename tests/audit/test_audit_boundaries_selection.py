"""Equality and ties in the audits of peeling, N-IHT and report-noisy-max."""

import math

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import (
    balls,
    niht,
    peeling,
    rnm,
)
from dpbandits.audit.engine import peeling_two, rnm_search
from dpbandits.audit.selection import event_excess
from dpbandits.audit.studies import lemma_a2
from dpbandits.core.mechanisms import PrivacyLoss


def loss(pure, deltas=None, method="certified", **worst):
    return PrivacyLoss(pure, deltas or {}, worst, method)


# Peeling and N-IHT


def test_where_the_loss_of_peeling_ends():
    """3 s r: nothing is left there, by no way of bounding; r at dyadic numbers is exact."""
    assert peeling.delta_upper(arb(2) ** -7, 61, 70, 3 * 61 / 128).is_zero()
    for d in (2, 3):
        found = peeling.audit_ratio(arb(0.5), 1, d, [1.5])
        assert (found.delta_at, found.worst_neighbour["delta_at"]) == ({1.5: 0.0}, {})
    assert peeling.audit_upper(arb(0.5), 1, 2, [1.5]).delta_at == {1.5: 0.0}
    assert not peeling.one_of_two(arb(50), 1, 2)


def test_which_composition_bounds_peeling(monkeypatch):
    for name in ("composed_upper", "renyi_upper"):
        monkeypatch.setattr(peeling, name, lambda *a, name=name: (name, *a[1:]))
    found = [peeling.delta_upper(arb(1), s, d, 1.0, steps) for s, d, steps in
             ((20, 30, 3), (20, 20, 3), (61, 70, 1))]  # fmt: skip
    assert found == [("composed_upper", 60, 60, 1.0), ("composed_upper", 57, 60, 1.0),
                     ("renyi_upper", 61, 61, 1.0)]  # fmt: skip


@pytest.mark.parametrize(
    ("shift", "releases", "epsilon", "order"), [(1e-3, 1, 0.9e-3, 129), (3.0, 400, 844.5, 17 / 16)]
)
def test_the_first_and_the_last_order_of_renyi(shift, releases, epsilon, order):
    """Orders 1 + 2^(-16/4) to 1 + 2^(28/4): where a smaller or a larger one would be better."""
    a = order
    moment = (a * math.exp((a - 1) * shift) + (a - 1) * math.exp(-a * shift)) / (2 * a - 1)
    bound = releases * math.log(moment) - (a - 1) * epsilon + (a - 1) * math.log1p(-1 / a)
    found = peeling.renyi_upper(arb(shift), 0, releases, epsilon)
    assert float(found) == pytest.approx(math.exp(bound) / a, rel=1e-9)
    assert found < 1


def test_tails_that_take_too_many_bits_are_not_computed():
    """2 r (2 + 2) of 65536 and more; the loss is at most 4 r."""
    assert peeling.composed_upper(arb(8192), 1, 2, 32000.0) < 1
    assert peeling.composed_upper(arb(8193), 1, 2, 32000.0) == 1


def test_a_grid_that_is_refined_by_hand():
    """Six points, three times: steps 2, 0.8, 0.32 about 4, 3.6, 3.44; never below 0."""
    assert peeling._best(lambda g: -((g - 3.3) ** 2), 0.0, 10.0) == pytest.approx(3.44)
    assert peeling._best(lambda g: -g, 0.0, 10.0) == 0.0


def test_the_lemma_at_its_own_delta(monkeypatch):
    for high, low, verdict in ((0.25, 0.0, "proved"), (0.5, 0.25, "open"), (0.5, 0.26, "violated")):
        monkeypatch.setattr(peeling, "delta_upper", lambda *a, x=high: arb(x))
        monkeypatch.setattr(peeling, "delta_lower", lambda *a, x=low: (arb(x), 0.0))
        assert peeling.lemma(1, 3, 1.0, 0.25)[0] == verdict


def test_the_table_of_the_lemma_takes_the_outer_ends_of_its_balls(monkeypatch):
    told = [("open", arb(0.25, 0.125), arb(0.5, 0.125)), ("proved", arb(-1), arb(2))]
    monkeypatch.setattr(lemma_a2, "lemma", lambda *a: told.pop(0))
    params = lemma_a2.LemmaParams(d=3, sparsity=(1,), epsilon=(1.0, 2.0), delta=(0.1,))
    rows = lemma_a2.lemma_table(params)[["delta_at_least", "delta_at_most"]].to_numpy()
    assert rows == pytest.approx(np.array([[0.125, 0.625], [0.0, 1.0]]), rel=1e-8)


def test_tangents_meet_inside_or_nothing_is_said():
    """Slopes 0 and 1 at p = 1/4 (height q) and 3/4 (height q2): x = 3/4 + q - q2, y = q."""

    def meet(q, q2, p=0.25, p2=0.75):
        return peeling_two._tangents(
            (arb(p), arb(q), arb(0)), (arb(p2), arb(q2) if isinstance(q2, float) else q2, arb(1))
        )

    x, y = meet(0.125, 0.375)
    assert (x, y) == (arb(0.5), arb(0.125))
    for q, q2 in ((0.125, 0.875), (0.125, 0.9), (0.125, -0.125), (0.125, -0.2), (0.0, 0.25),
                  (-0.125, 0.125), (0.125, arb(0.375, 1e-11))):  # fmt: skip
        assert meet(q, q2) is None
    assert meet(0.125, 0.375, p=0.0) is None  # the slopes at the ends of the line are not known
    assert meet(0.125, 0.375, p2=1.0) is None


def test_impossible_outcomes_of_peeling():
    half, ratio, epsilon = arb(0.5), arb(1), arb(0.5)
    assert peeling_two._outcome(arb(0), half, ratio, epsilon) == 0
    assert peeling_two._outcome(half, arb(0), ratio, epsilon) == half


@pytest.mark.parametrize(("ratio", "epsilon", "width"), [(0.5, 0.2, 1.01e-8), (0.5, 1.4, 1.01e-8)])
def test_one_of_two_is_as_sharp_as_it_says(ratio, epsilon, width):
    found, _ = peeling_two.delta_two(arb(ratio), epsilon)
    assert balls.upper(found) - balls.lower(found) < width
    assert balls.upper(found) < 1.006 * balls.lower(found)


def test_niht_at_equality(monkeypatch):
    """x R = x C = R = 1: 4 in the first step, 8 later; at scale 64 s = 1 loses 3/16, then 3/8."""
    assert niht.sum_tail(3, arb(0)) == 0.5
    monkeypatch.setattr(niht, "smallest", lambda audit, *a, **k: audit)
    sizes = {"x_max": 1, "reward_clip": 1, "b_max": 1, "n": 100, "d": 3, "steps": 2, "s": 1}
    audit = niht.calibrate_niht(niht.NihtTarget(**sizes), 1.0)
    found = audit(64.0, [9 / 16, 0.5])
    assert (found.pure_epsilon, found.delta_at[9 / 16]) == (9 / 16, 0.0)
    assert found.delta_at[0.5] > 0
    single = niht.NihtParams(**(sizes | {"steps": 1, "n": 10**6}), epsilon=2.0, delta=0.1)
    low, test = niht.delta_lower(single, 100.0)
    assert low == 0
    assert test.startswith("the sum")  # nothing is lost: no test is better


# Report-noisy-max


def test_the_cut_at_the_proved_limit_claims_only_what_is_sure():
    wide = rnm._below_limit(arb(1, 0.125), 1, 1.0)
    assert float(wide.rad()) == pytest.approx(0.125)
    with balls.precision(512):
        third = arb(1) / 3  # the limit 1/3 is no float: the ball is what is known
        assert float(rnm._below_limit(third, 1, 3.0).rad()) < 1e-150
        near = rnm._below_limit(arb(1, arb(2) ** -200), 1, 1.0)
        assert balls.upper(near) == 1.0
        assert float(near.rad()) == 2.0**-100
        assert rnm._below_limit(arb(0.5), 1, 1.0) == arb(0.5)
        assert rnm._below_limit(arb(1, (1, -100)), 1, 1.0).mid() == 1  # as wide as the cut one


def test_where_the_loss_of_noisy_max_ends():
    params = rnm.RnmParams(scale=2.0, arms=2, rounds=4, adjacency="replace")
    pure = rnm.pure_loss(2.0, 2, 4, "replace")
    assert rnm.worst_delta(params, balls.upper(pure), pure) == (arb(0), {}, "certified")
    assert rnm.worst_delta(params, balls.lower(pure), pure)[1]


def test_which_calibration_goes_by_pairs(monkeypatch):
    monkeypatch.setattr(rnm, "calibrate_by_pairs", lambda *a: "pairs")
    monkeypatch.setattr(rnm, "smallest", lambda *a, **k: "bisection")
    for arms, delta, way in ((2, 0.1, "bisection"), (3, 0.0, "bisection"), (3, 0.1, "pairs")):
        target = rnm.RnmTarget(arms=arms, rounds=2, adjacency="replace")
        assert rnm.calibrate_rnm(target, 1.0, delta) == way


def test_calibration_by_pairs_ends_at_the_least_scale():
    """A stub that always passes: 1, 1/20, 1/400, .. down to 10^-6, where it stops."""
    asked = []

    def audit(scale, at):
        asked.append(scale)
        return loss(5.0, {at[0]: 0.0})

    found = rnm.calibrate_by_pairs(audit, 1.0, 0.1, 20.0, "laplace")
    assert asked[:3] == pytest.approx([1, 1 / 20, 1 / 400])
    assert (found.noise, found.audited_epsilon) == ({"scale": 1e-6}, 1.0)


def test_what_can_be_enumerated_by_hand():
    """8 + ceil(1.5 K max(1, 1/b)) nodes an interval; the line of 0..1 with 30 stretches each side
    has 61; 2 x 2 pairs for K = 2 and rounds = 1, twice: 61 x 11 x 4 x 2 = 5368."""
    nodes = [rnm_search._nodes_per_interval(*x) for x in ((1.0, 2), (1.0, 3), (0.25, 3), (2.0, 3))]
    assert nodes == [11, 13, 26, 13]
    for scale, rounds, count in ((1.0, 1, 30), (1.5, 2, 30), (0.35, 1, 11)):
        edges = rnm_search._edges(scale, rounds)
        assert len(edges) == 2 * count + rounds + 1
        assert edges[[0, -1]] == pytest.approx([-30 * scale, rounds + 30 * scale])
        assert (np.diff(edges) > 0).all()


@pytest.mark.parametrize(
    ("most", "call", "answer"),
    [
        (5368, (1.0, 2, 1, 1.0), True), (5367, (1.0, 2, 1, 1.0), False),
        (6e9, (1.0, 8, 1, 1.0), True), (6e9, (1.0, 9, 1, 1.0), False),
        (6e9, (1.0, 3, 1, 500.0), True), (6e9, (1.0, 3, 1, 500.1), False),
        (6e9, (1 / 330.6, 2, 1, 1.0), True), (6e9, (1 / 331, 2, 1, 1.0), False),
    ],
)  # fmt: skip
def test_where_enumeration_ends(monkeypatch, most, call, answer):
    monkeypatch.setattr(rnm_search, "MOST_WORK", most)
    assert rnm_search.affordable(*call) == answer


def test_laws_of_noise_at_zero():
    for noise, cdf, density in (("laplace", 0.5, 0.5), ("exponential", 0.0, 1.0),
                                ("gumbel", math.exp(-1), math.exp(-1))):  # fmt: skip
        found = rnm_search._law(noise, np.zeros(1))
        assert [float(x[0]) for x in found] == pytest.approx([cdf, density])


@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("difference", range(-3, 6))
def test_two_counts_by_their_definition(difference, shift):
    before, after = rnm_search.two_counts(difference, shift)
    assert (before[0] - before[1], after[0] - after[1]) == (difference, difference - shift)
    moves = sorted(abs(a - b) for a, b in zip(before, after, strict=True))
    assert moves == [2 - 2 + (shift == 2), 1]
    lowered = [max(0, x - 1) for x in (*before, *after)]
    assert min(*before, *after) == 0 or lowered == [0] * 4  # as small as can be


@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_climbing_finds_the_best_of_its_levels(adjacency):
    """All differences of two levels, for one, half and all but one of nine arms."""
    params = rnm.RnmParams(scale=1.3, arms=9, rounds=5, adjacency=adjacency)
    shift, epsilon, best = rnm_search.SHIFT[adjacency], 0.2, -1.0
    for size in (1, 4, 8):
        for d in range(shift - 5, 6):
            before, after = rnm_search.two_counts(d, shift)
            pair = [[x[0]] * size + [x[1]] * (9 - size) for x in (before, after)]
            best = max(best, float(event_excess(*pair, size, 1.3, epsilon)))
    size, before, after, doubt = rnm_search.climb(params, epsilon)
    assert float(event_excess(before, after, size, 1.3, epsilon)) == pytest.approx(best, rel=1e-12)
    assert max(*before, *after) <= 5
    assert doubt == math.inf


def test_calibration_by_pairs_gives_up_after_twenty_audits(monkeypatch):
    monkeypatch.setattr(rnm, "smallest", lambda *a, **k: "bisection")
    asked, pair = [], {"counts": [1, 0], "neighbour": [0, 1], "outputs": [0]}

    def audit(scale, at):
        asked.append(scale)
        return loss(5.0, {at[0]: 1.0}, delta_at={"1": pair})

    assert rnm.calibrate_by_pairs(audit, 1.0, 0.1, 20.0, "laplace") == "bisection"
    assert len(asked) == 1 + 20
