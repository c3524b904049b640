"""No file uses or patches what another module keeps private; there is no list of exceptions.

Private is what begins with an underscore. Also not used: ctypes, llvmlite, marshal, numba.core,
forks, gc.freeze, sys.modules.setdefault. The tests may use private names of what they import from
dpbandits, though public ones are better: the rule is about what another library keeps private.
What this file itself has of them are texts: lines of code on which the rule is tried.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from scratch import ROOT

FOLDERS = ("src", "workflow", "tests", "benchmarks")
MODULES = ("ctypes", "llvmlite", "marshal", "numba.core")
CALLS = {"os.fork", "os.forkpty", "gc.freeze", "sys.modules.setdefault"}
SETTERS = {"getattr", "setattr", "delattr"}  # also methods of monkeypatch


def private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an expression that is such a chain, else ""."""
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


def imported_modules(node: ast.AST) -> list[str]:
    """The full names that an import statement may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        return [f"{module}.{alias.name}".lstrip(".") for alias in node.names]
    return []


def forbidden(name: str) -> bool:
    return any(f"{name}.".startswith(f"{module}.") for module in MODULES) or name in CALLS


def imported_names(tree: ast.AST) -> dict[str, str]:
    """What a file's imports bind: name -> full name."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name.split(".")[0]: a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return found


def module_or_class(name: str) -> bool:
    """Whether an imported name is one, as far as capitals tell classes."""
    try:
        last = name.rpartition(".")[2]
        return last == name or last[0].isupper() or find_spec(name) is not None
    except ImportError:
        return False


def from_dpbandits(name: str) -> bool:
    return name.split(".")[0] == "dpbandits"


def violations(tree: ast.AST, in_tests: bool = False) -> Iterator[tuple[int, str]]:
    """Line and text of each use of a private name, patch, or forbidden module or call."""
    imported = imported_names(tree)

    def accepted(owner: str) -> bool:
        """Whether a test may use private names of this: imported from dpbandits by this name."""
        return in_tests and from_dpbandits(imported.get(owner, ""))

    for node in ast.walk(tree):
        for name in imported_modules(node):
            hidden = any(map(private, name.split("."))) and not (in_tests and from_dpbandits(name))
            if forbidden(name) or hidden:
                yield node.lineno, f"import {name}"
        if isinstance(node, ast.Attribute):
            chain = dotted(node)
            owner = dotted(node.value)
            if private(node.attr) and owner not in ("self", "cls") and not accepted(owner):
                yield node.lineno, chain or f"(...).{node.attr}"
            if forbidden(chain):
                yield node.lineno, chain
            root = imported.get(chain.split(".")[0])
            if root and isinstance(node.ctx, ast.Store | ast.Del) and module_or_class(root):
                yield node.lineno, f"{chain} = ..."
        if isinstance(node, ast.Call):
            called = dotted(node.func).rpartition(".")[2]
            if called in SETTERS and not (node.args and accepted(dotted(node.args[0]))):
                texts = [a.value for a in node.args[:2] if isinstance(a, ast.Constant)]
                for text in texts:
                    if isinstance(text, str) and any(map(private, text.split("."))):
                        yield node.lineno, f"{called}(... {text!r} ...)"


def violations_of_tokens(source: str) -> Iterator[tuple[int, str]]:
    """The same of a Snakemake file, as far as its tokens show it."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if second.string == "." and private(third.string) and first.string not in ("self", "cls"):
            yield third.start[0], f"{first.string}.{third.string}"
        elif first.string == "import" and private(second.string):
            yield second.start[0], f"import {second.string}"
    for number, line in enumerate(source.splitlines(), start=1):
        words = line.split()
        if words[:1] in (["import"], ["from"]) and forbidden(words[1]):
            yield number, line
        yield from ((number, call) for call in sorted(CALLS) if call in line)


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
def test_what_the_rule_finds(sources, in_src, in_tests):
    """Private names of dpbandits alone are accepted, and in tests alone."""
    for source in sources.strip().splitlines():
        tree = ast.parse(source)
        assert bool(list(violations(tree))) == in_src, source
        assert bool(list(violations(tree, in_tests=True))) == in_tests, source


@pytest.mark.parametrize(
    "source",
    ["import ctypes", "x._name", "from .beside import _name", "import os; os.fork()",
     "gc.freeze()", "sys.modules.setdefault('x', None)"],
)  # fmt: skip
def test_the_rule_finds_in_snakemake_files(source):
    assert list(violations_of_tokens(f"rule x:\n    input: 'y'\nif True:\n    {source}\n"))


def test_no_file_uses_or_patches_private_names():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    found = []
    for path in [*paths, ROOT / "Snakefile"]:
        if path.suffix in (".py", ".smk") or path.name == "Snakefile":
            source = path.read_text(encoding="utf-8")
            check = path.suffix == ".py"
            in_tests = path.is_relative_to(ROOT / "tests")
            uses = (
                violations(ast.parse(source), in_tests) if check else violations_of_tokens(source)
            )
            found += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in uses]
    assert not found, "\n".join(found)
