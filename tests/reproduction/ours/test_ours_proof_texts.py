"""docs/proofs/OURS.md, Section 4: what a batch loses of the evidence, and where nothing is lost."""

import math

import pytest
from scratch import ROOT

from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.noisy_sums import log_density

EPSILON, OTHER = 0.3, 0.4


def lost(mean: float, batch: int) -> float:
    """Of the divergence between two means, what the likelihoods of a release at the first do not
    show."""
    own, other = (log_density(mean * batch, batch, y, EPSILON) for y in (mean, OTHER))
    return batch * d_eps(mean, OTHER, EPSILON) - (own - other)


def test_nothing_is_lost_at_mean_0_and_half_a_logarithm_elsewhere():
    assert lost(1e-15, 320) == pytest.approx(0, abs=1e-9)  # 0, but for a logarithm of it
    assert lost(0.05, 819_200) - lost(0.05, 51_200) == pytest.approx(math.log(16) / 2, abs=0.05)
    text = (ROOT / "docs/proofs/OURS.md").read_text("utf-8")
    assert "at mean 0 nothing is" in text
