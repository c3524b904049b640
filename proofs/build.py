"""Check every theorem with Coq, and write what was checked: `make proofs`.

The Python standard library alone. A theorem that counts is headed by a comment of the form
    (* claim: ID | READING | KIND
       what it says *)
with ID and READING those of a row of the ledger and KIND one of holds (the row's statement is
true), part (so is a part of it), refutes (it is false), instance (it is false at another instance
than the row's), repairs (a true statement in its place) and attains (the repair cannot be
bettered). From these comments and from what Coq prints come README.md (below its marker),
theorems.csv and Assumptions.v.
"""

import argparse
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ["coq", "libcoq-interval", "libcoq-coquelicot", "make"]
MOST_PROCESSES = 4  # that print assumptions: each takes 1.5 GB
KINDS = ("holds", "part", "refutes", "instance", "repairs", "attains")
MARKER = "<!-- written by `make proofs`: do not edit below -->"
HEAD = re.compile(
    r"\(\* claim: (?P<claim>\S+) \| (?P<reading>[^|\n]+) \| (?P<kind>\S+)\n(?P<says>.*?)\*\)\s*"
    r"Theorem\s+(?P<name>\w+)",
    re.DOTALL,
)
FAMILIES = {  # what an axiom's name begins with -> what it is
    "ClassicalDedekindReals.": "reals",
    "FunctionalExtensionality.": "reals",
    "Classical_Prop.classic": "reals",
    "ClassicalEpsilon.": "choice",
    "PrimInt63.": "63-bit integers",
    "Uint63.": "63-bit integers",
}


@dataclass(frozen=True)
class Theorem:
    claim: str
    reading: str
    kind: str
    says: str
    name: str
    file: str
    line: int


def sources() -> list[str]:
    """The files of _CoqProject, in its order."""
    return [name for name in (HERE / "_CoqProject").read_text().split() if name.endswith(".v")]


def theorems() -> list[Theorem]:
    found = []
    for file in sources():
        text = (HERE / file).read_text()
        for match in HEAD.finditer(text):
            fields = match.groupdict()
            if fields["kind"] not in KINDS:
                sys.exit(f"{file}: {fields['name']}: kind '{fields['kind']}' is none of {KINDS}")
            fields["says"] = " ".join(fields["says"].split())
            line = text.count("\n", 0, match.start("name")) + 1
            found.append(Theorem(**fields, file=file, line=line))
        if text.count("claim:") != len(HEAD.findall(text)):
            sys.exit(f"{file}: a comment with 'claim:' stands before no theorem")
    return found


def require_coq() -> None:
    """Coq, installed from Debian if that is possible, else an explanation."""
    if shutil.which("coqc"):
        return
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(
            "Coq is not here, and only root can install it on Debian or Ubuntu. Do so by hand:\n"
            f"  sudo {' '.join(arg for arg in install if arg != '-qq')}\n"
            "or, elsewhere, with opam: opam install coq.8.16.1 coq-interval.4.6.1"
        )
    print("Installing Coq from Debian", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], install):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def version() -> str:
    said = subprocess.run(["coqc", "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"version (\S+)", said).group(1)


def compile_all() -> None:
    """Every file that changed, or whose sources did."""
    for command in (
        ["coq_makefile", "-f", "_CoqProject", "-o", "Makefile.coq"],
        ["make", "--silent", f"--jobs={os.cpu_count()}", "-f", "Makefile.coq"],
    ):
        subprocess.run(command, cwd=HERE, check=True, env=os.environ | {"MAKEFLAGS": ""})


def assumptions_file(proved: list[Theorem]) -> str:
    modules = " ".join(dict.fromkeys(t.file.removesuffix(".v") for t in proved))
    prints = "".join(f"Print Assumptions {t.name}.\n" for t in proved)
    return (
        "(* Written by `make proofs`: on what each theorem rests. *)\n"
        f"From DPBandits Require Import {modules}.\n\n{prints}"
    )


def printed_assumptions(proved: list[Theorem]) -> list[list[str]]:
    """The axioms below each theorem, as Coq prints them.

    Coq walks through all proofs of its libraries for each; some processes share the work.
    """
    processes = min(os.cpu_count() or 1, MOST_PROCESSES)
    shares = [proved[i::processes] for i in range(processes)]
    with ThreadPoolExecutor() as pool:
        printed = [iter(axioms) for axioms in pool.map(_printed, shares)]
    return [next(printed[i % processes]) for i in range(len(proved))]


def _printed(share: list[Theorem]) -> list[list[str]]:
    if not share:
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "Assumptions.v")
        file.write_text(assumptions_file(share))
        command = ["coqc", "-w", "-ambiguous-paths", "-Q", str(HERE), "DPBandits", str(file)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    heading = re.compile(r"^(?:Axioms:|Closed under the global context)$", re.MULTILINE)
    blocks = heading.split(said)[1:]
    if len(blocks) != len(share):
        sys.exit(f"{len(share)} theorems, but Coq printed {len(blocks)} lists of axioms")
    return [sorted(re.findall(r"^([A-Za-z_][\w.]*)", block, re.MULTILINE)) for block in blocks]


def families(axioms: list[str]) -> str:
    """`reals, 63-bit integers`; ends the run at an axiom of no known family."""
    found = []
    for axiom in axioms:
        family = next((what for start, what in FAMILIES.items() if axiom.startswith(start)), None)
        if family is None:
            sys.exit(f"A theorem rests on {axiom}, which is no axiom of Coq's library")
        found.append(family)
    return ", ".join(sorted(set(found), reverse=True)) or "none"


def table(proved: list[Theorem], axioms: list[list[str]], coq: str) -> str:
    rows = "".join(
        f"| {t.claim} | {t.reading} | {t.kind} | [`{t.name}`]({t.file}#L{t.line}) "
        f"{t.file}:{t.line} | {t.says.replace('|', chr(92) + '|')} | {families(rests_on)} |\n"
        for t, rests_on in zip(proved, axioms, strict=True)
    )
    by_family = {}
    for axiom in sorted({axiom for rests_on in axioms for axiom in rests_on}):
        by_family.setdefault(families([axiom]), []).append(f"`{axiom}`")
    lists = "".join(f"- {what}: {', '.join(names)}\n" for what, names in sorted(by_family.items()))
    return (
        f"{len(proved)} theorems about {len({t.claim for t in proved})} claims, "
        f"checked by Coq {coq}.\n\n"
        "| claim | reading | kind | theorem | what it says | rests on |\n"
        f"|---|---|---|---|---|---|\n{rows}\n"
        f"The axioms that `Print Assumptions` names, by family:\n\n{lists}"
    )


def theorems_csv(proved: list[Theorem]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["claim", "reading", "theorem", "file", "kind", "says"])
    for t in proved:
        writer.writerow([t.claim, t.reading, t.name, f"proofs/{t.file}", t.kind, t.says])
    return out.getvalue()


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    require_coq()
    proved = theorems()
    (HERE / "Assumptions.v").write_text(assumptions_file(proved))
    compile_all()
    readme = HERE / "README.md"
    text = table(proved, printed_assumptions(proved), version())
    readme.write_text(f"{readme.read_text().split(MARKER)[0]}{MARKER}\n\n{text}")
    (HERE / "theorems.csv").write_text(theorems_csv(proved))
    print(f"{len(proved)} theorems checked; proofs/README.md says what each rests on.")


if __name__ == "__main__":
    main()
