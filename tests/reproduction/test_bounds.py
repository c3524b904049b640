"""`dpbandits bound`: printed bounds, corrected bounds and audits of the same mechanism."""

import math

import pytest

from dpbandits.reproduction.comparison import BOUNDS, approximate

RNM = {"scale": 2, "arms": 3, "rounds": 64, "adjacency": "replace"}
PEELING = {"s": 3, "d": 8, "epsilon": 2.0, "delta": 0.1}
NIHT = {"x_max": 3.46, "reward_clip": 13.9, "b_max": 4, "n": 4096, "d": 40, "steps": 1, "s": 10}
LAZY = {"algorithm": "anytime-lazy-ucb", "epsilon": 1.0, "horizon": 6}
RNM_FTNL = {"algorithm": "rnm-ftnl", "epsilon": 1.0, "horizon": 1000}
USCA = {"horizon": 16, "epsilon": 1.0, "setting": {"kernel": "se", "grid": 6}}
CASES = {  # mechanism: (keys, printed pure loss, corrected one)
    "rnm": (RNM, 0.5, 1.0),
    "peeling": (PEELING, math.inf, 3 * 3 * 2.0 / (2 * math.sqrt(9 * math.log(10)))),
    "niht": (NIHT | {"epsilon": 1.0, "delta": 0.01}, math.inf, None),
    "lazy": (LAZY, 1.0, 1.0),
    "usca": (USCA, 1.0, 1.0),
}
AT = (0.1, 0.5, 1.0, 2.0)


def compared(name, keys):
    entry = BOUNDS.get(name)
    return entry.compute(entry.params(**keys), AT)


@pytest.mark.parametrize("name", CASES)
def test_audit_is_below_the_corrected_bound(name):
    keys, printed, repaired = CASES[name]
    comparison = compared(name, keys)
    pure = comparison.pure_epsilon
    side = "at_most" if comparison.method == "bound" else "exact"
    assert pure["printed"] == printed
    if repaired:
        assert pure["repaired"] == pytest.approx(repaired)
    assert pure[side] <= pure["repaired"] * (1 + 1e-9)
    for sides in comparison.delta_at.values():
        assert 0 <= sides.get("found", 0) <= sides[side]
        assert sides[side] <= sides["repaired"] * (1 + 1e-9) + 1e-12
        assert 0 <= sides["printed"] <= 1
    assert set(comparison.delta_at) == set(AT)


def test_printed_bounds_of_rnm_and_niht_are_refuted():
    rnm = compared("rnm", RNM)
    assert rnm.pure_epsilon["exact"] > 0.9
    pure = compared("lazy", RNM_FTNL).pure_epsilon
    assert pure["printed"] == 1.0 < pure["exact"] <= 2.0
    assert rnm.refuted_here() == ["pure_epsilon", "delta_at 0.1", "delta_at 0.5"]
    niht = compared("niht", CASES["niht"][0])
    at_1 = niht.delta_at[1.0]
    assert at_1["printed"] == 0.01 < at_1["found"] < at_1["at_most"]
    assert "delta_at 1" in niht.refuted_here()


def test_bounds_of_peeling_and_niht():
    """3 s r with r = eps/(2 sqrt(3 s ln(1/delta))); of N-IHT every step at its sensitivity."""
    entry = BOUNDS.get("peeling")
    params = entry.params(s=4, d=20, epsilon=2.0, delta=math.e**-3)
    pure = entry.compute(params, ()).pure_epsilon
    assert pure["repaired"] == pytest.approx(12 * 2 / (2 * 6))
    assert pure["printed"] == math.inf
    entry = BOUNDS.get("niht")
    keys = {"n": 50, "d": 20, "s": 4, "steps": 3, "x_max": 2.0, "reward_clip": 5.0, "b_max": 1.0}
    params = entry.params(**keys, epsilon=3.0, delta=3 * math.e**-3)
    # per step eps = 1 and delta = e^-3: r = 1/12; 4 x 2 x 5/(5 + 2) and twice 4 x 2 x 7/7
    expected = 12 / 12 * (40 / 7 + 2 * 8)
    assert entry.compute(params, ()).pure_epsilon["repaired"] == pytest.approx(expected)
    assert entry.compute(params, ()).claims == ("FL-S4", "FL-LA.2")


def test_delta_of_approximate_privacy_at_other_epsilons():
    """At e below eps: 1 - (1 - delta) e^(e - eps)."""
    allowed = approximate(1.0, 0.1)
    assert (allowed(1.0), allowed(2.0)) == (0.1, 0.1)
    assert allowed(0.0) == pytest.approx(1 - 0.9 * math.exp(-1), rel=1e-14)
