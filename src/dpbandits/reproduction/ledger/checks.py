"""The check functions that judge claims: how they are found, and what they return."""

import re
from dataclasses import dataclass, field
from inspect import signature
from pkgutil import resolve_name
from typing import Any

from dpbandits.core.errors import InputError


@dataclass(frozen=True)
class Finding:
    """What a check found for one reading of a claim.
    verdict: what the numbers say; left out where claims.toml states it and a written proof or a
    certificate supports it, and where the values of a sample decide: `rejected` if one is beyond
    the statement, else `consistent`. Numbers against a proof of ours are no verdict: they stop the
    run. So do points beyond what holds, or none beyond what is violated; for all else there is
    `require_proof`. `untestable` is for what cannot be tested, and claims.toml says why.
    numbers: for the texts of the row. points: what was measured, and what is allowed
    (ledger.points)."""

    verdict: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    points: Any = ()


CHECK = re.compile(r"(claims/\w+)\.py::(\w+)")
FINDINGS = "claims/findings.py"  # of a package, with checks that many readings share


def place_of(package: str, by: str) -> tuple[str, str]:
    """The module and the name of the check `claims/FILE.py::FUNCTION` of a package, which may leave
    out FINDINGS."""
    match = CHECK.fullmatch(by if "::" in by else f"{FINDINGS}::{by}")
    return (f"{package}.{match[1].replace('/', '.')}", match[2]) if match else ("", "")


def findings_by(rule: dict[str, Any], tables, claim, where: str) -> dict[str, Finding]:
    """What the function `by` finds, given the other keys as arguments: by reading, or under "" what
    it finds for the one that names it."""
    arguments = {key: value for key, value in rule.items() if key != "by"}
    try:
        check = resolve_name(":".join(place_of(claim.package, str(rule.get("by")))))
    except (ImportError, AttributeError, ValueError) as error:
        allowed = "allowed: 'claims/FILE.py::FUNCTION'"
        raise InputError(f"{where}: check = '{rule.get('by')}': {error}; {allowed}") from error
    if "claim" in signature(check).parameters:
        arguments["claim"] = claim
    findings = check(tables, **arguments)
    found = {"": findings} if isinstance(findings, Finding) else findings
    if not isinstance(found, dict) or not all(isinstance(f, Finding) for f in found.values()):
        raise TypeError("its check returns neither a Finding nor {reading: Finding}")
    return found
