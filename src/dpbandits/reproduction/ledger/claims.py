"""Claims as data: what a paper states, how each reading of it is judged, and what is true instead.

They are in PACKAGE/claims.toml, one block per claim: docs/how-to/extend.md has an example.

A row whose statement is one inequality between numbers needs no function: both sides are computed
in ball arithmetic, for the row and its certificate. What a formula gives stands in a block
[claims.readings.formula]. Any other claim names a function as pytest names a test,
`check = "claims/FILE.py::FUNCTION"`. It takes the tables that `reads` names, and the claim if it
has a parameter `claim`, and returns a `Finding` for each reading. Or a reading names one with
further arguments, which returns its `Finding`:
`check = { by = "claims/FILE.py::FUNCTION", series = "ftl" }`; a `by` without `::` is in
claims/findings.py. `[[name:format]]` in a text is replaced by that number of the finding.
"""

import importlib
import re
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from dpbandits.core.algorithms import allow_only
from dpbandits.core.documents import read_text
from dpbandits.core.errors import InputError, ProofError, entry_of, nearest, report
from dpbandits.core.models import Model, parse
from dpbandits.core.registry import package_folder
from dpbandits.reproduction.ledger.checks import Finding, findings_by, place_of
from dpbandits.reproduction.ledger.inequalities import Formula, Inequality
from dpbandits.reproduction.ledger.points import largest_ratio
from dpbandits.reproduction.ledger.verdicts import (
    FAILS,
    PRINTED,
    Panel,
    Reading,
    Verdict,
    certificate_path,
)
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.statistics import LEVEL
from dpbandits.reproduction.studies import only_declared

FILE = "claims.toml"
OF_FAILURES = ("severity", "cause", "supremum")
OF_REPAIRS = ("repaired", "repaired_verdict", "repaired_method", "tightness")
NUMBER = re.compile(r"\[\[([^\[\]:]+)(?::([^\[\]]*))?\]\]")


class Panels(Panel):
    """A panel in claims.toml; or `each`, one for each in that list of the finding's numbers."""

    each: str = ""


class ClaimReading(Reading):
    """A reading in claims.toml; `[[name]]` in its texts is replaced by a number."""

    published: tuple[Panels, ...] = ()
    untestable: str = ""  # why it cannot be tested, where the check finds that
    inequality: Inequality | None = None
    formula: Formula | None = None
    check: dict[str, Any] = {}  # by: a function; and its arguments


class Claim(Model):
    """A printed statement, and how it is judged."""

    id: str
    where: str  # theorem, lemma, section
    statement: str  # in TeX, with the printed constants
    kind: str = ""  # default: privacy if there are neighbours, else an inequality
    neighbours: str = ""
    reads: tuple[str, ...] = ()  # tables that the check reads; PAPER/NAME of another paper
    runs: tuple[str, ...] = ()  # algorithms that the check runs
    check: str = ""  # claims/FILE.py::FUNCTION, beside claims.toml
    readings: tuple[ClaimReading, ...] = Field(min_length=1)
    package: str = ""  # filled in when it is loaded

    @model_validator(mode="after")
    def _check_readings(self):
        names = [reading.reading for reading in self.readings]
        if names[0] != PRINTED or len(set(names)) < len(names):
            raise ValueError(f"readings {names}; allowed: '{PRINTED}', then others")
        if not self.check and not all(r.inequality or r.check or r.formula for r in self.readings):
            raise ValueError("a reading without an inequality or a formula needs a check")
        return self

    @property
    def paper(self) -> str:
        return self.id.split("-")[0]

    @property
    def about(self) -> str:
        return self.kind or ("privacy" if self.neighbours else "inequality")

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules behind its verdicts: of the check, and of the certificates."""
        checks = (place_of(self.package, str(rule.get("by")))[0] for _, rule in self.checks)
        return tuple(filter(None, [*dict.fromkeys(checks), _module_of_certificates(self.package)]))

    @property
    def checks(self) -> list[tuple[str, dict[str, Any]]]:
        """(reading, check) of its own, and of readings that have one."""
        own = [(PRINTED, {"by": self.check})] if self.check else []
        return own + [(r.reading, r.check) for r in self.readings if r.check]

    def verdicts(self, tables) -> list[Verdict]:
        """One verdict per reading, the printed one first.
        tables: a function from the name of a table of the paper to its DataFrame."""
        where = "{}:{}: claim {}".format(*place(self), self.id)
        declared, findings = only_declared(tables, self.reads, where), {}
        try:
            with allow_only(self.runs):
                for reading, rule in self.checks:
                    found = findings_by(rule, declared, self, where)
                    findings |= {name or reading: finding for name, finding in found.items()}
            names = [reading.reading for reading in self.readings]
            if unknown := findings.keys() - set(names):
                raise ValueError(f"{nearest(min(unknown), names)} in {FILE}")
            return [self._verdict(r, findings.get(r.reading, Finding())) for r in self.readings]
        except ProofError as error:
            wrong = "the proof or the code is wrong, and no verdict is given"
            raise ProofError(f"{self.id}: our own check fails: {error}: {wrong}") from error
        except (TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{where}: {error}") from error

    def certificates(self) -> dict[str, dict[str, Any]]:
        """The certificates of its refuted readings, by reading; no table is read."""
        made = {r.reading: self._certificate(r) for r in self.readings}
        return {reading: certificate for reading, certificate in made.items() if certificate}

    def sides(self, reading: str = PRINTED, **changed) -> tuple[float, float]:
        """Both sides of a reading's inequality, with some of its parameters changed."""
        rule = next(r.inequality for r in self.readings if r.reading == reading)
        return rule.sides(**changed)

    @property
    def explained(self) -> tuple[str, str]:
        """What a row of the data sets in its certificate says, and what its event is."""
        module = _module_of_certificates(self.package)
        rows = getattr(importlib.import_module(module), "EXPLAINED", {}) if module else {}
        return next((texts for id, texts in rows.items() if self.id.startswith(id)), ("", ""))

    def statement_of(self, reading: str) -> str:
        """Where the statement is, and what it says under a reading."""
        own = next(r.statement for r in self.readings if r.reading == reading)
        return f"{self.where}: {own or self.statement}"

    def _verdict(self, reading: ClaimReading, finding: Finding) -> Verdict:
        where = reading.reading
        numbers, points = finding.numbers, finding.points
        if reading.inequality:
            sides, own = reading.inequality.found()
            finding = replace(finding, verdict="violated")
            numbers, points = sides | numbers, points if len(points) else own
        if reading.formula:
            points = reading.formula.points(numbers)
        parts = (points,) if hasattr(points, "columns") else points
        verdict = _agreed_verdict(where, reading, finding, parts)
        certificate = self._certificate(reading) if verdict == "violated" else None
        data = {"inequality", "formula", "untestable", "check"}
        fields = reading.model_dump(exclude=data) | {"verdict": verdict}
        if verdict == "untestable":  # a failed check of our own is none: require_proof
            if not reading.untestable:
                raise ValueError(f"{where}: untestable, and {FILE} does not say why")
            fields["scope"] = f"{reading.scope}. Not decided: {reading.untestable}"
        if verdict not in FAILS:
            fields |= dict.fromkeys(OF_FAILURES, "")
            if reading.severity:  # the repair is for the case that the reading fails
                fields |= dict.fromkeys(OF_REPAIRS, "")
        elif not reading.severity:
            raise ValueError(f"{where}: {verdict}, and {FILE} says no severity")
        shown = {"level": LEVEL, "largest ratio": largest_ratio(parts)[0]}  # in PAPER/refuted
        if certificate:
            left, right = (certificate["enclosures"][side] for side in ("left", "right"))
            shown |= {"left": float(left[0]), "right": float(right[1])}
        numbers = shown | numbers
        texts = {k: filled(v, numbers, where) for k, v in fields.items() if isinstance(v, str)}
        texts["published"] = [
            {k: filled(v, numbers | own, where) for k, v in panel.items() if k != "each"}
            for panel in fields["published"]
            for own in (numbers[panel["each"]] if panel["each"] else [{}])
        ]
        found = {"points": points, "certificate": certificate}
        return parse(Verdict, fields | texts | found, f"{self.id}, {where}")

    def _certificate(self, reading: ClaimReading) -> dict[str, Any] | None:
        """The certificate of a reading's inequality, else of claims/refutations.py."""
        if reading.inequality and reading.inequality.theorem:
            made = reading.inequality.certificate(reading.proof_step)
        else:
            module = _module_of_certificates(self.package)
            refutations = importlib.import_module(module).REFUTATIONS if module else {}
            name = certificate_name(self.id, reading.reading)
            if name not in refutations:
                return None
            made = refutations[name]()
            made["step"] = made["step"] or reading.proof_step
        statement = self.statement_of(reading.reading)
        return {"claim": self.id, "reading": reading.reading, "statement": statement} | made


def _agreed_verdict(where: str, reading: ClaimReading, finding: Finding, parts) -> str:
    """The verdict of a reading; what claims.toml says must be what the check finds, and its points
    must agree. They alone decide what is sampled, if neither says a verdict."""
    beyond = any(part["beyond"].any() for part in parts)
    if finding.verdict and reading.verdict and finding.verdict != reading.verdict:
        message = f"{FILE} says {reading.verdict}, the check finds {finding.verdict}"
        raise ValueError(f"{where}: {message}")
    verdict = finding.verdict or reading.verdict
    if len(parts) and not verdict and reading.method == "statistical":
        return "rejected" if beyond else "consistent"
    proved = reading.method in ("proof", "formal") and reading.verdict == "holds"
    if not (finding.verdict or proved or verdict == "untestable"):
        raise ValueError(f"{where}: no check says that it is {verdict or 'anything'}")
    if verdict == "holds" and beyond:
        raise ProofError(f"{where}: a measured value is beyond the statement")
    if verdict == "violated" and len(parts) and not beyond:
        raise ProofError(f"{where}: no measured value is beyond the statement")
    return verdict


def filled(text: str, numbers: dict[str, Any], where: str) -> str:
    """A text in which each `[[name:format]]` is replaced by that number."""

    def number(match: re.Match) -> str:
        name, form = match[1], match[2] or ""
        if name not in numbers:
            raise ValueError(f"{where}: [[{name}]]: {nearest(name, numbers)}")
        return format(numbers[name], form)

    return NUMBER.sub(number, text)


def certificate_name(id: str, reading: str) -> str:
    return Path(certificate_path(id, reading)).stem


def _module_of_certificates(package: str) -> str:
    """PACKAGE.claims.refutations, which makes certificates of refutations; "" if there is none."""
    exists = (package_folder(package) / "claims/refutations.py").is_file()
    return f"{package}.claims.refutations" if exists else ""


@cache
def _loaded(package: str) -> tuple[Claim, ...]:
    """The claims in claims.toml of a package, if it has this file."""
    path = package_folder(package) / FILE
    if not path.is_file():
        return ()
    try:
        blocks = tomllib.loads(read_text(path)).get("claims", [])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    return tuple(
        parse(Claim, block | {"package": package}, f"{path}: {block.get('id', '?')}")
        for block in blocks
    )


def claims(paper: str = "") -> dict[str, Claim]:
    """Every claim by id, of one paper or of all, in the order of the papers and of their files."""
    by_id: dict[str, Claim] = {}
    for entry in papers().values():
        if paper in ("", entry.key):
            try:
                own = {claim.id: claim for claim in _loaded(entry.package)}
                if wrong := [id for id in own if id.partition("-")[0].lower() != entry.key]:
                    raise InputError(f"claim '{wrong[0]}'; allowed: {entry.key.upper()}-NAME")
                by_id |= own
            except Exception as error:  # of an outside paper, anything
                if entry.ours:
                    raise
                report(f"claims of paper '{entry.key}' are left out: {error}")
    return by_id


def get_claim(id: str) -> Claim:
    """The claim of that id, in any case."""
    return entry_of(id, claims(), "unknown claim", "see dpbandits list claims")


def place(claim: Claim) -> tuple[Path, int]:
    """The file and the line of a claim."""
    path = package_folder(claim.package) / FILE
    lines = path.read_text(encoding="utf-8").splitlines()
    key = re.compile(rf"""id\s*=\s*["']{re.escape(claim.id)}["']""")
    return path, next((i for i, line in enumerate(lines, 1) if key.match(line)), 1)
