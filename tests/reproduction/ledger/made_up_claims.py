"""A claim whose check is a function of the test."""

import sys
from types import SimpleNamespace

from dpbandits.core.models import parse
from dpbandits.reproduction.ledger.claims import Claim

PACKAGE = "dpbandits.reproduction.kl"
HOLDS = {"verdict": "holds", "method": "exact", "scope": "all"}
FAILS = {
    "verdict": "violated",
    "method": "exact",
    "severity": "constant",
    "scope": "all",
    "counterexample": "x",
    "repaired": "twice that",
    "repaired_verdict": "open",
}


def made_up(monkeypatch, check, *readings, **fields) -> Claim:
    monkeypatch.setitem(sys.modules, f"{PACKAGE}.claims.made_up", SimpleNamespace(check=check))
    said = {
        "id": "KL-X",
        "where": "Lemma 0",
        "statement": "1 = 1",
        "check": "claims/made_up.py::check",
    }
    said |= {"readings": list(readings) or [HOLDS], "package": PACKAGE}
    return parse(Claim, said | fields, "claims.toml: KL-X")
