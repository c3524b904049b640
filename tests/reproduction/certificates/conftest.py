"""certificates/check.py as a module with cached functions, as many tests compute the same."""

import functools
import importlib.util
import json
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "certificates"
FILES = sorted(FOLDER.glob("*.json"))


class InMemory(NamedTuple):
    """What check.py asks of the path of a certificate."""

    name: str
    text: str

    def open(self, mode):
        return BytesIO(self.text.encode())


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
    """Both sides depend on the parts and parameters alone, not on the enclosures of a file."""
    sides = {}

    def cached(**parts):
        key = json.dumps(parts, default=str, sort_keys=True)
        if key not in sides:
            sides[key] = verify(**parts)
        return sides[key]

    return cached


def cached_mle(likeliest):
    """The maximum likelihood estimate of one axis depends on its labels and on B alone."""
    estimates = {}

    def cached(signed, radius):
        key = frozenset(signed.items()), radius
        if key not in estimates:
            estimates[key] = likeliest(signed, radius)
        return estimates[key]

    return cached


@pytest.fixture(scope="session")
def judge(check):
    """A function that checks a certificate (a dict): the output line of check.py if it is proved,
    else an exception.

    The file exists in memory only, as some 12,000 are checked.
    """

    def judge(certificate: dict, name: str) -> str:
        text = json.dumps(certificate)
        return check.check(InMemory(name, text))

    return judge


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def file(request):
    return request.param
