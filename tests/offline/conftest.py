"""Files made of given texts, and KL's rows of the ledger on the golden tables."""

from pathlib import Path

import pytest

from dpbandits.core.claims import claims
from dpbandits.core.figures import reader
from dpbandits.core.ledger import row


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        return {name: str(tmp_path / name) for name in texts}

    return write


@pytest.fixture(scope="session")
def rows():
    """By claim and reading."""
    tables = reader(Path(__file__).parents[1] / "golden/kl")
    found = [(claim, v) for claim in claims("kl").values() for v in claim.verdicts(tables)]
    return {(claim.id, v.reading): row(claim, v) for claim, v in found}
