"""Before any test imports NumPy: one thread, and the arithmetic that jobs have.

The environment is that of a processor before AVX2, and what pins jobs has to overrule it: so what
tests compare with golden tables and numbers is as it comes out there.
"""

import json
import os
import platform

from processors import FARTHEST, PROCESSORS

if platform.machine() == "x86_64":  # other kinds of processors are left alone
    os.environ.update(PROCESSORS[FARTHEST[1]])

from dpbandits.reproduction import processor

processor.pin()

import pytest

from dpbandits.cli import main


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory):
    """A small pipeline after a whole run, in a folder whose name a shell would take apart.

    It is made once in each process of tests. What would change it takes a copy, in which nothing is
    left to be done either."""
    from tiny_pipeline import run_all

    folder = tmp_path_factory.mktemp("whole") / "a folder's name, with (all) of {this}"
    folder.mkdir()
    return run_all(folder)


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
