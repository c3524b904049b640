"""All files that dpbandits and the papers' packages consist of, as hashes, and what may be kept
under them: an answer that follows from the sources alone need be found once only.

Names and bytes count, never times: what is remembered is for exactly these sources.
"""

import ast
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

ENTRY_POINTS = "dpbandits.papers"
OURS = Path(__file__).resolve().parents[1]
KEPT = 8  # answers to one question: one per state of the sources, the latest


@cache
def home(package: str) -> Path | None:
    """The folder of a top-level package."""
    spec = find_spec(package) if package != "__main__" else None  # a notebook has none
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))).resolve() if places else None


def files_in(folder: Path) -> Iterator[Path]:
    """Every file of a package, in order; what Python caches there is none of it."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        yield from (Path(place, name) for name in sorted(names))


@cache
def source_of(module: str) -> Path | None:
    """The file of a module of ours or of a paper's package, or None if there is no such module."""
    top, *rest = module.split(".")
    base = home(top)
    if base is None:
        return None
    base = base.joinpath(*rest)
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


class Read(NamedTuple):
    """What is asked of a Python file."""

    names: list[str]  # what its imports may load; with leading dots: seen from its package
    meaning: str  # a hash of its syntax tree without docstrings


@cache
def read(path: Path) -> Read:
    return read_now(path)


def read_now(path: Path) -> Read:
    """A file as it stands; it is parsed once for all processes, since its bytes say it all."""
    from dpbandits.core.files import write_text

    source = path.read_bytes()
    kept = cache_folder() / "read" / f"{_key(source)}.json"
    try:
        return Read(*json.loads(kept.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        tree = ast.parse(source)
    found = Read(sorted(_names(tree)), _meaning(tree))
    with suppress(OSError):  # nowhere to keep it: it is read again
        write_text(json.dumps(found), kept)
    return found


def _key(source: bytes) -> str:
    return hashlib.blake2b(source, digest_size=16, key=_reader()).hexdigest()


@cache
def _reader() -> bytes:
    """Who reads: a syntax tree is another one in another Python."""
    return hashlib.blake2b(sys.version.encode() + Path(__file__).read_bytes()).digest()


def _meaning(tree: ast.Module) -> str:
    """It takes the tree's docstrings away."""
    for node in statements(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            node.body = body[1:]
    return hashlib.blake2b(ast.dump(tree).encode(), digest_size=8).hexdigest()


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules of the same package, or of dpbandits, that a module imports, anywhere in it."""
    source = source_of(module)
    parent = module.rpartition(".")[0]
    package = module if source.name == "__init__.py" else parent
    return imports_in(source, package) | ({parent} if parent else set())


def imports_in(source: Path, package: str = "") -> frozenset[str]:
    """The modules of `package`, or of dpbandits, that a file imports."""
    ours = {"dpbandits", package.split(".")[0]}
    return frozenset(
        m for m in named_in(source, package) if m.split(".")[0] in ours and source_of(m)
    )


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """A module and all statements in it; expressions, which are many more, hold none."""
    todo: list[ast.AST] = [tree]
    while todo:
        yield (node := todo.pop())
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            if isinstance(below := getattr(node, name, None), list):
                todo += below


def named_in(source: Path, package: str = "") -> set[str]:
    """Every name that the imports of a file may load as a module."""
    parts = package.split(".")
    found = set()
    for name in read(source).names:
        rest = name.lstrip(".")
        if level := len(name) - len(rest):
            name = ".".join([*parts[: len(parts) - level + 1], *([rest] if rest else [])])
        found.add(name)
    return found - {""}


def _names(tree: ast.Module) -> set[str]:
    found = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            end = "." if node.module else ""
            found |= {base, *(f"{base}{end}{alias.name}" for alias in node.names)}
    return found


def modules_behind(*modules: str) -> set[str]:
    """Some modules and all that they import, transitively."""
    seen: set[str] = set()
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(imports_of(module) - seen)
    return seen


def fingerprint() -> str:
    """Of everything that is installed as dpbandits or as a paper of it, and of this Python."""
    named = {entry.value.split(":")[0].split(".")[0] for entry in entry_points(group=ENTRY_POINTS)}
    digest = hashlib.blake2b(sys.version.encode(), digest_size=8)
    for package in ("dpbandits", *sorted(named)):
        folder = home(package)
        for path in files_in(folder) if folder else ():
            _add(digest, f"{package}/{path.relative_to(folder).as_posix()}", path)
    return digest.hexdigest()


def hash_of(*said: Any, files: tuple[Path, ...] = ()) -> str:
    """Of the sources, some parameters, and other files (one that is not there counts as such)."""
    text = json.dumps([fingerprint(), *said], sort_keys=True, default=str)
    digest = hashlib.blake2b(text.encode(), digest_size=8)
    for path in files:
        _add(digest, str(path), path)
    return digest.hexdigest()


def _add(digest, name: str, path: Path) -> None:
    content = path.read_bytes() if path.is_file() else b"-"
    digest.update(f"{name}\0{len(content)}\0".encode() + content)


def cache_folder() -> Path:
    """Beside the sources, or where they are installed read-only, the user's."""
    if os.access(OURS, os.W_OK):
        return OURS / "__pycache__"
    return Path(os.environ.get("XDG_CACHE_HOME", tempfile.gettempdir())) / "dpbandits"


def remembered(question: str, key: Callable[[], str], find: Callable[[], Any]) -> Any:
    """The answer (JSON) that was found when the key was the same, else one that is found now.

    The key is asked again after the finding: an edit in between must not be answered for.
    """
    from dpbandits.core.files import write_text

    before = key()
    path = cache_folder() / "answers" / f"{question}-{before}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        answer = find()
    if key() == before:
        write_text(json.dumps(answer), path)
    others = sorted(path.parent.glob(f"{question}-*.json"), key=lambda p: p.stat().st_mtime)
    for old in others[:-KEPT]:
        old.unlink(missing_ok=True)
    return answer
