"""The one place that reads YAML and JSON from outside: in limits, and no key twice.

A few bytes can stand for a structure that no memory holds or that no parser survives, so the size,
the depth, and what aliases stand for are limited before anything is built.
"""

import json
import math
import re
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.core.files import open_regular

BYTES = 10**6  # of a file or text; our longest config has 16,000
DEPTH = 40
NODES = 10**5  # of a YAML document, with each alias written out
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def read_text(path: str | Path, most: int = BYTES) -> str:
    """A text file of limited size, in UTF-8."""
    try:
        with open_regular(path) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise InputError(f"{path}: allowed: at most {most:,} bytes")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {why}") from None


def read_json(path: str | Path, most: int = BYTES) -> Any:
    return parse_json(read_text(path, most), str(path), most)


def parse_json(text: str, where: str, most: int = BYTES) -> Any:
    """The value of a JSON text; `where` begins the line about what is wrong."""
    if len(text) > most:
        raise InputError(f"{where}: allowed: at most {most:,} characters")
    steps = ((c in "[{") - (c in "]}") for c in STRING.sub("", text))
    if max(accumulate(steps), default=0) > DEPTH:
        raise InputError(f"{where}: allowed: at most {DEPTH} brackets inside one another")
    try:
        return json.loads(text, object_pairs_hook=_each_key_once, parse_float=_finite)
    except ValueError as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"key '{_repeated(key for key, _ in pairs)}' stands twice")
    return dict(pairs)


def _finite(digits: str) -> float:
    if math.isinf(number := float(digits)):
        raise ValueError(f"{digits} is too large")
    return number


def _repeated(keys) -> Any:
    return Counter(keys).most_common(1)[0][0]


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file; {} if it is empty."""
    text = read_text(path)
    try:
        import yaml
    except ImportError:
        raise InputError(f"{path}: YAML needs the package pyyaml; allowed without: JSON") from None
    try:
        _check_limits(yaml, text, path)
        loader = yaml.CSafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return {}
        _check_keys(yaml, node, path)
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise InputError(f"{path}:{line} not valid YAML: {problem}") from None
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError, AttributeError) as error:  # dates and numbers
        raise InputError(f"{path}: not valid YAML: {error}") from None


def _check_limits(yaml, text: str, path: str | Path) -> None:
    """Refuse depth, and aliases that stand for too much; the parser's events come one by one."""
    sizes: dict[str, tuple[int, int]] = {}  # anchor -> nodes and depth of what it stands for
    open_nodes = [["", 0, 0]]  # anchor, nodes and depth so far, of each collection being read
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append([event.anchor, 1, 1])
            nodes, depth = 0, 0
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, nodes, depth = open_nodes.pop()
            sizes[anchor] = nodes, depth
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise InputError(f"{path}: alias *{event.anchor}: no such anchor before it")
            nodes, depth = sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            nodes, depth = 1, 0
            sizes[event.anchor] = nodes, depth
        else:
            continue
        parent = open_nodes[-1]
        parent[1] += nodes
        parent[2] = max(parent[2], depth + 1)
        if max(len(open_nodes), parent[2]) > DEPTH + 1:  # the document itself is one of them
            raise InputError(f"{path}: allowed: at most {DEPTH} levels inside one another")
        if parent[1] > NODES:
            raise InputError(f"{path}: allowed: at most {NODES:,} values, with aliases written out")


def _check_keys(yaml, root, path: str | Path) -> None:
    """Refuse a mapping that has a key twice (of merged mappings, the last one counts)."""
    seen, to_do = set(), [root]
    while to_do:
        node = to_do.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        pairs = isinstance(node, yaml.MappingNode)
        to_do += [part for pair in node.value for part in pair] if pairs else node.value
        parts = [pair[0] for pair in node.value] if pairs else []
        keys = [(key.tag, key.value) for key in parts if isinstance(key, yaml.ScalarNode)]
        if len(set(keys)) < len(keys):
            line = node.start_mark.line + 1
            raise InputError(f"{path}: line {line}: key '{_repeated(keys)[1]}' stands twice")
