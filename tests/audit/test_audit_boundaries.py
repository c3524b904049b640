"""Equality and ties in the audits: what is exactly at a limit, and which of two equals is told."""

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import (
    balls,
    blackbox,
    calibrate,
    exponential,
    function,
    laplace,
    lazy,
    niht,
    peeling,
    rnm,
    selection,
)
from dpbandits.audit.engine import peeling_two, rnm_search
from dpbandits.audit.engine.lazy_ts import Quadrature
from dpbandits.audit.engine.outcomes import _binned, coded
from dpbandits.audit.engine.piecewise import laplace_density
from dpbandits.audit.engine.transcripts import Law, epochs_of, transcripts
from dpbandits.audit.selection import event_excess
from dpbandits.audit.studies import lemma_a2, zoo
from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.mechanisms import PrivacyLoss

# Balls


def test_a_float_bounds_itself():
    for x in (0.0, 1.0, -0.5, 2.0**-60):
        assert balls.lower(arb(x)) == balls.upper(arb(x)) == x


@pytest.mark.parametrize(
    ("radii", "start", "asked"),
    [
        ([50], 64, [64]),  # as narrow as was asked for
        ([40, 41, 42, 42], 64, [64, 128, 256, 512]),  # half as wide is progress, equally wide not
        ([1, 2, 3, 4], balls.MOST_BITS // 2, [balls.MOST_BITS // 2, balls.MOST_BITS]),
        ([1, 2, 3], balls.MOST_BITS, [balls.MOST_BITS]),
    ],
)
def test_when_sharp_stops(radii, start, asked):
    """Balls around 1 of radius 2^-n for each n in turn, asked to be within 2^-50."""
    bits, left = [], list(radii)

    def compute():
        bits.append(balls.ctx.prec)
        return arb(1, (1, -left.pop(0)))

    balls.sharp(compute, 2.0**-50, start)
    assert bits == asked


PRECISIONS = [  # module, what is computed there, the bits it asks for, most of them first
    (exponential, lambda: exponential.audit_exponential(
        exponential.ExponentialParams(epsilon=1.0), [0.5]), [128]),
    (exponential, lambda: exponential.audit_randomized_response(
        exponential.RandomizedResponseParams(epsilon=1.0), [0.5]), [128]),
    (laplace, lambda: laplace.audit_laplace(laplace.LaplaceParams(scale=1.0), []), [1 << 15]),
    (niht, lambda: niht.audit_niht(niht.NihtParams(**niht.SMALL, epsilon=1.0, delta=0.01), [1.0]),
     [1024, 128]),
    # 96 + 4 bits for each of 2 + 3 arms, and 8 for each release
    (peeling, lambda: peeling.delta_lower(arb(0.5), 2, 9, 0.1), [132]),
    (peeling, lambda: peeling.renyi_upper(arb(0.5), 2, 2, 0.1), [192]),
    (peeling, lambda: peeling.lemma(1, 3, 1.0, 0.1), [1024]),
    # 4 for each unit of a gap of 2 r + ln 10^34 = 79.3
    (peeling_two, lambda: peeling_two.delta_two(arb(0.5), 0.2), [128 + 4 * 79]),
    (rnm, lambda: rnm._below_limit(arb(0.5), 1, 1.0), [512]),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(PRECISIONS)))
def test_how_many_bits_are_asked_for(monkeypatch, case):
    module, compute, bits = PRECISIONS[case]
    asked = []

    def precision(wanted):
        asked.append(wanted)
        return balls.precision(wanted)

    monkeypatch.setattr(module, "precision", precision)
    compute()
    assert sorted(set(asked), reverse=True) == bits


def test_where_sharp_begins(monkeypatch):
    """128 bits, 8 per release and 2 r (2 x selections + releases); 96 and 4 for each arm."""
    asked = []

    def sharp(compute, *rest, **named):
        asked.append((*rest, *named.values()))
        return compute()

    for module in (peeling, rnm, selection):
        monkeypatch.setattr(module, "sharp", sharp)
    peeling.composed_upper(arb(0.5), 3, 4, 1.0)
    rnm.pure_loss(1.0, 3, 2, "replace")
    event_excess([1, 0], [0, 1], 1, 1.0, 0.1)
    assert asked == [(1e-10, 128 + 32 + 10), (108,), (1e-16, 104)]


def test_equal_numbers_are_not_above_each_other():
    assert balls.compare(arb(1), arb(1)) is False
    assert balls.compare(arb(1, 0.1), arb(1, 0.1)) is None


def test_of_several_pairs_the_first_worst_one_is_named_by_what_is_sure():
    """Two equal pairs; then one that may be worse (0.2 to 0.6), then 0.5, which surely is."""
    half, sure = [arb(0.5), arb(0.5)], [arb(0.7), arb(0.3)]
    blurred = [arb(0.7, 0.2), arb(0.3, 0.2)]
    named = [({"pair": i}, p, half) for i, p in enumerate((half, sure, sure, blurred))]
    for pairs, worst in ((named[:1], 0), (named[1:3], 1), (named[1:], 1), (named[:1:-1], 2)):
        found = balls.audit_pairs(pairs, [0.1]).worst_neighbour
        assert found["pair"] == worst
        assert all(place["pair"] == worst for place in found.get("delta_at", {}).values())


# Black box


def test_nothing_is_known_of_what_never_came_nor_of_a_tie():
    assert blackbox.log_ratio(0, 5, 10, 0.0, 0.1) == -math.inf
    found = blackbox.lower_bound(np.zeros(400, int), np.ones(400, int))
    assert (found.swapped, found.event) == (False, "0")  # the other direction is as good
    with_loss = blackbox.LowerBound(1.0, 0.0, 0.9, 10, "", False, 1.0)
    for allowed, refuted in ((1.0, False), (0.999, True)):
        assert blackbox.AlgorithmAudit("a", "n", 1.0, allowed, with_loss).refuted == refuted
    assert blackbox._played(np.array([[1e-9, 1.0]]), 0).tolist() == [[0, 1]]


def test_a_bound_that_only_reaches_epsilon_detects_nothing(monkeypatch):
    monkeypatch.setattr(blackbox, "log_ratio", lambda *a: 1.0)
    assert blackbox.detectable(1.0, 0.0, 100) == math.inf
    asked = []
    monkeypatch.setattr(blackbox, "log_ratio", lambda *a: asked.append(a) or 1.0)
    assert blackbox.detectable(0.99, 0.0, 100) == pytest.approx(0.99)
    assert len(asked) == 1 + 40  # bisections


def test_an_audited_algorithm_gets_the_setting_that_was_asked_for(monkeypatch):
    seen = []

    def run(name, setting, epsilon, horizon, seeds, rounds):
        seen.append((setting, list(rounds), len(seeds)))
        return type("Played", (), {"regret": np.ones((len(seeds), 1)) * rounds})

    monkeypatch.setattr(blackbox, "run", run)
    for setting in (None, {"variant": "corrected"}):
        blackbox.audit_algorithm("rnm-ftnl", runs=10, setting=setting)
    worlds = [{"means": [1.0, 0.0]}, {"means": [0.0, 1.0]}]
    more = [world | {"variant": "corrected"} for world in worlds]
    assert seen == [(world, [1, 2, 3], 10) for world in worlds + more]


@pytest.mark.parametrize(("name", "most"), [("fliphat", 1), ("rnm-ftnl", 7)])
def test_of_a_joint_notion_the_last_action_alone_is_seen(monkeypatch, name, most):
    """Three rounds, the worse arm of the first world in each: 1 + 2 + 4, or 1."""
    seen = []

    def run(name, setting, epsilon, horizon, seeds, rounds):
        return type("Played", (), {"regret": np.ones((len(seeds), 1)) * rounds})

    monkeypatch.setattr(blackbox, "run", run)
    monkeypatch.setattr(
        blackbox, "lower_bound", lambda *codes, **keys: seen.extend(codes) or blackbox.LowerBound(
            0.0, 0.0, 0.9, 10, "", False, 0.0)
    )  # fmt: skip
    blackbox.audit_algorithm(name, runs=10)
    assert [set(codes.tolist()) for codes in seen] == [{most}, {0}]


# Calibration


def loss(pure, deltas=None, method="certified", **worst):
    return PrivacyLoss(pure, deltas or {}, worst, method)


def test_what_just_meets_a_target_meets_it():
    assert calibrate.meets(loss(1.0), 1.0, 0.0)
    assert calibrate.meets(loss(2.0, {1.0: 0.1}), 1.0, 0.1)
    assert not calibrate.meets(loss(2.0, {1.0: 0.1}), 1.0, 0.0999)
    assert calibrate.bisect(lambda x: x > 1, 2.0, 1.0, 1.0) == 2.0  # within the tolerance of 1


def test_only_deltas_that_are_asked_for_are_audited():
    """delta 0.1 at every eps, pure loss 2/noise."""
    asked = []

    def audit(noise, at):
        asked.append(tuple(at))
        return loss(2 / noise, dict.fromkeys(at, 0.1))

    found = calibrate.smallest(audit, 1.0, 0.0, 5.0, least=0.1)
    assert found.noise["scale"] == pytest.approx(2, rel=1e-6)
    assert set(asked) == {()}
    asked.clear()
    sharp = calibrate.certificate(audit, 0.5, {}, 1.0, 0.1)  # 0.1 is met at every eps down to 0
    assert len(asked) == 1 + 30
    assert sharp.audited_epsilon < 1e-8
    for noise, epsilon in ((0.5, 1.0), (4.0, 0.5)):
        assert calibrate.certificate(audit, noise, {}, 1.0, 0.1, 0).audited_epsilon == epsilon


# Laplace


def test_where_the_laplace_loss_ends():
    """At eps = n r nothing is left, whatever the atom there; the alternating sums get 8 bits of
    precision per release and one and a half for each unit of a positive eps."""
    (found,) = laplace.composed_deltas(arb(0.5), 2, [arb(1)])
    assert found.is_zero()


@pytest.mark.parametrize(
    ("releases", "epsilon", "bits"), [(3, 0.75, 121), (3, -0.75, 120), (5000, 1.0, 32768)]
)
def test_the_bits_that_a_composition_starts_from(monkeypatch, releases, epsilon, bits):
    monkeypatch.setattr(laplace, "sharp", lambda compute, relative, start: (relative, start))
    assert laplace.composed_delta(0.5, releases, epsilon) == (1e-20, bits)


def test_both_readings_of_a_tie_are_in_the_ball(monkeypatch):
    """P(X > t) of 1/4 with an atom, 1/2 without: 1/2 - e^eps/4, or 3/4 - e^eps/2."""
    monkeypatch.setattr(laplace, "_tail", lambda *a: arb(0.25 if a[-1] else 0.5))
    epsilon = arb(2) ** -10
    (found,) = laplace.composed_deltas(arb(0.5, 1e-2), 2, [epsilon])
    for reading in (0.5 - epsilon.exp() / 4, 0.75 - epsilon.exp() / 2):
        assert found.contains(reading)
    assert float(found.rad()) < 1e-3


# The exponential mechanism


def test_where_the_exponential_loss_ends():
    params = exponential.ExponentialParams(epsilon=1.0)
    found = exponential.audit_exponential(params, [0.5, 1.0, 2.0])
    assert set(found.worst_neighbour["delta_at"]) == {"0.5"}
    assert found.method == "exact"
    bounded = exponential.ExponentialParams(epsilon=1.0, width=1.0)
    for at, method in (((), "exact"), ((0.1,), "bound")):
        found = exponential.audit_exponential(bounded, at)
        assert (found.method, "gap" in found.worst_neighbour) == (method, method == "bound")
    whole = exponential.calibrate_exponential(exponential.ExponentialTarget(), 0.5)
    assert whole.noise == {"epsilon": 0.5}  # no search: the parameter is the loss
    narrow = exponential.ExponentialTarget(width=0.5)
    assert exponential.calibrate_exponential(narrow, 0.5).noise["epsilon"] > 0.6


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
