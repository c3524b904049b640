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


@pytest.mark.parametrize(
    ("algorithm", "claim"), [("lazy-dp-ts", "HU-T4"), ("anytime-lazy-ucb", "HU-T2")]
)
def test_lazy(algorithm, claim):
    found = bound("lazy", algorithm=algorithm, epsilon=0.5, arms=2, horizon=4)
    assert found.pure_epsilon["printed"] == found.pure_epsilon["repaired"] == 0.5
    assert found.claims == (claim,)
