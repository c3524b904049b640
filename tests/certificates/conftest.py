"""certificates/check.py as a module that remembers what it computed: tests ask for the same."""

import functools
import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "certificates"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.fixture(scope="session")
def check():
    spec = importlib.util.spec_from_file_location("certificate_check", FOLDER / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("exp", "ln", "sqrt"):
        setattr(module, name, functools.lru_cache(1 << 12)(getattr(module, name)))
    module.likeliest = _remembered_mle(module.likeliest)
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


def _remembered_mle(likeliest):
    """Of one axis: who changes eta, the event or the action does not change the labels."""
    found = {}

    def remembered(signed, radius):
        key = frozenset(signed.items()), radius
        if key not in found:
            found[key] = likeliest(signed, radius)
        return found[key]

    return remembered


@pytest.fixture(scope="session")
def judge(check):
    """The line of a certificate (a dict) that proves something; raises if it proves nothing. Its
    file is one in memory: some 4000 are judged."""

    def judge(certificate: dict, name: str) -> str:
        written = json.dumps(certificate)
        return check.check(SimpleNamespace(name=name, read_text=lambda encoding: written))

    return judge


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request):
    return request.param
