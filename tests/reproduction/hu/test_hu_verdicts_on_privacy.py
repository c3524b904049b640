"""Verdict rules of HU's claims on privacy and its lemmas, driven as in test_hu_verdicts."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb
from made_up_tables import one, outcome, table

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.claims import lemmas, privacy

# Privacy --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "expected"), [
    (0.5, "holds"), (0.5 * (1 + 9e-10), "holds"), (0.5 * (1 + 3e-9), "stops"),
])  # fmt: skip
def test_lazy_losses(loss, expected, monkeypatch):
    """eps = 1/2, up to the rounding of the enumeration."""
    losses = {(1.0, 3): 0.9, (0.5, 3): loss}
    law = lambda T, e: SimpleNamespace(worst=lambda _: (losses[e, T],))  # noqa: E731
    monkeypatch.setitem(privacy.LAWS, "a", law)
    assert outcome(privacy.lazy_losses, None, "a", [1.0, 0.5], [3]) == expected


@pytest.mark.parametrize(("share", "expected"), [
    (1.9, "violated"), (0.9, "stops"), (1.0, "stops"),
])  # fmt: skip
def test_certified_loss_decides_theorem_8_and_abstract(share, expected, monkeypatch):
    """The certified loss of Laplace noise is made up: share of 1/scale."""
    loss = lambda scale, arms, rounds, adjacency: arb(share / scale)  # noqa: E731
    monkeypatch.setattr(privacy, "pure_loss", loss)
    runs = table("algorithm mean upper", ("rnm-ftnl-phase", 1.0, 2.0))
    for check in (privacy.rnm_ftnl, privacy.abstract):
        assert outcome(check, one(runs)) == expected


# Lemmas ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("largest", "expected"), [
    (1.0, "holds"), (1 + 9e-10, "holds"), (1 + 1e-8, "stops"),
])  # fmt: skip
def test_lemmas_6_and_24_at_their_limits(largest, expected, monkeypatch):
    """One of all states, and one of 13 x 4 x 7 x 5 cases, is enough."""
    sides = np.array([1.0, largest, 0.2]), np.array([2.0, 1.0, 1.0])
    monkeypatch.setattr(lemmas, "lemma_6_sides", lambda states: sides)
    assert outcome(lemmas.lemma_6, None) == expected
    tightest = lambda r, best, gap, e: largest if (r, best, gap) == (3, 0.6, 0.3) else 0.5  # noqa: E731
    monkeypatch.setattr(lemmas, "lemma_24_share", tightest)
    assert outcome(lemmas.lemma_24, None) == expected


@pytest.mark.parametrize(("terms", "expected"), [
    ({6: 0.19, 14: 0.01}, "holds"),  # 0.19 + 0.01 + 2 0.01
    ({6: 0.2 + 1e-9}, "stops"),
    ({6: 0.1, 14: 0.1}, "stops"),  # 0.1 + 0.1 + 2 0.1: not below 0.4
    ({6: 0.1, 13: 0.1, 14: 0.06}, "holds"),
])  # fmt: skip
def test_lemma_19_at_its_limits(terms, expected, monkeypatch):
    monkeypatch.setattr(theory, "lemma_19_term", lambda s: terms.get(s, 0.0))
    assert outcome(lemmas.lemma_19, None) == expected


def test_lemma_20_by_hand_and_with_a_shorter_epoch(monkeypatch):
    """gap = eps = 1, T = 10^9: 72 ln T = 1492 <= 2^11; (sqrt(3 ln T/2048) + 6 ln T/2048)."""
    plot = lemmas.lemma_20(None).points
    level = 3 * math.log(1e9) / 2048
    curve = plot[plot["series"] == "ε = 1, T = 1e+09"]
    assert curve["measured"].iloc[-1] == pytest.approx(math.sqrt(level) + 2 * level)
    epoch = theory.sufficient_epoch
    monkeypatch.setattr(theory, "sufficient_epoch", lambda *args: epoch(*args) - 2)
    assert outcome(lemmas.lemma_20, None) == "stops"
