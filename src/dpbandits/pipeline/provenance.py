"""Which source files a module depends on: what makes an edit rerun exactly what it touches.

Imports are read from the sources (nothing is executed), transitively, inside this package.
"""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.name


def source_of(module: str) -> Path | None:
    """The file of `dpbandits.x.y`, or None if there is no such module."""
    base = PACKAGE.joinpath(*module.split(".")[1:])
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def imports_of(module: str) -> frozenset[str]:
    """The package's modules that a module imports, at its top or inside a function."""
    source = source_of(module)
    found = {module.rsplit(".", 1)[0]} if "." in module else set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(m for m in found if m.split(".")[0] == ROOT and source_of(m))


def dependencies(*modules: str) -> list[str]:
    """All source files behind some modules, as paths below the package's parent, sorted."""
    seen: set[str] = set()
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(imports_of(module) - seen)
    return sorted(source_of(m).relative_to(PACKAGE.parent).as_posix() for m in seen)
