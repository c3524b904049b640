"""The rules that every row of the ledger must meet, and how rows are made and grouped."""

import importlib

import made_up_claims
import pytest
from made_up_claims import made_up
from pydantic import ValidationError

from dpbandits.core.errors import ProofError
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.ledger.rows import wrong_statements
from dpbandits.reproduction.ledger.verdicts import (
    OURS,
    PRINTED,
    Verdict,
)
from dpbandits.reproduction.proofs import require_proof

SOUND = {"verdict": "holds", "method": "exact", "scope": "all of it"}
FAILS = {"repaired": "what is true", "repaired_verdict": "open"}
REFUTED = SOUND | FAILS | {"verdict": "violated", "counterexample": "x"}
SAMPLED = {"method": "statistical", "confidence": "1e-6", "scope": "1000 runs"}
REJECTED = SAMPLED | FAILS | {"verdict": "rejected"}
CONSISTENT = SAMPLED | {"verdict": "consistent"}
PROVED = SOUND | {"method": "proof"}
REPAIRED = SOUND | {"repaired_verdict": "holds"}
TWICE, PAGES = {"reading": f"{OURS}twice"}, ("docs/proofs/FL.md",)
INSTEAD, WRITTEN = "says what is true instead", "a proof is written somewhere"


def measured(value, at_most):
    return (points_of([value], at_most=at_most),)


INSIDE, BEYOND = measured(1.0, 2.0), measured(3.0, 2.0)
REFUSED = {
    "sampling cannot say holds": (SAMPLED | {"verdict": "holds"}, "sampling alone"),
    "nor violated": (SAMPLED | {"verdict": "violated", "counterexample": "x"}, "sampling alone"),
    "rejected without confidence": (REJECTED | {"confidence": ""}, "states its confidence"),
    "violated without counterexample": (SOUND | {"verdict": "violated"}, "counterexample"),
    "violated without what is true instead": (REFUTED | {"repaired": ""}, INSTEAD),
    "rejected without a verdict on its repair": (REJECTED | {"repaired_verdict": ""}, INSTEAD),
    "proof without a page": (PROVED, WRITTEN),
    "proof on a page elsewhere": (PROVED | {"evidence": "figures/hu/fig1.csv"}, WRITTEN),
    "repaired proof without a page": (REPAIRED | {"repaired_method": "proof"}, WRITTEN),
    "repaired without method": (REPAIRED, "says by which method"),
    "repaired by sampling": (REPAIRED | {"repaired_method": "statistical"}, "says by which method"),
    "holds, yet a value is beyond": (SOUND | {"points": BEYOND}, "beyond the statement"),
    "consistent, yet a value is beyond": (CONSISTENT | {"points": BEYOND}, "beyond the statement"),
    "violated, yet none is beyond": (REFUTED | {"points": INSIDE}, "no measured value"),
    "rejected, yet none is beyond": (REJECTED | {"points": INSIDE}, "no measured value"),
    "a reading of ours that refutes": (REFUTED | TWICE, "refutes nothing of it"),
    "a severity of what holds": (SOUND | {"severity": "constant"}, "has a severity"),
}
ALLOWED = {
    "sampling that rejects": REJECTED | {"points": BEYOND},
    "sampling that finds nothing": CONSISTENT | {"points": INSIDE},
    "a counterexample": REFUTED | {"points": BEYOND},
    "a certified one without values": REFUTED | {"method": "certified"},
    "a reading of ours that holds": SOUND | TWICE,
    "a proof with its page": PROVED | {"evidence": "docs/proofs/HU.md"},
    "a repair that was proved": REPAIRED | {"repaired_method": "proof", "evidence": PAGES},
}


@pytest.mark.parametrize("case", REFUSED)
def test_unsound_verdict_is_refused(case):
    fields, message = REFUSED[case]
    with pytest.raises(ValidationError, match=message):
        Verdict(**fields)


@pytest.mark.parametrize("case", ALLOWED)
def test_sound_verdict_is_allowed(case):
    assert Verdict(**ALLOWED[case]).verdict == ALLOWED[case]["verdict"]


def refuted(monkeypatch, finding, **fields):
    claim = made_up(monkeypatch, lambda tables: finding, made_up_claims.FAILS, **fields)
    return claim.verdicts(None)[0].certificate


def test_certificate_of_a_refuted_row_is_found_by_its_name(monkeypatch):
    made = importlib.import_module("dpbandits.reproduction.kl.claims.refutations").REFUTATIONS
    name = next(name for name in made if "." not in name)
    row = {"claim": name, "reading": PRINTED, "statement": "Lemma 0: 1 = 1"}
    assert refuted(monkeypatch, Finding("violated"), id=name) == row | made[name]()
    assert refuted(monkeypatch, Finding("violated"), id="KL-other") is None


def test_a_failed_check_of_our_own_stops_the_run_with_one_line(monkeypatch):
    """No quiet `untestable`: the line names the claim and the proof."""

    def check(tables):
        require_proof(1 > 2, "Theorem T: an exact sum crosses it")

    claim = made_up(monkeypatch, check)
    line = r"KL-X: our own check fails: Theorem T: an exact sum crosses it: the proof or the code"
    with pytest.raises(ProofError, match=line):
        claim.verdicts(None)


def test_a_statement_counts_once_by_the_worst_severity_of_its_readings():
    """A statement whose printed reading does not fail is not wrong."""
    rows = [
        {"id": id, "reading": reading, "verdict": verdict, "severity": severity, "cause": cause}
        for id, reading, verdict, severity, cause in (
            ("A", PRINTED, "violated", "wording", "C"),
            ("A", "narrow", "rejected", "constant", "B"),
            ("B", PRINTED, "holds", "", ""),
            ("B", "step", "violated", "step", ""),
            ("C", PRINTED, "rejected", "experiment", ""),
        )
    ]
    wrong = [tuple(row.values()) for row in wrong_statements(rows)]
    assert wrong == [("A", PRINTED, "violated", "constant", "B"), tuple(rows[-1].values())]
