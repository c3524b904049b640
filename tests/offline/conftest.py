"""Files of given texts, the command line, and KL's rows of the ledger on the golden tables."""

import json
from pathlib import Path

import pytest

from dpbandits.cli import main
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.verdicts import row
from dpbandits.reproduction.plots.figures import reader


@pytest.fixture
def file(tmp_path):
    """Write a text into a file: its path."""

    def write(text, name="data.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


@pytest.fixture
def ask(capsys):
    """The JSON that a command prints."""

    def run(*arguments):
        code = main([*arguments, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def refusal(capsys):
    """The one line with which a command refuses its input."""

    def run(*arguments):
        code = main([*arguments])
        out, err = capsys.readouterr()
        assert (code, out, err.count("\n")) == (2, "", 1)
        return err

    return run


@pytest.fixture(scope="session")
def rows():
    """By claim and reading."""
    tables = reader(Path(__file__).parents[1] / "golden/kl")
    found = [(claim, v) for claim in claims("kl").values() for v in claim.verdicts(tables)]
    return {(claim.id, v.reading): row(claim, v) for claim, v in found}
