"""What rows of HU, FL and US say of their own instance, computed again or read in the code."""

import math

import pytest

from dpbandits.kernel import private_gp_ucb
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.us.claims.estimation import ways_to_read_15
from dpbandits.reproduction.us.claims.sampled import sides
from dpbandits.sparse.jdp_linucb import Constants
from dpbandits.sparse.presets import tuning_for
from dpbandits.sparse.problem import SparseSetting

ROWS = [(claim, reading) for claim in claims().values() for reading in claim.readings]


def texts(reading):
    return [value for value in reading.model_dump(exclude={"inequality"}).values()
            if isinstance(value, str)]  # fmt: skip


def test_no_text_has_a_backslash_twice():
    """In a literal string of TOML that is one too many: HU-S2.2 printed one."""
    twice = [claim.id for claim, r in ROWS if any(r"\\" in text for text in texts(r))]
    assert twice == []


def test_noise_of_proposition_5_5_is_that_of_the_printed_preset():
    """FL-P5.5: the 13 steps of Appendix F.1 and the l1 norm of the published parameter."""
    setting = SparseSetting(preset="printed", sigma=1e-9)  # the row: as sigma falls to 0
    tuning = tuning_for(setting, 10.0, 4096)
    assert tuning.M == 13
    assert sides("FL-P5.5")[0] == pytest.approx(tuning.xi[0], rel=1e-3)
    assert f"{sides('FL-P5.5')[0]:.1e}" == "2.2e-05"


@pytest.mark.parametrize("id", ["FL-S4", "FL-T5.1", "FL-RDP"])
def test_scope_says_first_where_nothing_is_refuted(id):
    says = "At F.1's 13 steps and $x_{\\max} = 3.46$ nothing is refuted."
    assert claims()[id].readings[0].scope.startswith(says)


@pytest.mark.parametrize("id", ["US-L4.3", "US-L6.2"])
def test_the_inline_fraction_of_15_is_refuted_in_one_reading_only(id):
    """sqrt(162B^3/13F^2): below the typical error only if F^2 is below the line."""
    size = ways_to_read_15()
    assert size["below"] < size["typical"] / 1e6
    assert min(size["beside"], size["meant"]) > 10 * size["typical"]
    told = "read from left to right, $\\frac{162}{13}B^3F^2$, nothing is refuted"
    assert sum(told in reading.scope for reading in claims()[id].readings) == 1


def test_similar_is_no_number_that_can_be_refuted():
    printed = claims()["HU-S6"].readings[0]
    assert printed.severity == ""
    assert "no number" in printed.untestable
    assert "25%" not in claims()["HU-S6"].statement


def test_which_failure_probability_the_two_rivals_take(monkeypatch):
    """ln(2/alpha) is ln 4T in JDP-LinUCB, ln 2T in private GP-UCB; each says so."""
    constants = Constants(SparseSetting(), 1.0, 100)
    assert constants.log_failure == pytest.approx(math.log(400))
    assert "ln 4T, alpha = 1/(2T)" in " ".join(Constants.__doc__.split())
    width = private_gp_ucb.Learner.width
    assert 2.0 in width.__code__.co_consts
    assert 4.0 not in width.__code__.co_consts
    assert "ln 2T: alpha = 1/T" in " ".join(width.__doc__.split())
