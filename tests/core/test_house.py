"""Which room may know which: core nobody, papers core and audit; the pipeline names no paper."""

import ast
import re
from functools import cache

import pytest
from scratch import ROOT

from dpbandits.core.registry import papers
from dpbandits.core.sources import imports_of

SRC = ROOT / "src/dpbandits"
MODULES = sorted(
    ".".join(path.relative_to(SRC.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in SRC.rglob("*.py")
)
PAPERS = {paper.package.removeprefix("dpbandits.") for paper in papers().values()}
MAY_IMPORT = {
    "core": set(),
    "audit": {"core"},
    **{paper: {"core", "audit"} for paper in PAPERS},
    "pipeline": {"core"},
    "report": {"core", "pipeline"},
    "pdf": {"core", "pipeline"},
    "cli": {"core", "audit", "pipeline", "report"},
}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("module", [m for m in MODULES if room(m)])
def test_a_room_imports_only_what_it_may(module):
    imported = {room(name) for name in imports_of(module)} - {"", room(module)}
    allowed = MAY_IMPORT[room(module)]
    assert imported <= allowed, f"{module} imports {imported - allowed}"


def test_no_import_runs_in_a_circle():
    """Parents are left out: importing a module always imports its package's face."""
    graph = {
        m: {i for i in imports_of(m) if i in MODULES and not f"{m}.".startswith(f"{i}.")}
        for m in MODULES
    }
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done:
            for other in graph[module]:
                walk(other, (*path, module))
            done.add(module)

    for module in MODULES:
        walk(module, ())


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) in ("core", "pipeline", "audit")])
def test_the_page_on_architecture_names_every_module(module):
    page = (ROOT / "docs/architecture.md").read_text()
    name = module.rpartition(".")[2]
    if module.count(".") == 2 and name not in ("engine", "studies", "figures"):
        assert re.search(rf"`([\w/]*/)?{name}(\.py)?`", page), (
            f"docs/architecture.md names no {module}"
        )


@cache
def tree(module: str) -> tuple[str, ast.Module]:
    base = SRC.parent.joinpath(*module.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    text = path.read_text()
    return text, ast.parse(text)


@pytest.mark.parametrize("module", MODULES)
def test_files_and_functions_are_short(module):
    text, parsed = tree(module)
    assert len(text.splitlines()) <= 300
    for node in ast.walk(parsed):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 60, f"{module}.{node.name}"


def test_no_two_files_of_tests_share_a_name():
    """pytest imports them by their bare names: of two, one would hide the other."""
    names = [p.name for p in (ROOT / "tests").rglob("*.py") if p.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("module", MODULES)
def test_every_file_says_what_it_is(module):
    assert ast.get_docstring(tree(module)[1])


DRAWN = re.compile(r"default_rng|[Pp]hilox\(|\brng\(|_streams?\(|\bruns\b")
COMPARED = re.compile(
    r"kstest\(|ks_[12]samp\(|binomtest\(|\.pvalue"
    r"|(?<!at most )(?<!\.)\b(\d|two|four|five) standard errors"
)
SAID = re.compile(r"[Ff]lake|false alarm|by chance|once in|in a million")


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda p: p.stem)
def test_where_chance_decides_it_is_said_how_often_a_test_would_fail(path):
    text = path.read_text()
    if path.name != "test_house.py" and DRAWN.search(text) and COMPARED.search(text):
        assert SAID.search(text), f"{path.name} compares samples and states no flake rate"
