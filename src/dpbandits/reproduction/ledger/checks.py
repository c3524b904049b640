"""The check functions that judge claims: how they are found, and what they return."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from dpbandits.core.errors import InputError
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


def check_function(package: str, name: str, where: str) -> Callable | None:
    """The check `module.function` in the folder claims/ of a package; None without a name."""
    if not name:
        return None
    file, _, function = name.rpartition(".")
    module = f"{package}.claims.{file}"
    try:
        check = getattr(importlib.import_module(module), function, None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        check = None
    if not callable(check):
        raise InputError(f"{where}: check = '{name}': there is no such function")
    return check


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
