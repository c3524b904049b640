"""The claims ledger: one row per claim and reading, and the rules that every row must meet.

What a claim says, and how it is judged, is in claims.toml (ledger.claims). A verdict also has what
was measured (ledger.evidence) and the certificate of a refutation.
"""

import json
import re
from math import isnan
from typing import Any, Literal, get_args

from pydantic import field_validator, model_validator

from dpbandits.core.models import Model
from dpbandits.reproduction.ledger.evidence import largest_ratio
from dpbandits.reproduction.papers import OWN

VerdictName = Literal["holds", "violated", "rejected", "consistent", "untestable"]
VERDICTS = get_args(VerdictName)
COLUMNS = (
    "id", "reading", "paper", "statement", "kind", "method", "neighbours", "scope", "measured",
    "bound", "slack", "verdict", "severity", "cause", "supremum", "confidence",
    "evidence", "counterexample", "proof_step", "repaired", "repaired_verdict", "repaired_method",
    "tightness", "certificate", "short", "published",
)  # fmt: skip
PRINTED = "printed"
OURS = "ours: "  # begins the name of a reading that the paper does not print
FAILS = ("violated", "rejected")
PROOFS = "docs/proofs/"
Method = Literal["formal", "exact", "certified", "proof", "statistical"]
Severity = Literal["conclusion", "constant", "condition", "step", "wording", "experiment"]
SEVERITIES = get_args(Severity)
MEANING = {  # from worst to mildest; the rule is in docs/trust.md, "How severe"
    "conclusion": "a promise of privacy is not kept, or a rate or bound needs another statement",
    "constant": "true with other numbers or more logarithms",
    "condition": "true as printed under a condition that is not printed",
    "step": "stands in a proof only; the theorem that it serves has its own row",
    "wording": "a misprint, a definition or an aside",
    "experiment": "a figure or an experiment does not come out",
}


SHORT = 165  # characters: 150, and room for longer numbers at other sizes
NO_NUMBER = "no number printed"
METHODS = {  # how the methods of the ledger are named
    "formal": "a proof that Coq checks",
    "exact": "exact computation, up to rounding",
    "certified": "certified computation (interval arithmetic)",
    "proof": "a written proof",
    "statistical": "simulation",
}
FOUND = {  # what a verdict says, in a sentence
    "holds": "It holds, by {method}.",
    "violated": "It is false: a counterexample is given.",
    "rejected": "It fails in simulation.",
    "consistent": "It agrees with simulations, which do not prove it.",
    "untestable": "It cannot be tested: the text and the published data do not decide it.",
}


class Panel(Model):
    """A published panel and what came out of it here, a dozen words and numbers a cell."""

    panel: str  # "Figure 3 left"
    picture: str  # our figure of it
    part: str = ""  # "2 of 3" panels of the picture, from its left; "": all of it
    says: str  # what is published: its number and error, if one is printed
    source: str  # where that stands
    ours: str
    deviation: str = NO_NUMBER  # of ours from the published number, in standard errors

    @field_validator("says", "source", "ours", "deviation")
    @classmethod
    def _is_a_cell(cls, text: str) -> str:
        words = sum(any(letter.isalpha() for letter in word) for word in text.split())
        if words > 12:
            raise ValueError(f"{words} words; allowed: a dozen, and numbers")
        return text


class Reading(Model):
    """One way to read a statement, and how it is judged: the fields of a row of the ledger.
    Methods. formal: checked by a proof assistant. exact, certified: computed, up to rounding or in
    ball arithmetic. proof: written in docs/proofs and attacked by tests. statistical: sampling,
    which alone never says `holds` or `violated`."""

    reading: str = PRINTED
    statement: str = ""  # of this reading, if it is not the claim's
    verdict: Literal["", VerdictName] = ""
    method: Literal["", Method] = ""
    severity: Literal["", Severity] = ""  # if it fails
    cause: str = ""  # id of the row whose error this one inherits
    supremum: str = ""  # of the true value over the printed one, where it is known or bounded
    scope: str = ""  # over what: parameters, sizes, data sets
    measured: str = ""  # with its units
    bound: str = ""  # what the claim allows
    slack: str = ""  # bound against measured
    confidence: str = ""  # needed for every statistical verdict
    evidence: tuple[str, ...] = ()  # committed paths
    counterexample: str = ""  # needed if violated
    proof_step: str = ""  # the step of the printed proof that breaks at the counterexample
    repaired: str = ""  # what is true instead
    repaired_verdict: Literal["", "holds", "consistent", "open"] = ""
    repaired_method: Literal["", Method] = ""
    tightness: str = ""  # how near to 1 true value over repaired bound came, where, how searched
    short: str = ""  # for readers: what was found, in one sentence with its number
    published: tuple[Panel, ...] = ()  # of a figure: its panels


class Verdict(Reading):
    """What a check found under one reading; a verdict that says more than was shown is refused."""

    verdict: VerdictName
    method: Method
    scope: str
    certificate: dict[str, Any] | None = None  # the content of certificates/ID[.READING].json
    points: tuple[Any, ...] = ()  # tables of ledger.evidence, which are not in the ledger

    @property
    def ratio(self) -> tuple[str, str]:
        """Of a refuted row: the largest ratio found of the true value to what is allowed; of which
        quantity, and where."""
        ratio, of = largest_ratio(self.points if self.verdict == "violated" else ())
        return ("", "") if isnan(ratio) else (f"{ratio:.4g}", of)

    @field_validator("evidence", "points", mode="before")
    @classmethod
    def _accept_one_or_many(cls, value):
        return (value,) if isinstance(value, str) or hasattr(value, "columns") else value

    @model_validator(mode="after")
    def _check_required_fields(self):
        if self.method == "statistical":
            if self.verdict in ("holds", "violated"):
                raise ValueError("sampling alone never says holds or violated")
            if self.verdict in ("rejected", "consistent") and not self.confidence:
                raise ValueError("a statistical verdict states its confidence")
        if self.verdict == "violated" and not self.counterexample:
            raise ValueError("violated needs its counterexample")
        if self.verdict in FAILS and not (self.repaired and self.repaired_verdict):
            raise ValueError("what fails says what is true instead, with its verdict, or `open`")
        if self.verdict in FAILS and self.reading.startswith(OURS):
            raise ValueError("a reading that the paper does not print refutes nothing of it")
        if len(self.short) > SHORT:
            raise ValueError(f"short: {len(self.short)} characters; allowed: {SHORT}")
        if self.severity and self.verdict not in FAILS:
            raise ValueError("only what fails has a severity")
        proved = "proof" in (self.method, self.repaired_method)
        if proved and not any(path.startswith(PROOFS) for path in self.evidence):
            raise ValueError(f"a proof is written somewhere: name its page below {PROOFS}")
        if self.repaired_verdict == "holds" and self.repaired_method in ("", "statistical"):
            raise ValueError("a repaired statement that holds says by which method")
        return self

    @model_validator(mode="after")
    def _check_against_evidence(self):
        if not all(hasattr(part, "columns") for part in self.points):
            raise ValueError("points: allowed: tables of ledger.evidence")
        beyond = any(part["beyond"].any() for part in self.points)
        if beyond and self.verdict in ("holds", "consistent"):
            raise ValueError(f"{self.verdict}, yet a measured value is beyond the statement")
        if self.points and self.verdict in FAILS and not beyond:
            raise ValueError(f"{self.verdict}, yet no measured value shows it")
        return self


def certificate_path(id: str, reading: str) -> str:
    """The file of a row's certificate; all but letters, digits and _ of a reading becomes `-`."""
    suffix = "" if reading == PRINTED else "." + re.sub(r"\W+", "-", reading).strip("-")
    return f"certificates/{id}{suffix}.json"


def row(claim, verdict: Verdict) -> dict[str, str]:
    """The row of the ledger for a claim and one of its verdicts, keyed by COLUMNS."""
    certificate = certificate_path(claim.id, verdict.reading) if verdict.certificate else ""
    values = verdict.model_dump()
    values |= {
        "id": claim.id,
        "paper": claim.paper,
        "statement": claim.statement_of(verdict.reading),
        "kind": claim.about,
        "neighbours": claim.neighbours,
        "evidence": ";".join(verdict.evidence),
        "certificate": certificate,
        "published": json.dumps(values["published"], ensure_ascii=False) * bool(verdict.published),
    }
    return {column: values[column] for column in COLUMNS}


def by_cause(rows: list[dict[str, str]], severity: str = "") -> dict[str, list[dict[str, str]]]:
    """The failing rows, of one severity or of all, by the id of the row whose error they inherit
    (in the end: a cause may have a cause), or their own. The most frequent causes come first."""
    cause_of = {row["id"]: row["cause"] for row in rows if row.get("cause")}
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if row["verdict"] in FAILS and severity in ("", row.get("severity")):
            root, seen = row.get("cause") or row["id"], set()
            while root in cause_of and root not in seen:
                seen.add(root)
                root = cause_of[root]
            groups.setdefault(root, []).append(row)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def of_papers(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows about papers: what we say of ourselves is counted apart."""
    return [row for row in rows if row["paper"].lower() != OWN]


def wrong_statements(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The one way to count: the printed rows that fail, one per statement, each with the severity
    and the cause of the worst reading of its statement."""
    failing = [row for row in rows if row["verdict"] in FAILS]
    rank = [*SEVERITIES, ""].index
    worst: dict[str, dict[str, str]] = {}
    for row in sorted(failing, key=lambda row: rank(row.get("severity", ""))):
        worst.setdefault(row["id"], {name: row.get(name, "") for name in ("severity", "cause")})
    return [row | worst[row["id"]] for row in failing if row["reading"] == PRINTED]


def row_name(row: dict[str, str]) -> str:
    """The id, with the reading if it is not the printed one."""
    return row["id"] if row["reading"] == PRINTED else f"{row['id']} ({row['reading']})"


def named(row: dict[str, str]) -> str:
    """ID, or ID.READING of another reading than the printed one."""
    return row["id"] if row["reading"] == PRINTED else f"{row['id']}.{row['reading']}"


def short_of(row: dict[str, str]) -> str:
    """What was found, in one sentence: the row's own, else what its verdict says."""
    return row.get("short") or FOUND[row["verdict"]].format(method=METHODS.get(row["method"], ""))
