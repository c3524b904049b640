"""KL's rows of the ledger on the golden tables."""

import pytest
from scratch import ROOT

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.plots.figures import reader


@pytest.fixture(scope="session")
def rows():
    """By claim and reading."""
    tables = reader(ROOT / "tests/golden/kl")
    found = [(claim, v) for claim in claims("kl").values() for v in claim.verdicts(tables)]
    return {(claim.id, v.reading): Row.of(claim, v) for claim, v in found}
