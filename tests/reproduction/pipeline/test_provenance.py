"""Which edits change the digest of the code behind a job (CONTRIBUTING.md)."""

import importlib
import sys

import pytest

from dpbandits.reproduction.pipeline import provenance

FILES = {
    "__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import toy.apart\n",
    "work.py": '"""Doc."""\nimport toy.data\nfrom toy.steps import step\nRESULT = step(1)\n',
    "steps.py": "from . import constants\n\n\ndef step(x):\n    return x + constants.ONE\n",
    "constants.py": "ONE = 1  # a comment\n",
    "apart.py": "OTHER = 1\n",
    "data/__init__.py": "",
    "data/table.csv": "1\n",
    "claims.toml": "a = 1\n",
}


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """Digests of modules of a small package, after edits of its files."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def after(module: str, **edits: str) -> str:
        for name, text in (FILES | edits).items():
            path = tmp_path / "toy" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        importlib.invalidate_caches()
        return importlib.reload(provenance).digest(f"toy.{module}")

    yield after
    importlib.reload(provenance)
    sys.modules.pop("toy", None)


WITHOUT_EFFECT = {
    "a comment": {"constants.py": "# another\nONE = 1\n"},
    "a docstring": {"work.py": FILES["work.py"].replace("Doc", "Other")},
    "layout": {
        "steps.py": FILES["steps.py"].replace("x + constants", "(x\n  + constants")[:-1] + ")"
    },
    "a module that is imported for type checkers alone": {"apart.py": "OTHER = 2\n"},
    "a new module": {"new.py": "x = 1\n"},
    "the text of claims": {"claims.toml": "a = 2\n"},
}
WITH_EFFECT = {
    "its own code": {"work.py": FILES["work.py"].replace("step(1)", "step(2)")},
    "what its import imports": {"constants.py": "ONE = 2\n"},
    "the package itself": {"__init__.py": "import os\n"},
    "a text that is a value": {"constants.py": "ONE = 1\nNAME = 'a'\n"},
    "data of an imported package": {"data/table.csv": "2\n"},
    "the lock file": {"../envs/requirements.lock": "numpy==1"},
}


def test_an_algorithm_does_not_depend_on_all_that_the_package_offers():
    """What `dpbandits/__init__.py` imports for type checkers alone is not behind its modules."""
    modules = "dpbandits.stochastic.ucb1", "dpbandits.sparse.fliphat"
    behind = {path.name for path in provenance.files_behind(*modules)}
    assert {"ucb1.py", "fliphat.py"} <= behind
    assert not {"questions.py", "deploy.py", "policy.py"} & behind


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_edit_without_meaning_keeps_the_digest(digest, name):
    assert digest("work", **WITHOUT_EFFECT[name]) == digest("work")


@pytest.mark.parametrize("name", WITH_EFFECT)
def test_edit_of_code_behind_a_job_changes_its_digest(digest, name):
    before = digest("work")
    assert digest("work", **WITH_EFFECT[name]) != before
