"""The rules that every row of the ledger must meet, and how rows are made and grouped."""

import importlib

import made_up_claims
import pytest
from made_up_claims import HOLDS, made_up
from pydantic import ValidationError
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.core.algorithms import run
from dpbandits.core.errors import InputError, ProofError, require_proof
from dpbandits.core.files import read_rows
from dpbandits.reproduction.ledger.claims import Finding, claims
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.ledger.verdicts import (
    COLUMNS,
    OURS,
    PRINTED,
    Verdict,
    by_cause,
    certificate_path,
    row,
    wrong_statements,
)

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


def plot(measured, at_most):
    return (points([1], [measured], at_most=[at_most], axes=("x", "y")),)


INSIDE, BEYOND = plot(1.0, 2.0), plot(3.0, 2.0)
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
    "holds, yet the plot is beyond": (SOUND | {"points": BEYOND}, "beyond the statement"),
    "consistent, yet the plot is beyond": (CONSISTENT | {"points": BEYOND}, "beyond the statement"),
    "violated, yet the plot is inside": (REFUTED | {"points": INSIDE}, "no point of its plot"),
    "rejected, yet the plot is inside": (REJECTED | {"points": INSIDE}, "no point of its plot"),
    "a reading of ours that refutes": (REFUTED | TWICE, "refutes nothing of it"),
    "a severity of what holds": (SOUND | {"severity": "constant"}, "has a severity"),
    "an unknown severity": (REFUTED | {"severity": "bad"}, "Input should be"),
    "an unknown method": (SOUND | {"method": "guess"}, "Input should be"),
    "no verdict": (SOUND | {"verdict": ""}, "Input should be"),
    "an unknown field": (SOUND | {"sure": True}, "Extra inputs"),
}
ALLOWED = {
    "sampling that rejects": REJECTED | {"points": BEYOND},
    "sampling that finds nothing": CONSISTENT | {"points": INSIDE},
    "untestable by sampling": SAMPLED | {"verdict": "untestable", "confidence": ""},
    "a counterexample": REFUTED | {"points": BEYOND},
    "a certified one without a plot": REFUTED | {"method": "certified"},
    "a refutation with its severity": REFUTED | {"severity": "conclusion"},
    "a reading of ours that holds": SOUND | TWICE,
    "a proof with its page": PROVED | {"evidence": "docs/proofs/HU.md"},
    "a repair that was proved": REPAIRED | {"repaired_method": "proof", "evidence": PAGES},
    "a repair that is open": SOUND | {"repaired_verdict": "open"},
}


@pytest.mark.parametrize("case", REFUSED)
def test_unsound_verdict_is_refused(case):
    fields, message = REFUSED[case]
    with pytest.raises(ValidationError, match=message):
        Verdict(**fields)


@pytest.mark.parametrize("case", ALLOWED)
def test_sound_verdict_is_allowed(case):
    assert Verdict(**ALLOWED[case]).verdict == ALLOWED[case]["verdict"]


def test_single_evidence_and_points_need_no_list():
    verdict = Verdict(**SOUND, evidence="docs/proofs/HU.md", points=INSIDE[0])
    assert verdict.evidence == ("docs/proofs/HU.md",)
    assert verdict.points[0] is INSIDE[0]


def test_kind_of_a_claim(monkeypatch):
    def about(**fields):
        return made_up(monkeypatch, None, **fields).about

    assert about() == "inequality"
    assert about(neighbours="one row") == "privacy"
    assert about(neighbours="one row", kind="regret") == "regret"


def test_a_check_may_run_only_the_algorithms_that_it_names(monkeypatch):
    def check(tables):
        run("dp-se", {"means": [1, 0]}, 1.0, 2, range(1), engine="plain")
        return Finding("holds")

    assert len(made_up(monkeypatch, check, runs=["dp-se"]).verdicts(None)) == 1
    with pytest.raises(InputError, match="'dp-se' is run here; name it in runs"):
        made_up(monkeypatch, check, runs=["ucb1"]).verdicts(None)


def refuted(monkeypatch, finding, **fields):
    claim = made_up(monkeypatch, lambda tables: finding, made_up_claims.FAILS, **fields)
    return claim.verdicts(None)[0].certificate


def test_certificate_of_a_refuted_row_is_found_by_its_name(monkeypatch):
    made = importlib.import_module("dpbandits.reproduction.kl.claims.refutations").REFUTATIONS
    name = next(name for name in made if "." not in name)
    row = {"claim": name, "reading": PRINTED, "statement": "Lemma 0: 1 = 1"}
    assert refuted(monkeypatch, Finding("violated"), id=name) == row | made[name]()
    assert refuted(monkeypatch, Finding("violated"), id="KL-other") is None


def test_a_failed_check_of_our_own_stops_the_run_with_one_line(monkeypatch, capsys):
    """No quiet `untestable`: the line names the claim and the proof; the commands exit with 1."""

    def check(tables):
        require_proof(1 > 2, "Theorem T: an exact sum crosses it")

    claim = made_up(monkeypatch, check)
    line = r"KL-X: our own check fails: Theorem T: an exact sum crosses it: the proof or the code"
    with pytest.raises(ProofError, match=line):
        claim.verdicts(None)
    monkeypatch.setattr("dpbandits.cli._function", lambda name: lambda options: check(None))
    assert main(["list", "claims"]) == 1
    assert capsys.readouterr().err == "dpbandits: Theorem T: an exact sum crosses it\n"


def test_untestable_says_why(monkeypatch):
    untestable = made_up(monkeypatch, lambda tables: Finding("untestable"), HOLDS | {"verdict": ""})
    with pytest.raises(InputError, match=r"printed: untestable, and claims\.toml does not say"):
        untestable.verdicts(None)
    said = HOLDS | {"verdict": "", "untestable": "no number is printed"}
    (verdict,) = made_up(monkeypatch, lambda tables: Finding("untestable"), said).verdicts(None)
    assert verdict.scope == "all. Not decided: no number is printed"
    (verdict,) = made_up(monkeypatch, lambda tables: Finding("holds"), said).verdicts(None)
    assert (verdict.verdict, verdict.scope) == ("holds", "all")


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


def test_finding_for_an_unknown_reading_is_refused(monkeypatch):
    claim = made_up(monkeypatch, lambda tables: {"printed": Finding("holds"), "other": Finding()})
    with pytest.raises(ValueError, match=r"KL-X: .*allowed: printed in claims.toml"):
        claim.verdicts(None)


def test_a_row_has_every_column(monkeypatch):
    claim = made_up(monkeypatch, lambda tables: Finding("holds"), neighbours="one row")
    line = row(claim, *claim.verdicts(None))
    assert tuple(line) == COLUMNS
    assert (line["id"], line["paper"], line["statement"]) == ("KL-X", "KL", "Lemma 0: 1 = 1")
    assert (line["kind"], line["neighbours"]) == ("privacy", "one row")
    assert (line["evidence"], line["certificate"]) == ("", "")


def test_a_reading_has_its_own_statement_and_evidence(monkeypatch):
    narrow = HOLDS | {"reading": "narrow one", "statement": "1 = 2", "evidence": ["a", "b"]}
    found = {"printed": Finding("holds"), "narrow one": Finding("holds")}
    claim = made_up(monkeypatch, lambda tables: found, HOLDS, narrow)
    line = row(claim, claim.verdicts(None)[1])
    assert (line["reading"], line["statement"]) == ("narrow one", "Lemma 0: 1 = 2")
    assert line["evidence"] == "a;b"


def test_file_of_a_certificate_is_named_by_its_row():
    assert certificate_path("KL-X", "printed") == "certificates/KL-X.json"
    assert certificate_path("KL-X", "narrow one") == "certificates/KL-X.narrow-one.json"


READINGS = [(claim, reading) for claim in claims().values() for reading in claim.readings]


def test_every_cause_names_another_row():
    for claim, reading in READINGS:
        named = claims().keys() - ({claim.id} if reading.reading == PRINTED else set())
        assert reading.cause in {"", *named}, (claim.id, reading.reading)


def test_rows_are_grouped_under_their_first_cause():
    """Wherever causes are shown. KL-ABS's corollaries inherit KL-C2's error, which is KL-B12's."""
    from dpbandits.cli.refute import row_page
    from dpbandits.reproduction.pdf import build
    from dpbandits.reproduction.report.front import causes

    rows = read_rows(ROOT / "figures/claims.csv")
    row = next(row for row in rows if (row["id"], row["reading"]) == ("KL-ABS", "corollaries"))
    assert row["cause"] == "KL-C2"
    assert row in by_cause(rows)["KL-B12"]
    assert "KL-C2" not in by_cause(rows)
    assert "KL-C2" not in {
        cause["row"]["id"] for cause in causes([r for r in rows if r["severity"]])
    }
    assert "The same error as in:\n  KL-B12" in row_page(row)
    assert "KL-C2" not in {cause["id"] for cause in build.causes(rows, {})}
