"""The files of refuted rows in certificates/, one in JSON each.

certificates/check.py describes the content, and reads it with Python's standard library alone.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.reproduction.ledger.verdicts import certificate_path


def contents(certificates: Iterable[dict[str, Any]]) -> dict[str, bytes]:
    """What each file has, by name."""
    paths = {certificate_path(made["claim"], made["reading"]): made for made in certificates}
    return {Path(path).name: as_json(made).encode() for path, made in paths.items()}


def as_json(certificate: dict[str, Any]) -> str:
    """A certificate as JSON for people: one line per key, and per record of the data sets."""
    parts = [f"{json.dumps(key)}: {_part(value)}" for key, value in certificate.items()]
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _part(value: Any) -> str:
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(x)}" for key, x in value.items()]
        return "{\n    " + ",\n    ".join(lines) + "\n  }"
    if isinstance(value, list) and len(value) > 1:
        return "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
    return json.dumps(value, ensure_ascii=False)
