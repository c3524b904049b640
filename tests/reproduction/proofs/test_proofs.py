"""The Coq proofs assume nothing, and what is written about them is up to date.

Coq itself checks them in `make proofs` (150 CPU seconds), which CI runs first.
"""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROOFS = Path(__file__).parents[3] / "proofs"
sys.path.insert(0, str(PROOFS))
import build  # noqa: E402

FILES = sorted(PROOFS.glob("*.v"))
# ways to state a theorem without a proof, or to weaken the kernel that checks it
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Variables?|bypass_check"
    r"|Unset\s+(Guard|Positivity|Universe)\s+Check\w*|Local\s+Axiom|type.in.type)\b"
)


def without_comments(text: str) -> str:
    inner = re.compile(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", re.DOTALL)
    while inner.search(text):
        text = inner.sub(" ", text)
    return text


def listed_theorems() -> list[dict]:
    with open(PROOFS / "theorems.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_is_assumed(path):
    assert not FORBIDDEN.findall(without_comments(path.read_text()))


def test_every_file_is_compiled_and_every_theorem_listed():
    project = (PROOFS / "_CoqProject").read_text().split()
    assert {path.name for path in FILES} == {"Assumptions.v"} | {
        name for name in project if name.endswith(".v")
    }
    stated = {
        (f"proofs/{path.name}", name)
        for path in FILES
        for name in re.findall(r"\bTheorem\s+(\w+)", without_comments(path.read_text()))
    }
    assert stated == {(row["file"], row["theorem"]) for row in listed_theorems()}


def copied(folder: Path) -> Path:
    for path in PROOFS.iterdir():
        if path.suffix in {".v", ".py", ".md"} or path.name == "_CoqProject":
            shutil.copy(path, folder)
    return folder


def test_list_of_assumptions_is_that_of_the_theorems():
    """theorems.csv: test_formal.py."""
    assert (PROOFS / "Assumptions.v").read_text() == build.assumptions_file(build.theorems())


def test_build_fails_on_an_axiom(tmp_path):
    """A theorem that rests on an invented axiom is not listed: the build fails and names it."""
    if not shutil.which("coqc"):
        pytest.skip("coqc is not installed: `make proofs` installs it on Debian")
    copy = copied(tmp_path)
    (copy / "_CoqProject").write_text("-Q . DPBandits\nInvented.v\n")
    (copy / "Invented.v").write_text(
        "Axiom invented : False.\n(* claim: X | printed | holds\n   all *)\n"
        "Theorem anything : 0 = 1.\nProof. destruct invented. Qed.\n"
    )
    ran = subprocess.run([sys.executable, "build.py"], cwd=copy, capture_output=True, text=True)
    assert ran.returncode != 0
    assert "invented" in ran.stderr
