"""The check functions that judge claims: how they are found, and what they return."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from pkgutil import resolve_name
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.reproduction.ledger.verdicts import PRINTED


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


def check_module(package: str, name: str) -> str:
    """The module of the check `claims/FILE.py::FUNCTION` of a package."""
    match = CHECK.fullmatch(name)
    return f"{package}.{match[1].replace('/', '.')}" if match else ""


def check_function(package: str, name: str, where: str) -> Callable | None:
    """The check `claims/FILE.py::FUNCTION` of a package; None without a name."""
    if not name:
        return None
    try:
        return resolve_name(f"{check_module(package, name)}:{name.partition('::')[2]}")
    except (ImportError, AttributeError, ValueError) as error:
        allowed = "allowed: 'claims/FILE.py::FUNCTION'"
        raise InputError(f"{where}: check = '{name}': {error}; {allowed}") from error


FINDINGS = "claims/findings.py"  # of a package, with checks that many readings share


def named_check(rule: dict[str, Any]) -> str:
    """`claims/FILE.py::FUNCTION` of a reading's check, whose `by` may leave out FINDINGS."""
    by = str(rule.get("by"))
    return by if "::" in by else f"{FINDINGS}::{by}"


def finding_by(package: str, rule: dict[str, Any], tables, where: str) -> Finding:
    """What the function `by` finds, given the other keys as arguments."""
    check = check_function(package, named_check(rule), where)
    return check(tables, **{key: value for key, value in rule.items() if key != "by"})


def findings_of(check: Callable | None, tables, claim) -> dict[str, Finding]:
    """What the check of a claim finds on some tables, by reading."""
    own = {"claim": claim} if check and "claim" in signature(check).parameters else {}
    findings = check(tables, **own) if check else {}
    found = {PRINTED: findings} if isinstance(findings, Finding) else findings
    if not isinstance(found, dict) or not all(isinstance(f, Finding) for f in found.values()):
        raise TypeError("its check returns neither a Finding nor {reading: Finding}")
    return found
