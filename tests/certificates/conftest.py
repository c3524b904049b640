"""certificates/check.py as a module that caches what it computed: many tests ask for the same."""

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
    module.likeliest = cached_mle(module.likeliest)
    module.STATEMENTS = {name: cached_sides(f) for name, f in module.STATEMENTS.items()}
    return module


def cached_sides(verify):
    """The same parts and parameters have the same sides, whatever enclosures a file claims."""
    sides = {}

    def cached(**parts):
        key = json.dumps(parts, default=str, sort_keys=True)
        if key not in sides:
            sides[key] = verify(**parts)
        return sides[key]

    return cached


def cached_mle(likeliest):
    """The maximum likelihood estimate of one axis depends on its labels and on B alone."""
    found = {}

    def cached(signed, radius):
        key = frozenset(signed.items()), radius
        if key not in found:
            found[key] = likeliest(signed, radius)
        return found[key]

    return cached


@pytest.fixture(scope="session")
def judge(check):
    """The line of a certificate (a dict) that proves something; raises if it proves nothing.

    The file exists in memory only: some 12,000 are judged.
    """

    def judge(certificate: dict, name: str) -> str:
        written = json.dumps(certificate)
        return check.check(SimpleNamespace(name=name, read_text=lambda encoding: written))

    return judge


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request):
    return request.param
