"""Rounding of certificates: outward, never further than needed, and safe where nothing is known."""

import math
from fractions import Fraction

from flint import arb

from dpbandits.audit import balls


def test_floats_are_outward_and_next():
    with balls.precision(balls.START_BITS):
        for k in range(1, 30):  # some of them the nearest float is below, some above
            part = arb(k) / 31
            assert arb(balls.lower(part)) < part < arb(balls.upper(part))
            assert balls.upper(part) == math.nextafter(balls.lower(part), 1)
    assert balls.upper(arb(2)) == balls.lower(arb(2)) == 2.0


def test_nothing_known_is_no_certificate():
    nothing = arb.nan()
    assert balls.upper(nothing) == math.inf
    assert balls.lower(nothing) == -math.inf
    assert balls.as_delta(nothing) == 1.0


def test_sharp_stops_where_the_input_is_blurred():
    blurred = arb(1, 1e-3)
    assert balls.width(balls.sharp(lambda: blurred + 1)) > 1e-4
    assert balls.width(balls.sharp(lambda: arb(2).sqrt(), 1e-60)) <= 1e-60


def test_comparisons():
    assert balls.compare(arb(2), arb(1)) is True
    assert balls.compare(arb(1), arb(2)) is False
    assert balls.compare(arb(1, 1), arb(1)) is None


def test_precision_is_given_back():
    before = balls.width(arb(2).sqrt())
    with balls.precision(1024):
        fine = arb(2).sqrt()
    assert balls.width(fine) < 1e-200
    assert balls.width(arb(2).sqrt()) == before


def test_bits_from_the_first_to_the_last():
    asked = []

    def third():
        asked.append(balls.ctx.prec)
        return arb(1) / 3

    balls.sharp(third)
    assert asked == [96]
    asked.clear()
    balls.sharp(third, 1e-40)  # 96 bits: 4e-29, 192: 5e-58
    assert asked == [96, 192]
    asked.clear()
    balls.sharp(lambda: third() and arb(1, 4.0 ** -len(asked)), 0.0, start=1 << 13)
    assert asked == [1 << 13, 1 << 14, 1 << 15]


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
EQUAL, FAR = ([1, 0], [1, 0]), ([HALF, HALF], [THIRD, 2 * THIRD])


def test_the_first_of_equally_bad_pairs_is_reported_and_of_none_nothing():
    none = balls.audit_pairs([], [0.5])
    assert (none.pure_epsilon, none.delta_at, none.worst_neighbour) == (0.0, {0.5: 0.0}, {})
    same = balls.audit_pairs([({"a": 1}, *EQUAL), ({"a": 2}, *EQUAL)], [0.5])
    assert (same.pure_epsilon, same.delta_at) == (0.0, {0.5: 0.0})
    assert same.worst_neighbour == {"a": 1}
    found = balls.audit_pairs([({"a": 0}, *EQUAL), *(({"a": i}, *FAR) for i in (1, 2))], [0.0, 9.0])
    assert found.worst_neighbour == {"a": 1, "delta_at": {"0": {"a": 1}}}
    assert abs(found.pure_epsilon - math.log(1.5)) < 1e-15
    assert abs(found.delta_at[0.0] - 1 / 6) < 1e-15
    assert found.delta_at[9.0] == 0.0
    assert found.method == "certified"
    assert "delta_at" not in balls.audit_pairs([({"a": 1}, *FAR)]).worst_neighbour


def test_of_pairs_that_the_balls_cannot_tell_apart_the_later_needs_the_larger_lower_end():
    """At eps = 0 the delta of (p, 1 - p) and (1/2, 1/2) is p - 1/2, blurred by 0.01 here."""

    def named(*centres):
        blurred = [[arb(c, 0.01), 1 - arb(c, 0.01)] for c in centres]
        pairs = [({"pair": i}, p, [HALF, HALF]) for i, p in enumerate(blurred)]
        return balls.audit_pairs(pairs, [0.0]).worst_neighbour

    assert named(0.7, 0.705) == {"pair": 1, "delta_at": {"0": {"pair": 1}}}
    assert named(0.705, 0.7) == {"pair": 0, "delta_at": {"0": {"pair": 0}}}
