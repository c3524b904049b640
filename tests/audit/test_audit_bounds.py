"""`dpbandits bound`: printed bounds, corrected bounds and audits of the same mechanism."""

import math

import pytest

from dpbandits.core.mechanisms import BOUNDS

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
