"""`dpbandits new KIND NAME`: files that run as they are, pass the contracts, and appear at once."""

import json
import re
from collections import Counter
from pathlib import Path
from string import Template

from dpbandits.cli import listing
from dpbandits.core.claims import FILE as CLAIMS
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import write_text
from dpbandits.core.registry import Paper, package_folder, papers

TEMPLATES = Path(__file__).parent / "templates"
NAMES = {
    "algorithm": r"[a-z][a-z0-9]*(-[a-z0-9]+)*",
    "claim": r"[A-Za-z0-9]+-[A-Za-z0-9.-]+",
    "mechanism": r"[a-z][a-z0-9]*(-[a-z0-9]+)*",
    "paper": r"[a-z][a-z0-9]*",
    "study": r"[a-z][a-z0-9_]*",
    "figure": r"[a-z][a-z0-9_]*",
}
Files = dict[Path, str]  # what to write


def new(options) -> None:
    """Make all texts, then write them: nothing is written if one file is there already."""
    kind, name = options.kind, options.name
    key, slash, rest = name.partition("/")
    key, name = (key, rest) if slash else (options.paper, name)
    if not re.fullmatch(NAMES[kind], name):
        raise InputError(f"new {kind} {name}: allowed: {NAMES[kind]}, or KEY/ before it")
    if kind == "paper":
        files, then = _new_paper(name)
    else:
        paper = _paper(name.split("-")[0] if kind == "claim" else key, kind)
        _unknown(kind, f"{paper.key}/{name}" if kind in ("study", "figure") else name)
        files, then = MAKERS[kind](name, paper, *_places(paper))
    there = [path for path in files if path.exists() and not _is_grown(path, files[path])]
    if there:
        raise InputError(f"new {kind} {name}: {there[0]} is there already")
    for path, text in files.items():
        write_text(text, path)
        print(path)
    print(f"Then: {then}")


def _is_grown(path: Path, text: str) -> bool:
    """Is it a file of claims, with one added to what is there?"""
    grows = path.name in ("theorems.ipynb", CLAIMS)
    return grows and len(text) > len(path.read_text(encoding="utf-8"))


def _paper(key: str | None, kind: str) -> Paper:
    if (key or "").lower() not in papers():
        raise InputError(f"new {kind}: --paper = {key}: {nearest(key or '', papers())}")
    return papers()[key.lower()]


def _unknown(kind: str, name: str) -> None:
    known = (
        entry["name"].lower()
        for entry in listing.KINDS["studies" if kind == "study" else f"{kind}s"]()
    )
    if name.lower() in known:
        raise InputError(f"new {kind} {name}: there is one of that name")


def _places(paper: Paper) -> tuple[Path, Path]:
    """The folders of a paper's modules, and of its config and notebooks."""
    here = Path("src", *paper.package.split("."))  # not that of another checkout's environment
    package = here if here.is_dir() else package_folder(paper.package)
    for folder in (Path(), package):
        if (folder / "config" / f"{paper.key}.yaml").is_file():
            return package, folder
    raise InputError(f"new: no config/{paper.key}.yaml; allowed: in a checkout of dpbandits")


def _text(template: str, **words: str) -> str:
    return Template((TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")).substitute(words)


def _title(name: str) -> str:
    return re.sub("[-_]", " ", name).capitalize()


def _in(folder: Path, name: str, text: str) -> Files:
    """A module in one of the folders of a paper, which becomes a package."""
    face = folder / "__init__.py"
    made = {} if face.exists() else {face: f'"""{folder.name.capitalize()}."""\n'}
    return made | {folder / f"{name}.py": text}


def _new_algorithm(name: str, paper: Paper, package: Path, rest: Path):
    from dpbandits.core.algorithms import algorithms

    settings = Counter(a.setting for a in algorithms().values() if a.paper == paper.key)
    if not settings:
        raise InputError(f"new algorithm: {paper.key} simulates nothing; allowed: another --paper")
    setting = settings.most_common(1)[0][0]
    file = package / f"{name.replace('-', '_')}.py"
    then = f"add {name} to the algorithms of an experiment in {rest / 'config'}/{paper.key}.yaml"
    return {file: _algorithm(name, setting.__module__, setting.__name__, setting)}, (
        f"{then}; if it is private, name the claim that says so (claim=...)"
    )


def _algorithm(name: str, module: str, setting: str, known: type | None = None) -> str:
    gaps = known is None or hasattr(known, "gaps")
    words = {"name": name, "title": _title(name), "setting_module": module, "setting": setting}
    return _text("algorithm" if gaps else "algorithm_without_gaps", **words)


def _new_study(name: str, paper: Paper, package: Path, rest: Path):
    text = _text("study", name=name, key=paper.key, title=_title(name))
    then = (
        f"below studies: in {rest / 'config'}/{paper.key}.yaml\n"
        f"  {name}:\n    about: what it computes\n    params: {{ sizes: [1, 2, 4] }}\n"
        '    sources: { sizes: "assumed: a first try" }'
    )
    return _in(package / "studies", name, text), then


def _new_figure(name: str, paper: Paper, package: Path, rest: Path):
    from dpbandits.pipeline.config import read_yaml

    config = read_yaml(rest / "config" / f"{paper.key}.yaml")
    experiments, studies = (list(config.get(k) or {}) for k in ("experiments", "studies"))
    if not experiments + studies:
        raise InputError(f"new figure: {paper.key} has no table yet; allowed: after its first one")
    table = (experiments + studies)[0]
    return _figure(name, paper.key, package, rest, table, bool(experiments)), (
        f"say in the figure which table it reads (now: {table}), and draw it"
    )


def _figure(name: str, key: str, package: Path, rest: Path, table: str, simulated: bool) -> Files:
    template = "figure" if simulated else "figure_of_study"
    text = _text(template, name=name, key=key, title=_title(name), table=table)
    notebook = rest / "notebooks" / key / f"{name}.ipynb"
    cells = _cells(_title(name), "show", f'show("{key}/{name}", tables, figures)')
    return _in(package / "figures", name, text) | {notebook: _as_text(cells)}


def _new_mechanism(name: str, paper: Paper, package: Path, rest: Path):
    text = _text("mechanism", name=name, title=_title(name))
    then = f"dpbandits audit {name} --set sensitivity=1 scale=2 --at-epsilon 0.1"
    return _in(package / "mechanisms", name.replace("-", "_"), text), then


def _new_claim(name: str, paper: Paper, package: Path, rest: Path):
    prefix, _, number = name.partition("-")
    return _claim(f"{prefix.upper()}-{number}", package, rest), (
        "state it, and judge it: by an inequality between numbers, or by a check (core/claims.py)"
    )


def _claim(id: str, package: Path, rest: Path) -> Files:
    """A block at the end of the paper's claims.toml, and a cell that draws its plot."""
    cell_id = re.sub(r"\W", "_", id.lower())
    show = f'show_claims("{id}", tables, figures)'
    key = id.split("-")[0].lower()
    path = rest / "notebooks" / key / "theorems.ipynb"
    if path.is_file():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["cells"].append(_cell("code", cell_id, show))
    else:
        notebook = _cells(f"Theorem checks: {key.upper()}", "show_claims", show)
    data = package / CLAIMS
    before = data.read_text(encoding="utf-8") if data.is_file() else f"# Claims of {key.upper()}.\n"
    return {data: before + _text("claim", name=id), path: _as_text(notebook)}


def _cells(title: str, shows: str, show: str) -> dict:
    parameters = _cell("code", "parameters", "tables = None\nfigures = None")
    parameters["metadata"] = {"tags": ["parameters"]}
    imports = _cell("code", "imports", f"from dpbandits.pipeline.figures import {shows}")
    cells = [_cell("markdown", "title", f"# {title}"), parameters, imports]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [*cells, _cell("code", "first", show)],
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
    """With an algorithm, a figure and a claim, so that all of it can be run and seen."""
    rest, package = Path(), Path("src/dpbandits", key)
    here = Path("config/config.yaml").is_file() and package.parent.is_dir()
    if key in papers() or package.exists() or not here:
        raise InputError(f"new paper {key}: allowed: a new key, in a checkout of dpbandits")
    face = _text("paper", key=key, upper=key.upper())
    files = {package / "__init__.py": face}
    files[package / "problem.py"] = _text("problem", upper=key.upper())
    uniform = _algorithm(f"{key}-uniform", f"dpbandits.{key}.problem", "Setting")
    files[package / f"{key}_uniform.py"] = uniform
    files[rest / "config" / f"{key}.yaml"] = _text("config", key=key)
    files |= _figure("regret", key, package, rest, "regret", True)
    files |= _claim(f"{key.upper()}-1", package, rest)
    return files, f"snakemake --cores 1 --config papers=[{key}] scale=smoke"


MAKERS = {
    "algorithm": _new_algorithm,
    "study": _new_study,
    "figure": _new_figure,
    "claim": _new_claim,
    "mechanism": _new_mechanism,
}
