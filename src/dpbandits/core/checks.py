"""The functions that judge claims (core.claims): found by name, held to what they must return."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from dpbandits.core.errors import InputError
from dpbandits.core.ledger import PRINTED, Verdict
from dpbandits.core.models import explain


@dataclass(frozen=True)
class Finding:
    """What a check found for one reading of a claim.

    verdict: what the numbers say; left out where claims.toml states it and a written proof or a
    certificate stands behind it. numbers: for the texts of the row. points: the plot (core.points).
    """

    verdict: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    points: Any = ()
    certificate: dict[str, Any] | None = None


def function_of(package: str, name: str, who: str) -> Callable | None:
    """The check `module.function` of a package's folder claims/; None if a claim has none."""
    if not name:
        return None
    file, _, function = name.rpartition(".")
    module = f"{package}.claims.{file}"
    try:
        found = getattr(importlib.import_module(module), function, None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        found = None
    if not callable(found):
        raise InputError(f"{who}: check = '{name}': there is no such function")
    return found


def found_by(check: Callable | None, tables) -> dict[str, Finding]:
    """Its findings, by reading."""
    found = check(tables) if check else {}
    if isinstance(found, Finding):
        return {PRINTED: found}
    kinds = {type(v) for v in found.values()} if isinstance(found, dict) else {type(found)}
    if kinds - {Finding}:
        wrong = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"its check returned {wrong}; allowed: a Finding, or {{reading: Finding}}")
    return found


def complaint(error: Exception, id: str) -> str:
    """What is wrong with a finding or a verdict, in one line that names its claim."""
    wrong = isinstance(error, ValidationError)
    said = explain(error, Verdict, "Verdict") if wrong else str(error)
    return said if said.startswith(id) else f"{id}: {said}"
