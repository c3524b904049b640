"""certificates/check.py as a module that remembers what it computed: tests ask for the same."""

import functools
import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "certificates"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.fixture(scope="session")
def check():
    spec = importlib.util.spec_from_file_location("certificate_check", FOLDER / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.exp = functools.lru_cache(1 << 12)(module.exp)
    module.STATEMENTS = {name: _remembered(f) for name, f in module.STATEMENTS.items()}
    return module


def _remembered(verify):
    """The same parts and parameters have the same sides, whatever enclosures a file claims."""
    sides = {}

    def remembered(**parts):
        key = json.dumps(parts, default=str, sort_keys=True)
        if key not in sides:
            sides[key] = verify(**parts)
        return sides[key]

    return remembered


@pytest.fixture
def judge(check, tmp_path):
    """The line of a certificate (a dict) that proves something; raises if it proves nothing."""

    def judge(certificate: dict, name: str) -> str:
        path = tmp_path / name
        path.write_text(json.dumps(certificate), encoding="utf-8")
        return check.check(path)

    return judge


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request):
    return request.param
