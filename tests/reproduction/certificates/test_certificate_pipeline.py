"""The committed certificates are those that the claims make."""

import json
import re
from pathlib import Path

import pytest
from scratch import ROOT

from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.ledger import certificates
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.verdicts import certificate_path

FOLDER = ROOT / "certificates"


BUILT = {  # file: (claim, reading, certificate) of every refutation
    Path(certificate_path(claim.id, reading)).stem: (claim, reading, certificate)
    for claim in claims().values()
    for reading, certificate in claim.certificates().items()
}
LEDGER = read_rows(ROOT / "figures/claims.csv")


def test_one_refutation_per_file():
    assert set(BUILT) == {path.stem for path in FOLDER.glob("*.json")}


@pytest.mark.parametrize("stem", sorted(BUILT))
def test_the_committed_file_is_what_its_claim_makes(stem):
    claim, reading, certificate = BUILT[stem]
    written = (FOLDER / f"{stem}.json").read_text(encoding="utf-8")
    committed = json.loads(written)
    assert certificates.as_json(committed) == written
    assert (committed["claim"], committed["reading"]) == (claim.id, reading)
    assert committed == json.loads(json.dumps(certificate))


def test_every_refuted_row_has_a_certificate_or_is_statistical():
    """And docs/trust.md lists those that have none, with their tables; HU-T3 would say nothing."""
    page = (ROOT / "docs/trust.md").read_text(encoding="utf-8")
    assert "but for HU-T3, step (24)" in page
    page = page.split("## Refuted rows without a certificate\n")[1].split("\n## ")[0]
    listed = re.findall(r"^\| ([A-Z]{2}-\S+), (.+?) \| (.+?) \|", page, re.MULTILINE)
    refuted = [row for row in LEDGER if row["verdict"] in ("violated", "rejected")]
    assert len(refuted) > 50
    rows = {(row["id"], row["reading"]): row for row in refuted if not row["certificate"]}
    assert rows.pop(("HU-T3", "step (24)"))["method"] == "exact"
    assert {row["method"] for row in rows.values()} <= {"statistical"}, sorted(rows)
    assert sorted(rows) == sorted((id, reading) for id, reading, _ in listed)
    for id, reading, tables in listed:
        assert rows[id, reading]["confidence"]
        for path in re.findall(r"`(.+?)`", tables):
            assert path in rows[id, reading]["evidence"].split(";")
            assert (ROOT / path).is_file()
