"""Publish the certificates of refuted rows, one JSON file each.

certificates/check.py describes the content, and reads it with Python's standard library alone.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.core.files import write_text
from dpbandits.reproduction.ledger.verdicts import certificate_path


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


def place(certificate: dict[str, Any], folder: str | Path) -> Path:
    return Path(folder, Path(certificate_path(certificate["claim"], certificate["reading"])).name)


def publish(certificates: Iterable[dict[str, Any]], folder: str | Path) -> str:
    """Write the certificates that differ, and return a summary. Other files are not touched."""
    changed, same = [], 0
    for certificate in certificates:
        path, text = place(certificate, folder), as_json(certificate)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            same += 1
        else:
            write_text(text, path)
            changed.append(path.name)
    head = f"Certificates into {folder}: {len(changed)} files differ, {same} are the same"
    return "\n".join([head, *(f"  {name}" for name in changed)]) + "\n"
