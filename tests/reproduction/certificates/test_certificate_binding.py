"""Each theorem of check.py belongs to one claim and one reading; other combinations are refused."""

import itertools
import json
from io import BytesIO
from types import SimpleNamespace

import pytest
from scratch import ROOT

FOLDER = ROOT / "certificates"
CERTIFICATES = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in FOLDER.glob("*.json")}


def relabelled(certificate: dict, other: dict, *parts: str) -> dict:
    return certificate | {part: other[part] for part in parts}


def test_refused_under_every_other_name_and_reading(check, judge):
    """All pairs of files: a certificate needs its own claim, reading and file name."""
    owners = {(c["claim"], c["reading"]) for c in CERTIFICATES.values()}
    theorems = {c["theorem"] for c in CERTIFICATES.values()}
    assert len(owners) == len(theorems) == len(CERTIFICATES) >= 80
    for name, other_name in itertools.permutations(CERTIFICATES, 2):
        mine, other = CERTIFICATES[name], CERTIFICATES[other_name]
        with pytest.raises(check.Refused, match="belongs to"):
            judge(relabelled(mine, other, "claim", "reading"), other_name)
        with pytest.raises(check.Refused, match="the file of"):
            judge(mine, other_name)


# Pairs that are still proved if the theorem is exchanged, too: the other theorem is then checked at
# these parameters, and its inequality fails there as well.
PROVE_BOTH = {
    *itertools.permutations(("FL-RDP", "FL-S4", "FL-T5.1"), 2),
    *itertools.permutations(("HU-ABS", "HU-T8"), 2),
    *itertools.permutations(("US-L4.3.order", "US-T4.1.order"), 2),
    *itertools.permutations(("KL-ABS.corollaries", "KL-C2"), 2),
    ("KL-T3-pure.unit-differences", "KL-T3-pure"),  # not the other way round
    ("KL-B12-reference", "KL-B12"),  # likewise
}


def test_exchanged_theorem_is_checked_by_its_own_formula(judge):
    proved = set()
    for name, other_name in itertools.permutations(CERTIFICATES, 2):
        mine, other = CERTIFICATES[name], CERTIFICATES[other_name]
        if mine["given"].keys() != other["given"].keys():
            continue  # refused: "parameters"
        try:
            judge(relabelled(mine, other, "claim", "reading", "theorem"), other_name)
        except Exception:  # as in check.main: after any exception nothing is proved
            continue
        proved.add((name.removesuffix(".json"), other_name.removesuffix(".json")))
    assert proved == PROVE_BOTH


def test_duplicate_keys_are_refused(check):
    text = (FOLDER / "KL-B-mean.json").read_text(encoding="utf-8")
    twice = text.replace('"given": {', '"given": {"R": "1", ', 1)
    for broken in (twice, text.replace("{", '{"claim": "KL-B-mean",', 1)):
        file = SimpleNamespace(
            name="KL-B-mean.json", open=lambda mode, t=broken: BytesIO(t.encode())
        )
        with pytest.raises(check.Refused, match="a key stands twice"):
            check.check(file)


def test_longer_differences_than_1_are_refused_for_unit_differences(check, judge):
    parts = [CERTIFICATES[f"KL-T3-pure{end}.json"] for end in (".unit-differences", "")]
    longer = relabelled(*parts, "data", "neighbour")
    with pytest.raises(check.Refused, match="hypothesis"):
        judge(longer, "KL-T3-pure.unit-differences.json")
