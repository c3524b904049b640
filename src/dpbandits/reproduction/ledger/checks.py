"""The check functions that judge claims: how they are found, and what they return."""

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.models import explain
from dpbandits.reproduction.ledger.verdicts import PRINTED, Verdict


@dataclass(frozen=True)
class Finding:
    """What a check found for one reading of a claim.

    verdict: what the numbers say; left out where claims.toml states it and a written proof or a
    certificate supports it. Numbers against a proof of ours are no verdict: they stop the run
    (`require_proof`). `untestable` is for what cannot be tested, and claims.toml says why.
    numbers: for the texts of the row. points: the plot (ledger.points).
    """

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
    module = check_module(package, name)
    if not module:
        raise InputError(f"{where}: check = '{name}'; allowed: 'claims/FILE.py::FUNCTION'")
    try:
        check = getattr(importlib.import_module(module), name.partition("::")[2], None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        check = None
    if not callable(check):
        raise InputError(f"{where}: check = '{name}': there is no such function")
    return check


FINDINGS = "claims.findings"  # the module of a package with checks that many readings share


def finding_by(package: str, rule: dict[str, Any], tables) -> Finding:
    """What the function `by` of claims/findings.py finds, given the other keys as arguments."""
    functions = vars(importlib.import_module(f"{package}.{FINDINGS}"))
    arguments = {key: value for key, value in rule.items() if key != "by"}
    by = rule.get("by")
    if not callable(functions.get(by)):
        raise ValueError(f"check: {nearest(str(by), [k for k in functions if k.islower()])}")
    return functions[by](tables, **arguments)


def findings_of(check: Callable | None, tables) -> dict[str, Finding]:
    """What a check finds on some tables, by reading."""
    findings = check(tables) if check else {}
    if isinstance(findings, Finding):
        return {PRINTED: findings}
    values = findings.values() if isinstance(findings, dict) else [findings]
    wrong = sorted({type(value).__name__ for value in values if not isinstance(value, Finding)})
    if wrong:
        names = ", ".join(wrong)
        raise TypeError(f"its check returned {names}; allowed: a Finding, or {{reading: Finding}}")
    return findings


def error_line(error: Exception, id: str) -> str:
    """What is wrong with a finding or a verdict, in one line that names its claim."""
    is_verdict = isinstance(error, ValidationError)
    message = explain(error, Verdict, "Verdict") if is_verdict else str(error)
    return message if message.startswith(id) else f"{id}: {message}"
