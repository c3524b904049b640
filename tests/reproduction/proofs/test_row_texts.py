"""What rows of HU, FL and US say of their own instance, computed again or read in the code."""

import pytest

from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.reproduction.ledger.claims import claims, get_claim
from dpbandits.reproduction.us.claims.estimation import ways_to_read_15


def test_noise_of_proposition_5_5_is_that_of_the_printed_preset():
    """FL-P5.5: the 13 steps of Appendix F.1 and the l1 norm of the published parameter."""
    setting = PresetSetting(preset="printed", sigma=1e-9)  # the row: as sigma falls to 0
    tuning = setting.tuning(10.0, 4096)
    assert tuning.M == 13
    assert get_claim("FL-P5.5").sides()[0] == pytest.approx(tuning.xi[0], rel=1e-3)
    assert f"{get_claim('FL-P5.5').sides()[0]:.1e}" == "2.2e-05"


@pytest.mark.parametrize("id", ["US-L4.3", "US-L6.2"])
def test_the_inline_fraction_of_15_is_refuted_in_one_reading_only(id):
    """sqrt(162B^3/13F^2): below the typical error only if F^2 is below the line."""
    size = ways_to_read_15()
    assert size["below"] < size["typical"] / 1e6
    assert min(size["beside"], size["meant"]) > 10 * size["typical"]
    told = "read from left to right, $\\frac{162}{13}B^3F^2$, nothing is refuted"
    assert sum(told in reading.scope for reading in claims()[id].readings) == 1
