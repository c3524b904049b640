"""Before any test imports NumPy: one thread, and the arithmetic that jobs have.

The environment is that of a processor before AVX2, and what pins jobs has to overrule it: so what
tests compare with golden tables and numbers is as it comes out there.
"""

import fcntl
import json
import os
import pickle
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

    It is made once for all processes of tests. What would change it takes a copy, in which nothing
    is left to be done either."""
    from tiny_pipeline import run_all

    shared = tmp_path_factory.getbasetemp()  # of this process; one above if there are several
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    made = shared / "whole.pickle"
    with open(shared / "whole.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            folder = shared / "whole" / "a folder's name, with (all) of {this}"
            folder.mkdir(parents=True)
            made.write_bytes(pickle.dumps(run_all(folder)))
    return pickle.loads(made.read_bytes())


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
