"""The one place that reads YAML and JSON: no key twice, no infinite number, errors of one line."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError


def read_text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def read_json(path: str | Path) -> Any:
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> Any:
    """The value of a JSON text; `where` begins the line about what is wrong."""
    try:
        numbers = {"parse_float": _finite, "parse_constant": _finite}
        return json.loads(text, object_pairs_hook=_each_key_once, **numbers)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None


def _each_key_once(pairs) -> dict:
    pairs = list(pairs)
    for key, count in Counter(key for key, _ in pairs).items():
        if count > 1:
            raise ValueError(f"key '{key}' stands twice")
    return dict(pairs)


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"{digits} is no finite number")
    return number


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file; {} if it is empty."""
    import yaml

    class Loader(yaml.CSafeLoader):
        def flatten_mapping(self, node):
            if not hasattr(node, "checked"):  # an alias comes again, with what is merged into it
                node.checked = _each_key_once((key.value, None) for key, _ in node.value)
            super().flatten_mapping(node)

    try:
        return yaml.load(read_text(path), Loader) or {}
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        line = " ".join(str(error).split())
        raise InputError(f"{path}: not valid YAML: {line}") from None
