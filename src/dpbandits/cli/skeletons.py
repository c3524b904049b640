"""`dpbandits new KIND NAME`: write files that run as they are, for the user to edit."""

import json
import keyword
import re
from collections import Counter
from pathlib import Path
from string import Template

from dpbandits.cli import listing
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import write_text
from dpbandits.core.registry import Paper, package_folder
from dpbandits.reproduction.ledger.claims import FILE as CLAIMS
from dpbandits.reproduction.papers import papers

TEMPLATES = Path(__file__).parent / "templates"
WITH_HYPHENS = (r"[a-z][a-z0-9]*(-[a-z0-9]+)*", "small letters, digits and -, e.g. my-name")
WITH_UNDERSCORES = (r"[a-z][a-z0-9_]*", "small letters, digits and _, e.g. my_name")
NAMES = {  # the pattern of a kind's names, and what it allows in words
    "algorithm": WITH_HYPHENS,
    "claim": (r"[A-Za-z0-9]+-[A-Za-z0-9.-]+", "its paper's key, - and a name, e.g. HU-T8"),
    "mechanism": WITH_HYPHENS,
    "paper": (r"[a-z][a-z0-9]*", "small letters and digits, e.g. hu"),
    "study": WITH_UNDERSCORES,
    "figure": WITH_UNDERSCORES,
}
RESERVED = ("all", "claims", "config", "engine", "figures", "mechanisms", "notebooks", "studies")
Files = dict[Path, str]  # the text of each file to write


def new(options) -> None:
    """Write the files of a skeleton, or none of them if one exists already."""
    kind, name = options.kind, options.name
    prefix, slash, rest = name.partition("/")
    name = rest if slash else name
    pattern, allowed = NAMES[kind]
    if not re.fullmatch(pattern, name) or keyword.iskeyword(name) or name in RESERVED:
        words = f"{allowed}; no word of Python, and none of {', '.join(RESERVED)}"
        raise InputError(f"new {kind} {name}: allowed: {words}")
    of_name = {"claim": name.split("-")[0].lower(), "paper": name}.get(kind)
    keys = {k for k in (prefix if slash else None, options.paper, of_name) if k is not None}
    if len(keys) > 1 or (kind == "paper" and slash):
        raise InputError(f"new {kind} {options.name}: allowed: one paper, not {sorted(keys)}")
    key = next(iter(keys), None)
    if kind == "paper":
        files, next_step = _new_paper(name)
    else:
        paper = _paper(key, kind)
        _refuse_existing(kind, f"{paper.key}/{name}" if kind in ("study", "figure") else name)
        half = paper.package if kind in ("algorithm", "mechanism") else paper.judged_in
        files, next_step = MAKERS[kind](name, paper, *_folders(paper, half))
    existing = [path for path in files if path.exists() and not _extends(path, files[path])]
    modules = [path.with_suffix("") for path in files if path.suffix == ".py"]
    existing += [folder for folder in modules if folder.is_dir()]
    if existing:
        raise InputError(f"new {kind} {name}: {existing[0]} is there already")
    for path, text in files.items():
        write_text(text, path)
        print(path)
    print(f"Then: {next_step}")


def _extends(path: Path, text: str) -> bool:
    """True for a file of claims whose new text has one claim more."""
    return path.name == CLAIMS and len(text) > len(path.read_text(encoding="utf-8"))


def _paper(key: str | None, kind: str) -> Paper:
    if (key or "").lower() not in papers():
        given = f"= {key}" if key else "is required"
        raise InputError(f"new {kind}: --paper {given}: {nearest(key or '', papers())}")
    return papers()[key.lower()]


def _refuse_existing(kind: str, name: str) -> None:
    entries = listing.KINDS["studies" if kind == "study" else f"{kind}s"]()
    if name.lower() in (entry["name"].lower() for entry in entries):
        raise InputError(f"new {kind} {name}: there is one of that name")


def _folders(paper: Paper, half: str) -> tuple[Path, Path]:
    """The folder of a package of the paper, and that with its folders `config` and `notebooks`."""
    local = Path("src", *half.split("."))  # preferred: Python may import another checkout
    package = local if local.is_dir() else package_folder(half)
    for folder in (Path(), package_folder(paper.judged_in)):
        if (folder / "config" / f"{paper.key}.yaml").is_file():
            return package, folder
    raise InputError(f"new: no config/{paper.key}.yaml; allowed: in a checkout of dpbandits")


def _text(template: str, **words: str) -> str:
    return Template((TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")).substitute(words)


def _title(name: str) -> str:
    return re.sub("[-_]", " ", name).capitalize()


def _in(folder: Path, name: str, text: str) -> Files:
    """A module in a folder, with the folder's `__init__.py` if there is none."""
    init = folder / "__init__.py"
    files = {} if init.exists() else {init: f'"""{folder.name.capitalize()}."""\n'}
    return files | {folder / f"{name}.py": text}


# Each of MAKERS returns the files to write, and what to do next.
def _new_algorithm(name: str, paper: Paper, package: Path, root: Path):
    from dpbandits.core.algorithms import algorithms

    settings = Counter(a.setting for a in algorithms().values() if a.paper == paper.key)
    if not settings:
        raise InputError(f"new algorithm: {paper.key} simulates nothing; allowed: another --paper")
    setting = settings.most_common(1)[0][0]
    file = package / f"{name.replace('-', '_')}.py"
    template = "algorithm" if hasattr(setting, "gaps") else "algorithm_without_gaps"
    text = _algorithm(name, setting.__module__, setting.__name__, template)
    return {file: text}, (
        f"add {name} to the algorithms of an experiment in {root / 'config'}/{paper.key}.yaml; "
        "if it is private, name the claim that says so (claim=...)"
    )


def _algorithm(name: str, module: str, setting: str, template: str = "algorithm") -> str:
    words = {"name": name, "title": _title(name), "setting_module": module, "setting": setting}
    return _text(template, **words)


def _new_study(name: str, paper: Paper, package: Path, root: Path):
    text = _text("study", name=name, key=paper.key, title=_title(name))
    return _in(package / "studies", name, text), (
        f"below studies: in {root / 'config'}/{paper.key}.yaml\n"
        f"  {name}:\n    about: what it computes\n    params: {{ sizes: [1, 2, 4] }}\n"
        '    sources: { sizes: "assumed: a first try" }'
    )


def _new_figure(name: str, paper: Paper, package: Path, root: Path):
    from dpbandits.core.documents import read_yaml

    config = read_yaml(root / "config" / f"{paper.key}.yaml")
    experiments, studies = (list(config.get(k) or {}) for k in ("experiments", "studies"))
    if not experiments + studies:
        raise InputError(f"new figure: {paper.key} has no table yet; allowed: after its first one")
    table = (experiments + studies)[0]
    return _figure(name, paper.key, package, root, table, bool(experiments)), (
        f"say in the figure which table it reads (now: {table}), and draw it"
    )


def _figure(name: str, key: str, package: Path, root: Path, table: str, simulated: bool) -> Files:
    template = "figure" if simulated else "figure_of_study"
    text = _text(template, name=name, key=key, title=_title(name), table=table)
    path = root / "notebooks" / key / f"{name}.ipynb"
    notebook = _notebook(_title(name), key, name)
    return _in(package / "figures", name, text) | {path: _as_text(notebook)}


def _new_mechanism(name: str, paper: Paper, package: Path, root: Path):
    text = _text("mechanism", name=name, title=_title(name))
    next_step = f"dpbandits audit {name} --set sensitivity=1 scale=2 --at-epsilon 0.1"
    return _in(package / "mechanisms", name.replace("-", "_"), text), next_step


def _new_claim(name: str, paper: Paper, package: Path, root: Path):
    prefix, _, number = name.partition("-")
    return _claim(f"{prefix.upper()}-{number}", package), (
        "state it, and judge it: by an inequality between numbers, or by a check: "
        "docs/how-to/add-a-claim.md"
    )


def _claim(id: str, package: Path) -> Files:
    """A block at the end of the paper's claims.toml."""
    key, toml = id.split("-")[0].lower(), package / CLAIMS
    before = toml.read_text(encoding="utf-8") if toml.is_file() else f"# Claims of {key.upper()}.\n"
    return {toml: before + _text("claim", name=id)}


def _notebook(title: str, key: str, name: str) -> dict:
    """A notebook that writes the files of its figures, and shows the data of one."""
    parameters = _cell("code", "parameters", "tables = None\nfigures = None")
    parameters["metadata"] = {"tags": ["parameters"]}
    publish = (
        "from dpbandits.reproduction.pipeline.figures import publish\n\n"
        f'data = publish("{key}", "{name}", tables, figures)'
    )
    cells = [
        _cell("markdown", "title", f"# {title}\n\n![{title}](../../figures/{key}/{name}.png)"),
        parameters,
        _cell("code", "publish", publish),
        _cell("code", "first", f'data("{name}").describe()'),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(kind: str, id: str, source: str) -> dict:
    cell = {"cell_type": kind, "id": id, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _as_text(notebook: dict) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _new_paper(key: str):
    """A paper with an algorithm, a figure and a claim, which can be run: in a checkout two folders,
    elsewhere a package to install."""
    root, ours = Path(), Path("src/dpbandits")
    in_checkout = Path("config/config.yaml").is_file() and (ours / "reproduction").is_dir()
    if in_checkout:
        package, judged = ours / key, ours / "reproduction" / key
        import_name, extra = f"dpbandits.{key}", {}
        extra[judged / "__init__.py"] = _text("paper_judged", key=key, upper=key.upper())
        next_step = f"snakemake --cores 1 --config papers=[{key}] scale=smoke"
    else:
        import_name = f"{key}_paper"
        root = judged = package = Path(key, "src", import_name)
        extra = {Path(key, "pyproject.toml"): _text("pyproject", key=key, package=import_name)}
        next_step = f"pip install --editable {key}; dpbandits list --paper {key}"
    if key in papers() or package.exists() or judged.exists():
        raise InputError(f"new paper {key}: there is one of that key or folder")
    algorithm = _algorithm(f"{key}-uniform", f"{import_name}.problem", "Setting")
    files = {
        package / "__init__.py": _text("paper", key=key, upper=key.upper()),
        package / "problem.py": _text("problem", upper=key.upper()),
        package / f"{key}_uniform.py": algorithm,
        root / "config" / f"{key}.yaml": _text("config", key=key),
    }
    files |= _figure("regret", key, judged, root, "regret", True)
    files |= _claim(f"{key.upper()}-1", judged)
    return files | extra, next_step


MAKERS = {
    "algorithm": _new_algorithm,
    "study": _new_study,
    "figure": _new_figure,
    "claim": _new_claim,
    "mechanism": _new_mechanism,
}
