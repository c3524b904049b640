"""`bound` takes the printed approximate theorems at the threshold with the least delta."""

import numpy as np
import pytest

from dpbandits.core.mechanisms import delta_of_pure
from dpbandits.reproduction.comparison import bound
from dpbandits.reproduction.kl import theory as claimed

THRESHOLDS = np.geomspace(1, 1e7, 400_001)
ETA, BETA0 = 0.5, 200.0
# the first action was seen 2,000 times, the second six times
ARMS = "arm,reward\n" + "0,1\n" * 2000 + "1,0\n" * 6
SQUARE = "x1,x2\n1,0\n0,1\n"
ROWS = "x1,x2,{}\n" + "1,0,1\n" * 2000 + "0,1,0\n" * 6
LABELS, ADDED = ({"B": 0.1, "neighbours": kind} for kind in ("flip", "remove,add"))


def agree(found, pure, approx) -> None:
    """Each printed delta is the least of all thresholds, or of the pure bound."""
    assert found.pure_epsilon["printed"] == pytest.approx(pure.epsilon)
    bounds, helped = approx(THRESHOLDS), 0
    for e, deltas in found.delta_at.items():
        least = float(bounds.delta[bounds.epsilon <= e].min())
        of_pure = delta_of_pure(float(pure.epsilon), e)
        assert deltas["printed"] == pytest.approx(min(least, of_pure), rel=2e-3)
        helped += least < 0.9 * of_pure
    assert helped  # the threshold was looked at, not only the pure bound


def levels(pure) -> list[float]:
    return [float(pure.epsilon) * part for part in (0.2, 0.5, 0.8)]


def test_theorem_1(file):
    pure = claimed.theorem1_pure(6, ETA, BETA0)
    given = {"data": file(ARMS), "eta": ETA, "beta0": BETA0}
    found = bound("kl-mab", **given, at_epsilon=levels(pure))
    agree(found, pure, lambda n0: claimed.theorem1_approx(2, 2000, ETA, BETA0, n0))


@pytest.mark.parametrize(("mechanism", "more"), [
    ("kl-linear", {}), ("kl-rlhf", LABELS), ("kl-rlhf", ADDED),
])  # fmt: skip
def test_theorems_2_to_4(mechanism, more, file):
    column = "reward" if mechanism == "kl-linear" else "label"
    given = {"data": file(ROWS.format(column)), "actions": file(SQUARE, "actions.csv")}
    least, width = 7.0, 1 / np.sqrt(2001)  # of Sigma, to which I is added
    shape = {"eta": ETA, "beta0": BETA0}
    if mechanism == "kl-linear":
        parts, known = (claimed.theorem2_pure, claimed.theorem2_approx), (2006, 2, least)
    elif more is LABELS:
        parts, known = (claimed.theorem3_pure, claimed.theorem3_approx), (least, 1.0)
    else:
        parts, known = (claimed.theorem4_pure, claimed.theorem4_approx), (least, 1.0)
    known_radius = {} if mechanism == "kl-linear" else {"radius": 0.1}
    of_pure = {"eta": ETA} if more is LABELS else shape
    pure = parts[0](*known, **of_pure, **known_radius)
    found = bound(mechanism, **given, **shape, **more, at_epsilon=levels(pure))

    def approx(lambda0):
        return parts[1](claimed.Coverage(2, width, lambda0), *known, **shape, **known_radius)

    agree(found, pure, approx)
