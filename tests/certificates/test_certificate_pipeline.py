"""From verdicts to certificates/: what is committed is what the checks hand over."""

import importlib
import json
import re
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from dpbandits.core.certificates import enclosure, text
from dpbandits.core.ledger import Claim, Method, Verdict, certificate_path, claims
from dpbandits.core.registry import modules_in, papers
from dpbandits.pipeline import certificates
from dpbandits.pipeline.ledger import check_all

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "certificates"


def builders() -> dict:
    found = {}
    for paper in papers().values():
        name = f"{paper.package}.claims.certificates"
        if name in modules_in(f"{paper.package}.claims"):
            found |= importlib.import_module(name).REFUTATIONS
    return found


def test_one_builder_per_file():
    assert set(builders()) == {path.stem for path in FOLDER.glob("*.json")}


@pytest.mark.parametrize("stem", sorted(builders()))
def test_the_committed_file_is_what_its_builder_makes(stem):
    """Its names and words come from the row of the ledger; all else is compared here."""
    written = (FOLDER / f"{stem}.json").read_text(encoding="utf-8")
    committed = json.loads(written)
    assert certificates.as_json(committed) == written
    row = {name: committed.pop(name) for name in ("claim", "reading", "statement")}
    assert committed == json.loads(json.dumps(builders()[stem]()))
    assert row["claim"] in claims()
    assert stem == Path(certificate_path(row["claim"], row["reading"])).stem


def test_the_published_ledger_and_the_files_agree():
    ledger = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    named = set(ledger["certificate"]) - {""}
    assert named <= {f"certificates/{path.name}" for path in FOLDER.glob("*.json")}
    assert set(ledger[ledger["certificate"] != ""]["verdict"]) == {"violated"}


def without_certificate() -> list[dict]:
    """The published ledger's refuted rows that have no file."""
    ledger = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    refuted = ledger[ledger["verdict"].isin(["violated", "rejected"])].to_dict("records")
    assert len(refuted) > 50
    return [r for r in refuted if not (ROOT / certificate_path(r["id"], r["reading"])).is_file()]


def test_every_refuted_row_has_a_certificate_or_is_statistical():
    """And docs/trust.md lists those that have none, with their tables, no other."""
    page = (ROOT / "docs/trust.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([A-Z]{2}-\S+), (.+?) \| (.+?) \|", page, re.MULTILINE)
    bare = {(row["id"], row["reading"]): row for row in without_certificate()}
    assert {row["method"] for row in bare.values()} <= {"statistical"}, sorted(bare)
    assert sorted(bare) == sorted((id, reading) for id, reading, _ in listed)
    for id, reading, tables in listed:
        assert bare[id, reading]["confidence"]
        for path in re.findall(r"`(.+?)`", tables):
            assert path in bare[id, reading]["evidence"].split(";")
            assert (ROOT / path).is_file()


def test_docs_list_every_method():
    page = (ROOT / "docs/trust.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(get_args(Method))


def verdict(**more) -> Verdict:
    fields = {"method": "exact", "scope": "", "counterexample": "x" * ("verdict" in more)}
    fields |= {"repaired": "r", "repaired_verdict": "open"} if "verdict" in more else {}
    return Verdict(**fields | {"verdict": "holds"} | more)


def claim(id: str, found: Verdict) -> Claim:
    module = "dpbandits.offline.claims.bandits"
    return Claim(id, "Theorem 1", "a statement", "privacy", "", (), lambda tables: found, module)


def test_only_refuted_rows_carry_a_certificate():
    (refuted,) = claim("KL-T1-approx", verdict(verdict="violated")).verdicts(None)
    assert refuted.certificate == builders()["KL-T1-approx"]()
    (holds,) = claim("KL-T1-approx", verdict()).verdicts(None)
    (other,) = claim("KL-none", verdict(verdict="violated")).verdicts(None)
    assert holds.certificate is None
    assert other.certificate is None


def test_written_read_and_published(tmp_path):
    entry = claim("KL-T1-approx", verdict(verdict="violated"))
    (found,) = entry.verdicts(None)
    made = [certificates.certificate_of(entry, found)]
    (tmp_path / "KL-C1.json").write_text("{}")
    assert "1 files differ, 0 are the same" in certificates.publish(made, tmp_path)
    assert "0 files differ, 1 are the same" in certificates.publish(made, tmp_path)
    assert (tmp_path / "KL-C1.json").read_text() == "{}"  # of a row that was not checked
    read = json.loads((tmp_path / "KL-T1-approx.json").read_text(encoding="utf-8"))
    assert read == made[0]
    assert read["statement"] == "Theorem 1: a statement"


def test_numbers_as_text_are_exact():
    from fractions import Fraction

    from flint import arb

    assert text({"a": [1, Fraction(2, 4), (3,)]}) == {"a": ["1", "1/2", ["3"]]}
    with pytest.raises(TypeError):
        text(0.5)
    third = arb(1) / 3
    low, high = (Fraction(x) for x in enclosure(third))
    assert low < Fraction(1, 3) < high
    assert high - low < Fraction(1, 10**13)
    assert enclosure(arb(0)) == ["0", "0"]


def test_the_ledger_hands_over_the_certificates_of_what_is_refuted():
    """FL-LD.2: its printed reading is refuted, the other one holds."""
    rows, plots, handed = check_all(["FL-LD.2"], FOLDER)
    assert [row["certificate"] != "" for row in rows.to_dict("records")] == [True, False]
    assert [(c["claim"], c["reading"]) for c in handed] == [("FL-LD.2", "printed")]
    assert list(plots["reading"].unique()) == list(rows["reading"])
    assert set(plots["id"]) == {"FL-LD.2"}
