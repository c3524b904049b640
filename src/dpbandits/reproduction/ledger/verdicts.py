"""The claims ledger: one row per claim and reading, and the rules that every row must meet.

What a claim says, and how it is judged, is in claims.toml (ledger.claims). A verdict also has what
was measured (ledger.points) and the certificate of a refutation.
"""

import re
from math import isnan
from typing import Any, Literal, get_args

from pydantic import field_validator, model_validator

from dpbandits.core.models import Model
from dpbandits.reproduction.ledger.points import largest_ratio

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
    "conclusion": "a promise of privacy is not kept, and no ordinary condition mends that, or a "
    "rate or bound needs another statement",
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
    "untestable": "It is not decided: the text, the published data and our runs do not suffice.",
}


SHOWS = {  # what a verdict means, for a reader who meets the word
    "holds": "true as printed: proved, or computed exactly",
    "violated": "false as printed: a counterexample is given",
    "rejected": "simulations contradict it",
    "consistent": "simulations do not contradict it, which proves nothing",
    "untestable": "the text, the published data and our runs do not decide it",
}
COUNTED = {  # after their number
    "holds": "hold as printed (proved, or computed exactly)",
    "violated": "are false as printed",
    "rejected": "fail in simulation",
    "consistent": "agree with simulations, which do not prove them",
    "untestable": "cannot be tested",
}


class Panel(Model):
    """A published panel and what came out of it here, a dozen words and numbers a cell."""

    panel: str  # "Figure 3 left"
    picture: str  # our figure of it
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
    points: tuple[Any, ...] = ()  # tables of ledger.points, which are not in the ledger

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
    def _check_against_points(self):
        if not all(hasattr(part, "columns") for part in self.points):
            raise ValueError("points: allowed: tables of ledger.points")
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
