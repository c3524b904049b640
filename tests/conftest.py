"""Before any test imports NumPy: one thread, and the arithmetic that jobs have.

The environment that asks for it is that of a processor before AVX2, and dpbandits has to overrule
it: so whatever tests compare with golden tables and numbers is as it comes out there.
"""

import os
import platform
import sys

from processors import FARTHEST, PROCESSORS

# in a fork of tests/mutation it is too late for either; other kinds of processors are left alone
if "numpy" not in sys.modules and platform.machine() == "x86_64":
    os.environ |= PROCESSORS[FARTHEST[1]]

import pytest

import dpbandits  # noqa: F401

pytest_plugins = ["several"]
# nbformat's validator would build 38 grammars of web addresses: 1.3 s (see rules/common.smk)
sys.modules.setdefault("rfc3987_syntax", None)


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory):
    """A small pipeline after a whole run, in a folder whose name a shell would take apart.

    It is made once for all: tests marked `pipeline` run in one process. What would change it takes
    a copy, in which nothing is left to be done either."""
    from tiny_pipeline import run_all

    folder = tmp_path_factory.mktemp("whole") / "a folder's name, with (all) this"
    folder.mkdir()
    return run_all(folder)


def pytest_ignore_collect(collection_path, config):
    """Asked for the tests marked `pipeline` alone, pytest need not import the other 200 files."""
    if config.option.markexpr.startswith("pipeline") and collection_path.suffix == ".py":
        return "mark.pipeline" not in collection_path.read_text(encoding="utf-8") or None
    return None
