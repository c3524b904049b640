"""Claims as data: what a paper states, how each reading of it is judged, and what is true instead.

They stand in PACKAGE/claims.toml, one block per claim:

    [[claims]]
    id = "US-A2.8"
    where = "After Assumption 2.10"
    statement = 'the elements of the RKHS of common kernels are Lipschitz'

    [[claims.readings]]
    verdict = "violated"
    method = "certified"
    severity = "condition"
    measured = "a slope of [[left:.3g]] at norm 1"
    ...
    [claims.readings.inequality]
    fails = "|f(h) - f(0)| <= 10^6 h ..."
    given = { h = "10**-13" }
    python = "left, right = sqrt(2 / h - 1), 10**6"

A row whose statement is one inequality between numbers needs no more: both sides are computed in
ball arithmetic, for the row, its plot and its certificate. Any other claim names a function of the
folder claims/, `check = "module.function"`, which takes the tables that `reads` names and returns a
`Finding` for each reading. `[[name:format]]` in a text stands for a number of the finding.
"""

import importlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from dpbandits.core.algorithms import allow_only, only_declared
from dpbandits.core.checks import Finding, complaint, found_by, function_of
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.inequalities import Inequality
from dpbandits.core.ledger import (
    FAILS,
    PRINTED,
    Method,
    Severity,
    Verdict,
    VerdictName,
    certificate_path,
)
from dpbandits.core.models import Model, parse
from dpbandits.core.registry import Place, package_folder, papers, raised_at

FILE = "claims.toml"
GRADES = ("severity", "cause", "supremum")
REPAIR = ("repaired", "repaired_verdict", "repaired_method", "tightness")
NUMBER = re.compile(r"\[\[([^\[\]:]+)(?::([^\[\]]*))?\]\]")


class Reading(Model):
    """One way to read a claim: a row of the ledger, its texts with places for numbers."""

    reading: str = PRINTED
    statement: str = ""
    verdict: Literal["", VerdictName] = ""  # left out: the check decides
    method: Literal["", Method] = ""
    severity: Literal["", Severity] = ""
    cause: str = ""
    supremum: str = ""
    scope: str = ""
    measured: str = ""
    bound: str = ""
    slack: str = ""
    confidence: str = ""
    evidence: tuple[str, ...] = ()
    counterexample: str = ""
    proof_step: str = ""
    repaired: str = ""
    repaired_verdict: Literal["", "holds", "consistent", "open"] = ""
    repaired_method: Literal["", Method] = ""
    tightness: str = ""
    inequality: Inequality | None = None


class Claim(Model):
    """A printed statement, and how it is judged."""

    id: str
    where: str  # theorem, lemma, section
    statement: str  # in TeX, with the printed constants
    kind: str = ""  # default: privacy if it speaks of neighbours, else an inequality
    neighbours: str = ""
    reads: tuple[str, ...] = ()  # tables that the check reads
    runs: tuple[str, ...] = ()  # algorithms that the check runs
    check: str = ""  # module.function of the package's folder claims/
    readings: tuple[Reading, ...] = Field(min_length=1)
    package: str = ""  # filled in when it is loaded

    @model_validator(mode="after")
    def _printed_first(self):
        names = [reading.reading for reading in self.readings]
        if names[0] != PRINTED or len(set(names)) < len(names):
            raise ValueError(f"readings {names}; allowed: '{PRINTED}', then others")
        if not self.check and any(reading.inequality is None for reading in self.readings):
            raise ValueError("a reading without an inequality needs a check")
        return self

    @property
    def paper(self) -> str:
        return self.id.split("-")[0]

    @property
    def about(self) -> str:
        return self.kind or ("privacy" if self.neighbours else "inequality")

    @property
    def modules(self) -> tuple[str, ...]:
        """The code behind its verdicts: the check's, and that of the certificates."""
        names = [self.check.split(".")[0]] if self.check else []
        modules = [f"{self.package}.claims.{name}" for name in names]
        return (*modules, *filter(None, [_certificates(self.package)]))

    def verdicts(self, tables) -> list[Verdict]:
        """One verdict per reading, the printed one first.

        tables: a function from the name of a table of the paper to its DataFrame.
        """
        at = "{}:{}".format(*place(self))
        check = function_of(self.package, self.check, f"{at}: {self.id}")
        read = only_declared(tables, self.reads, f"{at}: claim {self.id}")
        try:
            with allow_only(self.runs):
                findings = found_by(check, read)
            named = [reading.reading for reading in self.readings]
            if unknown := findings.keys() - set(named):
                raise ValueError(f"{self.id}: {nearest(min(unknown), named)} in {FILE}")
            return [self._verdict(r, findings.get(r.reading, Finding())) for r in self.readings]
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            known = f"{Place.of(check) if check else at}: "
            line = raised_at(error, package_folder(self.package)) or known
            raise InputError(f"{line}{complaint(error, self.id)}") from error

    def certificates(self) -> dict[str, dict[str, Any]]:
        """The refutations that certificates/check.py can check, by reading; no table is read."""
        found = {}
        for reading in self.readings:
            name = certificate_name(self.id, reading.reading)
            if reading.inequality and reading.inequality.theorem:
                found[reading.reading] = _compared(name, reading, Finding()).certificate
            elif made := _refutation(self.package, name):
                found[reading.reading] = made
        return found

    def statement_of(self, reading: str) -> str:
        """Where it stands, and what it says under that reading."""
        own = [r.statement for r in self.readings if r.reading == reading]
        return f"{self.where}: {(own and own[0]) or self.statement}"

    def _verdict(self, reading: Reading, finding: Finding) -> Verdict:
        where = f"{self.id}, {reading.reading}"
        if reading.inequality:
            finding = _compared(certificate_name(self.id, reading.reading), reading, finding)
        certificate = finding.certificate
        verdict = _agreed(where, reading, finding)
        if verdict == "violated" and certificate is None:
            certificate = _refutation(self.package, certificate_name(self.id, reading.reading))
        fields = reading.model_dump(exclude={"inequality"}) | {"verdict": verdict}
        if verdict not in FAILS:
            mended = REPAIR if reading.severity else ()  # what is true if the reading fails
            fields |= dict.fromkeys(GRADES + mended, "")
        elif not reading.severity:
            raise ValueError(f"{where}: {verdict}, and {FILE} says no severity")
        numbers = _sides(certificate) | finding.numbers
        texts = {k: filled(v, numbers, where) for k, v in fields.items() if type(v) is str}
        return Verdict(**fields | texts, points=finding.points, certificate=certificate)


def _agreed(where: str, reading: Reading, finding: Finding) -> str:
    """The verdict; what claims.toml says must be what the check finds."""
    if finding.verdict and reading.verdict and finding.verdict != reading.verdict:
        said = f"{FILE} says {reading.verdict}, the check finds {finding.verdict}"
        raise ValueError(f"{where}: {said}")
    verdict = finding.verdict or reading.verdict
    written = reading.method in ("proof", "formal") and reading.verdict == "holds"
    if not (finding.verdict or written or verdict == "untestable"):
        raise ValueError(f"{where}: no check says that it is {verdict or 'anything'}")
    return verdict


def _compared(name: str, reading: Reading, finding: Finding) -> Finding:
    """Both sides of the inequality: for the texts, the plot and the certificate."""
    numbers, drawn, made = reading.inequality.sides(name, reading.proof_step)
    drawn = finding.points if len(finding.points) else drawn
    return Finding("violated", numbers | finding.numbers, drawn, made)


def _sides(certificate: dict[str, Any] | None) -> dict[str, float]:
    """Both sides of what a certificate proves, for the texts of its row."""
    known = (certificate or {}).get("enclosures", {})
    return {k: float(known[k][end]) for k, end in (("left", 0), ("right", 1)) if k in known}


def filled(text: str, numbers: dict[str, Any], where: str) -> str:
    """A text with its numbers in their places."""

    def number(found: re.Match) -> str:
        name, form = found[1], found[2] or ""
        if name not in numbers:
            raise ValueError(f"{where}: [[{name}]]: {nearest(name, numbers)}")
        return format(numbers[name], form)

    return NUMBER.sub(number, text)


def certificate_name(id: str, reading: str) -> str:
    return Path(certificate_path(id, reading)).stem


def _certificates(package: str) -> str:
    """The module of a package that makes the certificates of refutations by data; "" if none."""
    name = f"{package}.claims.certificates"
    return name if Path(package_folder(package), "claims", "certificates.py").is_file() else ""


def _refutation(package: str, name: str) -> dict[str, Any] | None:
    module = _certificates(package)
    refutations = importlib.import_module(module).REFUTATIONS if module else {}
    return refutations[name]() if name in refutations else None


@cache
def _loaded(package: str) -> tuple[Claim, ...]:
    path = package_folder(package) / FILE
    if not path.is_file():
        return ()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    found = []
    for block in data.get("claims", []):
        id = block.get("id", "?") if isinstance(block, dict) else "?"
        found.append(parse(Claim, block | {"package": package}, f"{path}: {id}"))
    return tuple(found)


def claims(paper: str = "") -> dict[str, Claim]:
    """Every claim by id, of one paper or of all, in the order of the papers and of their files."""
    found: dict[str, Claim] = {}
    for known in papers().values():
        if paper in ("", known.key):
            for claim in _loaded(known.package):
                if claim.id in found:
                    raise InputError(f"claim '{claim.id}' stands twice in {place(claim)[0]}")
                found[claim.id] = claim
    return found


def get_claim(id: str) -> Claim:
    """The claim of that id, in any case."""
    by_name = {name.lower(): claim for name, claim in claims().items()}
    if id.lower() not in by_name:
        raise InputError(
            f"unknown claim '{id}'; {nearest(id, sorted(claims()), 'see dpbandits list claims')}"
        )
    return by_name[id.lower()]


def place(claim: Claim) -> tuple[Path, int]:
    """The file and the line where it stands."""
    path = package_folder(claim.package) / FILE
    lines = path.read_text(encoding="utf-8").splitlines()
    own = re.compile(rf"""id\s*=\s*["']{re.escape(claim.id)}["']""")
    return path, next((i for i, line in enumerate(lines, 1) if own.match(line)), 1)
