"""The claims ledger: what a check returns, and how checks register themselves.

    # src/dpbandits/stochastic/claims/privacy.py
    @claim("HU-T2", where="Theorem 2", statement="...", reads=("hu/fig1",),
           neighbours="one reward vector replaced")
    def anytime_lazy_ucb_is_private(tables) -> Verdict | list[Verdict]: ...

`reads` names the tables that the check needs; `tables(name)` returns one as a DataFrame. What
can be read in several ways has one verdict per reading, the first of them `printed`. A verdict
carries the points of the claim's plot (core.points), which pipeline.claim_plots draws, and what may
stand in the place of a statement that is false: `repaired`, with a verdict of its own.
"""

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import field_validator, model_validator

from dpbandits.core.algorithms import declared
from dpbandits.core.models import Model
from dpbandits.core.registry import Registry, modules_in

Word = Literal["holds", "violated", "rejected", "consistent", "untestable"]
VERDICTS = get_args(Word)
COLUMNS = (
    "id", "reading", "paper", "statement", "kind", "method", "neighbours", "scope", "measured",
    "bound", "slack", "verdict", "confidence", "evidence", "counterexample", "proof_step",
    "repaired", "repaired_verdict", "repaired_method", "tightness", "certificate",
)  # fmt: skip
PRINTED = "printed"
PROOFS = "docs/proofs/"
Method = Literal["formal", "exact", "certified", "proof", "statistical"]


class Verdict(Model):
    """What one check found under one reading.

    formal: checked by a proof assistant. exact, certified: computed, up to rounding or in ball
    arithmetic. proof: written in docs/proofs and attacked by tests. statistical: sampling, which
    alone never says `holds` or `violated`.
    """

    reading: str = PRINTED
    statement: str = ""  # this reading's own, if it is not the claim's
    verdict: Word
    method: Method
    scope: str  # over what: parameters, sizes, data sets
    measured: str = ""  # what was found, with its units
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
    certificate: dict[str, Any] | None = None  # the content of certificates/ID[.READING].json
    points: tuple[Any, ...] = ()  # one or many of core.points: the plot, not in the ledger

    @classmethod
    def proved(cls, **fields) -> "Verdict":
        """`holds` by a written proof, unless the fields differ."""
        return cls(**({"verdict": "holds", "method": "proof"} | fields))

    @classmethod
    def refuted(cls, **fields) -> "Verdict":
        """`violated`, and a written proof of what is true instead, unless the fields differ."""
        usual = {"verdict": "violated", "repaired_verdict": "holds", "repaired_method": "proof"}
        return cls(**(usual | fields))

    @classmethod
    def sampled(cls, agrees: bool, **fields) -> "Verdict":
        """What samples can say: `consistent` if they agree, else `rejected`."""
        verdict = "consistent" if agrees else "rejected"
        return cls(verdict=verdict, method="statistical", **fields)

    @field_validator("evidence", "points", mode="before")
    @classmethod
    def _one_or_many(cls, value):
        return (value,) if isinstance(value, str) or hasattr(value, "columns") else value

    @model_validator(mode="after")
    def _honest(self):
        if self.method == "statistical":
            if self.verdict in ("holds", "violated"):
                raise ValueError("sampling alone never says holds or violated")
            if self.verdict in ("rejected", "consistent") and not self.confidence:
                raise ValueError("a statistical verdict states its confidence")
        if self.verdict == "violated" and not self.counterexample:
            raise ValueError("violated needs its counterexample")
        if self.verdict in ("violated", "rejected") and not (
            self.repaired and self.repaired_verdict
        ):
            raise ValueError("what fails says what is true instead, with its verdict, or `open`")
        proved = "proof" in (self.method, self.repaired_method)
        if proved and not any(path.startswith(PROOFS) for path in self.evidence):
            raise ValueError(f"a proof is written somewhere: name its page below {PROOFS}")
        if self.repaired_verdict == "holds" and self.repaired_method in ("", "statistical"):
            raise ValueError("a repaired statement that holds says by which method")
        return self

    @model_validator(mode="after")
    def _shown(self):
        """The plot and the verdict must say the same."""
        beyond = any(part["beyond"].any() for part in self.points)
        if beyond and self.verdict in ("holds", "consistent"):
            raise ValueError(f"{self.verdict}, yet a point of its plot is beyond the statement")
        if self.points and self.verdict in ("violated", "rejected") and not beyond:
            raise ValueError(f"{self.verdict}, yet no point of its plot shows it")
        return self


@dataclass(frozen=True)
class Claim:
    """A printed statement and the function that judges it."""

    id: str
    where: str  # theorem, lemma, section
    statement: str  # in our own words, with the printed constants
    kind: str  # privacy, regret, lower bound, inequality, figure, ...
    neighbours: str  # the neighbour relation, "" where none is meant
    reads: tuple[str, ...]
    check: Callable[..., Verdict | list[Verdict]]
    module: str
    runs: tuple[str, ...] = ()  # algorithms that the check itself runs, by name

    @property
    def paper(self) -> str:
        return self.id.split("-")[0]

    def verdicts(self, tables) -> list[Verdict]:
        """One verdict per reading, the printed one first."""
        with declared(self.runs):
            found = self.check(tables)
        found = [found] if isinstance(found, Verdict) else list(found)
        readings = [verdict.reading for verdict in found]
        if readings[:1] != [PRINTED] or len(set(readings)) < len(readings):
            raise ValueError(f"{self.id}: readings {readings}; allowed: '{PRINTED}', then others")
        return [self._with_certificate(verdict) for verdict in found]

    @property
    def certificates(self) -> str:
        """The module beside the check's that makes certificates; "" if there is none."""
        folder = self.module.rpartition(".")[0]
        name = f"{folder}.certificates"
        return name if name in modules_in(folder) else ""

    def _with_certificate(self, verdict: Verdict) -> Verdict:
        """A refuted row's, which stands under the row's name there."""
        if verdict.verdict != "violated" or verdict.certificate or not self.certificates:
            return verdict
        refutations = importlib.import_module(self.certificates).REFUTATIONS
        make = refutations.get(Path(certificate_path(self.id, verdict.reading)).stem)
        return verdict.model_copy(update={"certificate": make()}) if make else verdict


CLAIMS: Registry[Claim] = Registry("claim", "claims")


def claim(
    id: str,
    *,
    where: str,
    statement: str,
    kind: str = "",
    neighbours: str = "",
    reads: tuple[str, ...] = (),
    runs: tuple[str, ...] = (),
):
    """Register `check(tables) -> Verdict | list[Verdict]` under a claim's id.

    Its kind, where none is named: privacy if it speaks of neighbours, else an inequality.
    """
    kind = kind or ("privacy" if neighbours else "inequality")

    def register(check):
        said = (id, where, statement, kind, neighbours, tuple(reads))
        CLAIMS.add(id, Claim(*said, check, check.__module__, tuple(runs)), check)
        return check

    return register


def claims(paper: str = "") -> dict[str, Claim]:
    """All claims; those of one paper without importing the others."""
    found = CLAIMS.all(paper)
    return {id: c for id, c in found.items() if paper in ("", c.paper.lower())}


def get_claim(id: str) -> Claim:
    return CLAIMS.get(id)


def certificate_path(id: str, reading: str) -> str:
    """Where it stands; what is no letter, digit or underscore in a reading becomes a hyphen."""
    plain = re.sub(r"\W+", "-", reading).strip("-")
    return f"certificates/{id}.json" if reading == PRINTED else f"certificates/{id}.{plain}.json"


def row(claim: Claim, verdict: Verdict) -> dict[str, str]:
    """One line of the ledger, keyed by COLUMNS."""
    certificate = certificate_path(claim.id, verdict.reading) if verdict.certificate else ""
    values = verdict.model_dump() | {
        "id": claim.id,
        "paper": claim.paper,
        "statement": f"{claim.where}: {verdict.statement or claim.statement}",
        "kind": claim.kind,
        "neighbours": claim.neighbours,
        "evidence": ";".join(verdict.evidence),
        "certificate": certificate,
    }
    return {column: values[column] for column in COLUMNS}
