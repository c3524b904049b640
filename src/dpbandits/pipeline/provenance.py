"""What a result was made from: one digest of the code behind a job, which Snakemake compares.

Each rule has the digest as a plain parameter, so that Snakemake's own trigger `params` reruns a job
when its code changes. The digest covers the modules where the job's code begins, all that they
import inside dpbandits and the papers' packages (read from the sources, nothing is executed), the
data files in the packages among these, and the lock file. Python counts by its syntax tree without
docstrings: comments and layout change nothing. Everything else counts by its bytes.

Code that is called by name, the algorithms of a study or a claim, must be declared (`runs=`), and
so must the tables that a claim or a figure reads (`reads=`): core.algorithms refuses the rest.
"""

import ast
import hashlib
import json
import os
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from dpbandits.core.algorithms import Study, get_algorithm
from dpbandits.core.claims import FILE as CLAIMS
from dpbandits.core.claims import Claim
from dpbandits.core.figures import Figure
from dpbandits.core.registry import package_folder, papers
from dpbandits.pipeline.notebooks import source
from dpbandits.pipeline.plan import Job, Plan

ROOT = Path(__file__).resolve().parents[3]  # the checkout, or where the package is installed
LOCK = Path("envs/requirements.lock")
NO_DATA = (".py", ".pyc", ".pyi")


# --- the code behind each kind of job -------------------------------------------------------------
def of_simulation(job: Job) -> str:
    return digest(*job.modules, "dpbandits.pipeline.jobs")


def of_study(study: Study, params: dict) -> str:
    return digest(study.module, *_modules(study.algorithms(params)))


def of_claims(claims: Iterable[Claim]) -> str:
    """The checks of one paper, the certificates beside them, and the algorithms that they run."""
    own, files = {"dpbandits.pipeline.ledger"}, set()
    for claim in claims:
        own |= {*claim.modules, *_modules(claim.runs)}
        files.add(package_folder(claim.package) / CLAIMS)
    return digest(*own, files=[path for path in files if path.is_file()])


def of_figures(plan: Plan, figures: Iterable[Figure]) -> str:
    """The notebooks and the code of some figures, their texts, and the looks of algorithms."""
    own, texts = {"dpbandits.pipeline.figures", "dpbandits.pipeline.notebooks"}, []
    drawn = {source(figure.paper, figure.notebook) for figure in figures}
    for figure in figures:
        texts.append((figure.name, figure.title, figure.paper_says, figure.alt, figure.reads))
        if figure.folder == "tables":
            own |= {figure.module, *_packages(plan, figure)}
    return digest(*own, files=drawn, extra=texts)


def of_report(figures: Iterable[Figure]) -> str:
    """The page also shows the very text of the code behind figures and claims, and some rules."""
    texts = {source_of(figure.module) for figure in figures}
    rules = [Path("Snakefile"), *Path("workflow/rules").glob("*.smk")]
    return digest("dpbandits.report.page", files=sorted(texts) + sorted(rules))


def commit() -> str:
    """The commit that is checked out, whose code an archive holds; empty without git."""
    asked = ["git", "rev-parse", "--quiet", "--verify", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def _modules(algorithms: Iterable[str]) -> list[str]:
    return [module for name in algorithms for module in get_algorithm(name).modules]


def _packages(plan: Plan, figure: Figure) -> set[str]:
    """The packages of the papers whose algorithms stand in a figure's tables."""
    names: set[str] = set()
    config = plan.papers[figure.paper]  # it may leave out the table of a figure
    for table in figure.reads:
        if table in config.experiments:
            names |= {s.name for s in plan.experiment(figure.paper, table).algorithms}
        elif table in config.studies:
            study, params = plan.study(figure.paper, table)
            names.update(study.algorithms(params))
    return {papers()[get_algorithm(name).paper].package for name in names}


# --- the digest -----------------------------------------------------------------------------------
def digest(*modules: str, files: Iterable[Path] = (), extra: object = None) -> str:
    """Of modules with all that they import, of extra files (bytes), and of one value for JSON."""
    sources = files_behind(*modules, "dpbandits.core.files")  # every job writes by core.files
    found = {display_path(path): content_checksum(path) for path in sources}
    for path in filter(Path.is_file, (LOCK, *files)):
        found[f"{display_path(path)} (bytes)"] = checksum(path)
    text = json.dumps([found, extra], sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def files_behind(*modules: str) -> set[Path]:
    """The sources of some modules and of all that they import, and the data in their packages."""
    seen: set[str] = set()
    todo = [module for module in modules if source_of(module)]
    while todo:
        if (module := todo.pop()) not in seen:
            seen.add(module)
            todo.extend(imports_of(module) - seen)
    sources = {source_of(module) for module in seen}
    return sources | {p for s in sources if s.name == "__init__.py" for p in _data(s.parent)}


@cache
def _data(folder: Path) -> tuple[Path, ...]:
    files = (path for path in folder.iterdir() if path.is_file() and path.name != CLAIMS)
    return tuple(path for path in files if path.suffix not in NO_DATA)


@cache
def source_of(module: str) -> Path | None:
    """The file of a module of dpbandits or of a paper's package; None if there is none."""
    top, *rest = module.split(".")
    base = _folder(top)
    if base is None:
        return None
    base = base.joinpath(*rest)
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _folder(package: str) -> Path | None:
    """The folder of a top-level package."""
    spec = find_spec(package) if package and package != "__main__" else None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))).resolve() if places else None


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules of the same package, or of dpbandits, that a module imports, anywhere in it."""
    source, parent = source_of(module), module.rpartition(".")[0]
    parts = (module if source.name == "__init__.py" else parent).split(".")
    found = {parent} if parent else set()
    for level, name in _read(source)[0]:
        above = parts[: len(parts) - level + 1] if level else []
        found.add(".".join([*above, *([name] if name else [])]))
    ours = {"dpbandits", module.split(".")[0]}
    return frozenset(name for name in found if name.split(".")[0] in ours and source_of(name))


@cache
def _read(path: Path) -> tuple[frozenset[tuple[int, str]], str]:
    """Of a Python file: what its imports may load, with the level, and a checksum of its code."""
    tree, names = ast.parse(path.read_bytes()), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(0, alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = [node.module] if node.module else []
            names.add((node.level, ".".join(base)))
            names |= {(node.level, ".".join([*base, alias.name])) for alias in node.names}
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            node.body = body[1:]
    code = hashlib.blake2b(ast.dump(tree).encode(), digest_size=8).hexdigest()
    return frozenset(names), code


@cache
def content_checksum(path: Path) -> str:
    """A checksum of a file: of Python its syntax tree without docstrings, else its bytes."""
    return _read(path)[1] if path.suffix == ".py" else checksum(path)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def checksum(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def display_path(path: Path) -> str:
    """The path from its outside package on, else from the current folder or the checkout on."""
    path = path.resolve()
    tops = {paper.package.split(".")[0] for paper in papers().values()} - {"dpbandits"}
    outside = [folder.parent for top in tops if path.is_relative_to(folder := _folder(top))]
    for base in (*outside, Path(os.getcwd()), ROOT):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return "/".join(path.parts[-3:])
