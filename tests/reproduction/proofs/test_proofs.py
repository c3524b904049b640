"""The Coq proofs assume nothing, and what is written about them is up to date.

If Coq is installed, all are checked again (150 CPU seconds), unless `make proofs` has checked these
files.
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
WRITTEN = ("README.md", "theorems.csv", "Assumptions.v")
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


def needs_coq() -> None:
    if not shutil.which("coqc"):
        pytest.skip("coqc is not installed: `make proofs` installs it on Debian")


def is_checked(folder: Path) -> bool:
    stamp = folder / build.CHECKED
    return stamp.is_file() and stamp.read_text() == build.digest(folder)


@pytest.fixture(scope="module")
def checked(tmp_path_factory) -> Path:
    """proofs/ if it has been checked by `make proofs`, else a copy that is compiled here."""
    needs_coq()
    if is_checked(PROOFS):
        return PROOFS
    copy = copied(tmp_path_factory.mktemp("proofs"))
    subprocess.run([sys.executable, "build.py"], cwd=copy, check=True, capture_output=True)
    assert is_checked(copy)
    return copy


@pytest.mark.parametrize("name", WRITTEN)
def test_committed_files_are_those_of_the_build(checked, name):
    ran = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True)
    coq = re.search(r"checked by Coq (\S+)\.", (PROOFS / "README.md").read_text()).group(1)
    if f"version {coq}" not in ran.stdout:
        pytest.skip(f"README.md was written by Coq {coq}, and axioms have other names in another")
    assert (checked / name).read_text() == (PROOFS / name).read_text()


def test_build_fails_on_an_axiom(tmp_path):
    """A theorem that rests on an invented axiom is not listed: the build fails and names it."""
    needs_coq()
    copy = copied(tmp_path)
    (copy / "_CoqProject").write_text("-Q . DPBandits\nInvented.v\n")
    (copy / "Invented.v").write_text(
        "Axiom invented : False.\n(* claim: X | printed | holds\n   all *)\n"
        "Theorem anything : 0 = 1.\nProof. destruct invented. Qed.\n"
    )
    ran = subprocess.run([sys.executable, "build.py"], cwd=copy, capture_output=True, text=True)
    assert ran.returncode != 0
    assert "invented" in ran.stderr
    assert not (copy / build.CHECKED).exists()
