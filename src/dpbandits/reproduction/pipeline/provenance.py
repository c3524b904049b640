"""A digest of the code behind each job, which Snakemake compares.

Each rule has the digest as a plain parameter, so that Snakemake's own trigger `params` reruns a job
when its code changes. The digest covers the modules where the job's code begins, all that they
import inside dpbandits and the papers' packages (read from the sources, nothing is executed), the
data files in the packages among these, and the lock file. Python files count by their syntax tree
without docstrings and without what is for type checkers alone: comments and layout change nothing.
All other files count by their bytes.

Code that is called by name, the algorithms of a study or a claim, must be declared (`runs=`), and
so must the tables that a claim or a figure reads (`reads=`): core.algorithms refuses others.
"""

import ast
import hashlib
import json
import subprocess
from collections.abc import Iterable
from functools import cache
from inspect import getdoc
from pathlib import Path

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.registry import package_folder, packages
from dpbandits.reproduction.designs import get_design
from dpbandits.reproduction.files import sha256
from dpbandits.reproduction.ledger.claims import FILE as CLAIMS
from dpbandits.reproduction.ledger.claims import Claim
from dpbandits.reproduction.papers import key_of, papers
from dpbandits.reproduction.pipeline.notebooks import source
from dpbandits.reproduction.pipeline.plan import Job, Plan
from dpbandits.reproduction.plots.figures import Figure
from dpbandits.reproduction.studies import Study

ROOT = Path(__file__).resolve().parents[4]  # the checkout, or where the package is installed
LOCK = Path("envs/requirements.lock")
NO_DATA = (".py", ".pyc", ".pyi")


# --- the code behind each kind of job -------------------------------------------------------------
def of_simulation(job: Job) -> str:
    return digest(*job.modules, "dpbandits.reproduction.pipeline.jobs")


def of_compiling(algorithms: list[str]) -> str:
    return digest("dpbandits.reproduction.pipeline.compiled", *_modules({*algorithms}))


def of_table(plan: Plan, table: str) -> str:
    """Of the summary of an experiment; of its design, and what that runs besides."""
    experiment = plan.experiment(*table.split("/"))
    own = [get_design(experiment.design).__module__] if experiment.params else []
    own += _modules({series.name for series in experiment.algorithms}) if own else []
    return digest("dpbandits.reproduction.pipeline.jobs", *own)


def of_study(study: Study) -> str:
    return digest(study.module, *_modules(study.runs))


def of_claims(claims: Iterable[Claim]) -> str:
    """Of the checks of one paper, its certificates, and the algorithms that the checks run."""
    modules, files = {"dpbandits.reproduction.pipeline.ledger"}, set()
    for claim in claims:
        modules |= {*claim.modules, *_modules(claim.runs)}
        files.add(package_folder(claim.package) / CLAIMS)
        named = {path for reading in claim.readings for path in reading.evidence}
        files |= {Path(path) for path in named if path.endswith(".csv") and path[:8] != "figures/"}
    return digest(*modules, files=files)


def of_figures(plan: Plan, figures: Iterable[Figure]) -> str:
    """Of the notebooks and the code of some figures, their texts, and the looks of algorithms."""
    modules = {"dpbandits.reproduction.pipeline.notebooks", *(figure.module for figure in figures)}
    modules = modules.union(*(_packages(plan, f) for f in figures if f.folder == "tables"))
    texts = [(f.name, f.title, f.claims, f.alt, f.reads, getdoc(f.make)) for f in figures]
    return digest(*modules, files={source(figure.paper) for figure in figures}, extra=texts)


def commit() -> str:
    """The commit that is checked out, whose code an archive holds; "" without git."""
    command = ["git", "rev-parse", "--quiet", "--verify", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def _modules(algorithms: Iterable[str]) -> list[str]:
    return [module for name in algorithms for module in get_algorithm(name).modules]


def _packages(plan: Plan, figure: Figure) -> set[str]:
    """The packages of the papers whose algorithms are in a figure's tables."""
    names: set[str] = set()
    config = plan.papers[figure.paper]  # which need not have every table of a figure
    for table in figure.reads:
        if table in config.experiments:
            names |= {s.name for s in plan.experiment(figure.paper, table).algorithms}
        elif table in config.studies:
            names.update(plan.study(figure.paper, table)[0].runs)
    return {papers()[key_of(get_algorithm(name).module)].package for name in names}


# --- the digest -----------------------------------------------------------------------------------
def digest(*modules: str, files: Iterable[Path] = (), extra: object = None) -> str:
    """A digest of modules with all that they import, of the bytes of files, and of `extra`."""
    every = ("dpbandits.core.files", "dpbandits.reproduction.processor")  # behind every job
    sources = files_behind(*modules, *every)
    checksums = {display_path(path): content_checksum(path) for path in sources}
    for path in filter(Path.is_file, (LOCK, *files)):
        checksums[f"{display_path(path)} (bytes)"] = sha256(path)
    text = json.dumps([checksums, extra], sort_keys=True, default=str)
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
    folders = {path.parent for path in sources if path.name == "__init__.py"}
    return sources.union(*map(_data_files, folders))


@cache
def _data_files(folder: Path) -> tuple[Path, ...]:
    files = (path for path in folder.iterdir() if path.is_file() and path.name != CLAIMS)
    return tuple(path for path in files if path.suffix not in NO_DATA)


@cache
def source_of(module: str) -> Path | None:
    """The file of a module; None if there is none, as of a notebook's `__main__`."""
    top, *rest = module.split(".")
    if top in ("", "__main__") or not (folder := package_folder(top)):
        return None
    path = folder.resolve().joinpath(*rest)
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules of the same package, or of dpbandits, that a module imports, anywhere in it."""
    path, parent = source_of(module), module.rpartition(".")[0]
    package = (module if path.name == "__init__.py" else parent).split(".")
    names = {parent} if parent else set()
    for level, name in _parsed(path)[0]:
        above = package[: len(package) - level + 1] if level else []
        names.add(".".join([*above, *([name] if name else [])]))
    tops = {"dpbandits", module.split(".")[0]}
    return frozenset(name for name in names if name.split(".")[0] in tops and source_of(name))


@cache
def _parsed(path: Path) -> tuple[frozenset[tuple[int, str]], str]:
    """The imports of a Python file, as (level, name), and a checksum of its code."""
    tree, names = ast.parse(path.read_bytes()), set()
    for node in ast.walk(tree):
        match node:
            case ast.If(test=ast.Name("TYPE_CHECKING")):  # for type checkers: it never runs
                node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(0, alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = [node.module] if node.module else []
            names.add((node.level, ".".join(module)))
            names |= {(node.level, ".".join([*module, alias.name])) for alias in node.names}
        match getattr(node, "body", None):
            case [ast.Expr(ast.Constant()), *body]:  # a docstring
                node.body = body
    code = hashlib.blake2b(ast.dump(tree).encode(), digest_size=8).hexdigest()
    return frozenset(names), code


@cache
def content_checksum(path: Path) -> str:
    """A checksum of a file: of Python its syntax tree without docstrings, else its bytes."""
    return _parsed(path)[1] if path.suffix == ".py" else sha256(path)


def display_path(path: Path) -> str:
    """The path relative to the site that holds its outside package, else to the current folder or
    the checkout."""
    path = path.resolve()
    brings = {paper.package.split(".")[0] for paper in papers().values()} | {*packages()}
    outside = [package_folder(name).resolve() for name in brings - {"dpbandits"}]
    sites = [folder.parent for folder in outside if path.is_relative_to(folder)]
    for base in (*sites, Path.cwd(), ROOT):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return path.as_posix()
