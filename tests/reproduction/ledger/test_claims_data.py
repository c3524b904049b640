"""Claims as data: what claims.toml may contain, and how numbers are put into its texts."""

import sys
import tomllib
from fractions import Fraction
from types import SimpleNamespace

import pytest

from dpbandits.core.errors import InputError
from dpbandits.core.models import parse
from dpbandits.reproduction.ledger.claims import Claim, Finding
from dpbandits.reproduction.ledger.inequalities import exact
from dpbandits.reproduction.ledger.points import points_of

BLOCK = """
id = "HU-NEW"
where = "Theorem 0"
statement = '$n \\le 1$'

[[readings]]
verdict = "violated"
method = "exact"
severity = "wording"
scope = "one number"
measured = "[[left:.3g]]"
bound = "[[right:.3g]], [[ratio:.2f]] times less"
counterexample = "$n = [[left:g]]$"
repaired = '$n \\le 2$'
repaired_verdict = "open"

[readings.inequality]
fails = "n <= 1"
given = { n = "5/2" }
python = "left, right = n, 1"
"""


def claim(text=BLOCK, **changes):
    data = tomllib.loads(text) | {"package": "dpbandits.reproduction.hu"} | changes
    return parse(Claim, data, "claims.toml: HU-NEW")


def test_inequality_gives_numbers_and_points():
    (verdict,) = claim().verdicts(None)
    assert (verdict.verdict, verdict.severity) == ("violated", "wording")
    assert (verdict.measured, verdict.bound) == ("2.5", "1, 2.50 times less")
    assert verdict.counterexample == "$n = 2.5$"
    assert verdict.points[0][["measured", "at_most"]].to_numpy().tolist() == [[2.5, 1.0]]
    assert verdict.certificate is None


def test_inequality_with_a_theorem_has_a_certificate():
    made = claim(BLOCK + 'theorem = "HU-NEW"\n').certificates()
    assert made["printed"]["given"] == {"n": "5/2"}
    assert made["printed"]["enclosures"]["left"] == ["2.5", "2.5"]


CHECKED = """
id = "HU-NEW"
where = "Theorem 0"
statement = 'the mean is at most 1'
reads = ["table"]
check = "claims/module.py::function"

[[readings]]
method = "statistical"
severity = "experiment"
scope = "two runs"
measured = "[[mean:.1f]]"
confidence = "1 - 1e-6"
repaired = "nothing"
repaired_verdict = "open"
"""


def checked(monkeypatch, check, text=CHECKED):
    name = "dpbandits.reproduction.hu.claims.module"
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(function=check))
    return claim(text).verdicts(lambda name: {"table": 1.5}[name])[0]


def measured(value):
    return points_of([value], at_most=1)


def test_check_decides_the_verdict(monkeypatch):
    def check(tables):
        mean = tables("table")
        return Finding("rejected" if mean > 1 else "consistent", {"mean": mean}, measured(mean))

    verdict = checked(monkeypatch, check)
    fields = (verdict.verdict, verdict.measured, verdict.severity)
    assert fields == ("rejected", "1.5", "experiment")
    verdict = checked(monkeypatch, lambda _: Finding("consistent", {"mean": 0.5}, measured(0.5)))
    assert (verdict.verdict, verdict.severity) == ("consistent", "")


def test_check_that_contradicts_the_stated_verdict_is_refused(monkeypatch):
    text = CHECKED.replace("[[readings]]", '[[readings]]\nverdict = "consistent"')
    with pytest.raises(ValueError, match=r"says consistent, the check finds rejected"):
        checked(monkeypatch, lambda _: Finding("rejected", {"mean": 2}, measured(2)), text)


def test_verdict_without_finding_is_refused(monkeypatch):
    text = CHECKED.replace("[[readings]]", '[[readings]]\nverdict = "rejected"')
    with pytest.raises(ValueError, match="no check says that it is rejected"):
        checked(monkeypatch, lambda _: Finding(numbers={"mean": 2}, points=measured(2)), text)


def test_exact_parameters():
    assert exact("10**-13") == Fraction(1, 10**13)
    assert exact(["1/3", 2, ["2**4"]]) == [Fraction(1, 3), 2, [16]]
    with pytest.raises(InputError, match="allowed: whole numbers"):
        exact(0.1)
