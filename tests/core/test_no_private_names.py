"""No file uses or patches what another library keeps private; there is no list of exceptions.

Private is what begins with an underscore. Also forbidden: ctypes, llvmlite, marshal, numba.core,
forks, gc.freeze, sys.modules.setdefault. Tests may use private names of what they import from
dpbandits.
"""

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from scratch import ROOT

FOLDERS = ("src", "workflow", "tests", "benchmarks")
FORBIDDEN = (
    *("ctypes", "llvmlite", "marshal", "numba.core", "os.fork", "os.forkpty", "gc.freeze"),
    "sys.modules.setdefault",
)
SETTERS = {"getattr", "setattr", "delattr"}  # also methods of monkeypatch
IN_SNAKEFILES = re.compile(r"(?<!self)(?<!cls)\._[A-Za-z]\w*|\bimport _[A-Za-z]\w*")


def private(name: str) -> bool:
    """Whether a part of a dotted name is private."""
    return any(re.fullmatch(r"_(?!_.*__$).*", part) for part in name.split("."))


def forbidden(name: str) -> bool:
    return any(f"{name}.".startswith(f"{part}.") for part in FORBIDDEN)


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an expression of this form, else ""."""
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def imports(node: ast.AST) -> dict[str, str]:
    """The names that an import statement binds -> their full names."""
    if isinstance(node, ast.Import):
        return {a.asname or a.name.split(".")[0]: a.name for a in node.names}
    if isinstance(node, ast.ImportFrom):
        module = f"{node.module}." if node.module else ""
        return {a.asname or a.name: module + a.name for a in node.names}
    return {}


def module_or_class(name: str) -> bool:
    """Whether an imported name is a module or, by its capital letter, a class."""
    try:
        last = name.rpartition(".")[2]
        return last == name or last[0].isupper() or find_spec(name) is not None
    except ImportError:
        return False


def violations(tree: ast.AST, in_tests: bool = False) -> Iterator[tuple[int, str]]:
    """Line and text of each use of a private name, patch, or forbidden module or call."""
    full_names: dict[str, str] = {}
    for node in ast.walk(tree):
        full_names |= imports(node)

    def ours(name: str) -> bool:
        return in_tests and name.split(".")[0] == "dpbandits"

    for node in ast.walk(tree):
        for name in imports(node).values():
            if forbidden(name) or (private(name) and not ours(name)):
                yield node.lineno, f"import {name}"
        if isinstance(node, ast.Attribute):
            chain, owner = dotted(node), dotted(node.value)
            allowed = owner in ("self", "cls") or ours(full_names.get(owner, ""))
            if (private(node.attr) and not allowed) or forbidden(chain):
                yield node.lineno, chain or f"(...).{node.attr}"
            root = full_names.get(chain.split(".")[0])
            if root and isinstance(node.ctx, ast.Store | ast.Del) and module_or_class(root):
                yield node.lineno, f"{chain} = ..."
        if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in SETTERS:
            target = dotted(node.args[0]) if node.args else ""
            texts = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
            for text in texts:
                if private(str(text)) and not ours(full_names.get(target, "")):
                    yield node.lineno, f"{dotted(node.func)}(... {text!r} ...)"


def violations_in_snakefile(source: str) -> Iterator[tuple[int, str]]:
    """The same for a Snakemake file, which is not Python, line by line."""
    for number, line in enumerate(source.splitlines(), start=1):
        names = re.findall(r"[\w.]+", line.partition("#")[0])
        if IN_SNAKEFILES.search(line) or any(map(forbidden, names)):
            yield number, line


FOUND = """
import ctypes
from ctypes import CDLL
from numba.core import types
from numba import core
import numba; numba.core.types.Type
import llvmlite.binding as llvm
import marshal
from library import _name
from .beside import _name
from library._hidden import name
x._name
x.y()._name
x._name = 1
super()._name
module._name(1)
import matplotlib; matplotlib.axes.Axes.plot = 1
from library import Class; Class.method = 1
import library; del library.name
import os; os.fork()
from os import fork
import os; os._exit(0)
import gc; gc.freeze()
import sys; sys.modules.setdefault('x', None)
getattr(x, '_name')
monkeypatch.setattr(x, '_name', 1)
monkeypatch.setattr('library._name', 1)
from dpbandits.core import run; run.np._name(1)
from dpbandits_like import run; run._name(1)
from dpbandits.core.run import Class; Class.method = 1"""
ALLOWED = """
self._name = cls._name
def _own(): return _own()
x.__class__.__name__
import library; library.config['key'] = 1
import numba; numba.njit(f)
x.name = 1
getattr(x, 'name')
monkeypatch.setattr(module, 'name', 1)
import ctypes_like
from flint import ctx; ctx.prec = 53"""
ALLOWED_IN_TESTS = """
from dpbandits.core import run; run._name(1)
from dpbandits.core.run import _name
from dpbandits.core import run; monkeypatch.setattr(run, '_name', 1)"""


@pytest.mark.parametrize(
    ("sources", "in_src", "in_tests"),
    [(FOUND, True, True), (ALLOWED, False, False), (ALLOWED_IN_TESTS, True, False)],
)
def test_which_lines_are_violations(sources, in_src, in_tests):
    for source in sources.strip().splitlines():
        tree = ast.parse(source)
        assert bool(list(violations(tree))) == in_src, source
        assert bool(list(violations(tree, in_tests=True))) == in_tests, source


@pytest.mark.parametrize(
    "source",
    ["import ctypes", "x._name", "from .beside import _name", "import os; os.fork()",
     "gc.freeze()", "sys.modules.setdefault('x', None)"],
)  # fmt: skip
def test_violations_in_snakefiles(source):
    assert list(violations_in_snakefile(f"rule x:\n    input: 'y'\nif True:\n    {source}\n"))


def test_no_file_uses_or_patches_private_names():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    lines = []
    for path in [*paths, ROOT / "Snakefile"]:
        if path.suffix == ".py":
            in_tests = path.is_relative_to(ROOT / "tests")
            uses = violations(ast.parse(path.read_text(encoding="utf-8")), in_tests)
        elif path.suffix == ".smk" or path.name == "Snakefile":
            uses = violations_in_snakefile(path.read_text(encoding="utf-8"))
        else:
            continue
        lines += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in uses]
    assert not lines, "\n".join(lines)
