"""`dpbandits refute ID`: a refutation as a page that a person can follow, with Python to paste."""

import importlib
import json
from typing import Any

from dpbandits.cli.snippets import snippet
from dpbandits.core.errors import InputError
from dpbandits.core.ledger import CLAIMS, PRINTED, Claim, certificate_path, get_claim

PARTS = {
    "data": "Data set D",
    "neighbour": "Its neighbour D'",
    "safe": "Safe actions I",
    "event": "Event E",
    "first": "Whose law comes first",
}


def refute(options) -> None:
    pages = certificates(options.claim)
    if options.json:
        print(json.dumps(pages, indent=1, ensure_ascii=False))
        return
    print("\n\n".join(page(certificate) for certificate in pages))


def certificates(id: str) -> list[dict[str, Any]]:
    """The certificates of a claim: of its printed reading, or of others."""
    claim = get_claim(id)
    id = claim.id
    made = {name: make for name, make in _made(claim).items() if claim_of(name) == id}
    if not made:
        known = [name for other in CLAIMS.all().values() for name in _made(other)]
        refuted = ", ".join(sorted({claim_of(name) for name in known}))
        raise InputError(f"refute: '{id}' has no certificate; allowed: {refuted}")
    return [
        {"claim": id, "reading": name[len(id) + 1 :] or PRINTED}
        | {"statement": f"{claim.where}: {claim.statement}"}
        | make()
        for name, make in made.items()
    ]


def _made(claim: Claim) -> dict:
    module = claim.certificates
    return importlib.import_module(module).REFUTATIONS if module else {}


def claim_of(name: str) -> str:
    """ID of ID or ID.READING (KL-S4.4-inexact has a dot of its own)."""
    return max((id for id in CLAIMS.all() if f"{name}.".startswith(f"{id}.")), key=len, default="")


def page(certificate: dict[str, Any]) -> str:
    given = "".join(f"\n  {name} = {_shown(x)}" for name, x in certificate["given"].items())
    parts = "".join(
        f"\n\n{title}:{_rows(certificate[name])}"
        for name, title in PARTS.items()
        if name in certificate
    )
    sides = certificate["enclosures"]
    found = "".join(f"\n  {name} = {_value(x)}" for name, x in sides.items())
    path = certificate_path(certificate["claim"], certificate["reading"])
    return f"""{certificate["claim"]}, {certificate["reading"]}: refuted
{certificate["statement"]}

Parameters, exact:{given}{parts}

What would have to hold:
  {certificate["fails"]}
and what is there, to all digits shown:{found}
So left = {_value(sides["left"])} is larger than right = {_value(sides["right"])}.

The step of the proof that fails:
  {certificate["step"]}

In Python, to paste (floating point; the proof: python3 -I certificates/check.py {path}):

{snippet(certificate)}"""


def _rows(value) -> str:
    rows = value if isinstance(value, list) else [value]
    return "".join(f"\n  {_shown(row)}" for row in rows)


def _shown(x) -> str:
    return f"[{', '.join(map(_shown, x))}]" if isinstance(x, list) else str(x)


def _value(enclosure: list[str]) -> str:
    """The digits that both ends share."""
    low, high = (float(end) for end in enclosure)
    return next(
        (f"{low:.{n}g}" for n in range(12, 3, -1) if f"{low:.{n}g}" == f"{high:.{n}g}"), f"{low:g}"
    )
