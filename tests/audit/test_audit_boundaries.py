"""Equality and ties in the audits: what is exactly at a limit, and which of two equals is told."""

import math

import numpy as np
import pytest
from flint import arb

from dpbandits.audit import (
    balls,
    blackbox,
    calibrate,
    exponential,
    laplace,
    niht,
    peeling,
    rnm,
    selection,
)
from dpbandits.audit.engine import peeling_two
from dpbandits.audit.selection import event_excess
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
