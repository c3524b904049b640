"""Which package may import which, and how long files and functions are."""

import ast
import re

from scratch import ROOT

from dpbandits.core.registry import papers

SRC = ROOT / "src/dpbandits"
TREES = {
    ".".join(path.relative_to(SRC.parent).with_suffix("").parts).removesuffix(".__init__"): (
        path,
        ast.parse(path.read_text()),
    )
    for path in sorted(SRC.rglob("*.py"))
}
PAPERS = {paper.package.removeprefix("dpbandits.") for paper in papers().values()}
MAY_IMPORT = {
    "core": set(),
    "plots": {"core"},
    "audit": {"core", "plots"},
    **{paper: {"core", "audit", "plots"} for paper in PAPERS},
    "pipeline": {"core", "plots"},
    "report": {"core", "pipeline", "plots"},
    "pdf": {"core", "pipeline", "plots", "report"},
    "cli": {"core", "audit", "pipeline", "plots", "report"},
}


def imports_of(module: str) -> set[str]:
    """The modules of ours that a module imports, anywhere in it; we write them in full."""
    found = set()
    for node in ast.walk(TREES[module][1]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} has a relative import"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & TREES.keys()


def top(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_a_package_imports_only_what_it_may():
    wrong = []
    for module in TREES:
        allowed = {"", top(module), *MAY_IMPORT.get(top(module), {"core"})}
        if module == "dpbandits.reproduction.pipeline.__main__":  # the command behind every rule
            allowed |= {"report", "pdf"}
        wrong += [f"{module} imports {m}" for m in imports_of(module) if top(m) not in allowed]
    assert not wrong


def test_no_circular_imports():
    """Without imports of a package by its own modules, which always happen."""
    graph = {
        module: {m for m in imports_of(module) if not f"{module}.".startswith(f"{m}.")}
        for module in TREES
    }
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done:
            for other in graph[module]:
                walk(other, (*path, module))
            done.add(module)

    for module in TREES:
        walk(module, ())


def test_docs_on_architecture_name_every_module():
    page = (ROOT / "docs/architecture.md").read_text()
    modules = [m for m in TREES if m.count(".") == 2 and top(m) in ("core", "pipeline", "audit")]
    names = {m.rpartition(".")[2] for m in modules} - {"__main__", "engine", "studies", "figures"}
    assert not [name for name in names if not re.search(rf"`([\w/]*/)?{name}(\.py)?`", page)]


def test_files_and_functions_are_short_and_modules_documented():
    wrong = []
    for module, (path, tree) in TREES.items():
        if len(path.read_text().splitlines()) > 300 or not ast.get_docstring(tree):
            wrong.append(module)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 60:
                wrong.append(f"{module}.{node.name}")
    assert not wrong
