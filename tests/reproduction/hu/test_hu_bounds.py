"""`bound rnm` and `bound lazy`: what HU's theorems print, and what is true."""

import pytest

from dpbandits.reproduction.comparison import bound


@pytest.mark.parametrize(("noise", "adjacency", "printed", "eta"), [
    ("laplace", "replace", 1 / 4, 2 / 4), ("laplace", "add-remove", None, 1 / 4),
    ("gumbel", "replace", None, 2 / 4),
])  # fmt: skip
def test_rnm(noise, adjacency, printed, eta):
    given = {"scale": 4, "arms": 2, "rounds": 3, "noise": noise, "adjacency": adjacency}
    found = bound("rnm", **given)
    assert found.pure_epsilon.get("printed") == printed
    assert found.pure_epsilon["repaired"] == eta
    assert found.claims == (("HU-T8",) if printed else ())


@pytest.mark.parametrize(("algorithm", "variant", "times", "claim"), [
    ("rnm-ftnl", "printed", 2, "HU-T8"), ("rnm-ftnl", "phase", 1, "HU-T8"),
    ("lazy-dp-ts", None, 1, "HU-T4"), ("anytime-lazy-ucb", None, 1, "HU-T2"),
])  # fmt: skip
def test_lazy(algorithm, variant, times, claim):
    given = {"algorithm": algorithm, "epsilon": 0.5, "arms": 2, "horizon": 4}
    found = bound("lazy", **given, **({"variant": variant} if variant else {}))
    assert found.pure_epsilon["printed"] == 0.5
    assert found.pure_epsilon["repaired"] == 0.5 * times
    assert found.claims == (claim,)
