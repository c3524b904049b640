"""The recipe of each kind of job: the same one for the workflow, and for `dpbandits check`."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.figures import Figure
from dpbandits.core.files import read_seal
from dpbandits.core.ledger import claims
from dpbandits.core.registry import papers
from dpbandits.pipeline.plan import Job, Plan
from dpbandits.pipeline.provenance import Recipe, differences, recipe

LOCK = "envs/requirements.lock"


def _script(name: str) -> str:
    return f"workflow/scripts/{name}.py"


def simulation(job: Job) -> Recipe:
    return recipe([job.module], [LOCK, _script("simulate")], job=job.spec())


def aggregation(plan: Plan, paper: str, name: str) -> Recipe:
    return recipe([], [LOCK, _script("aggregate")], labels=labels(plan, paper, name))


def labels(plan: Plan, paper: str, name: str) -> list[str]:
    return list(plan.jobs_of(paper, name)[0].cells[0].labels)


def study(plan: Plan, paper: str, name: str) -> Recipe:
    entry, params = plan.study(paper, name)
    runs = entry.algorithms(params)
    modules = [entry.module]
    modules += [get_algorithm(algorithm).module for algorithm in runs]
    return recipe(modules, [LOCK, _script("study")], study=entry.name, params=params)


def checks(paper: str) -> Recipe:
    """The claims of one paper."""
    own = [claim for claim in claims().values() if claim.paper.lower() == paper]
    modules = sorted({name for c in own for name in (c.module, c.certificates) if name})
    modules += [get_algorithm(name).module for claim in own for name in claim.runs]
    return recipe(modules, [LOCK, _script("claims")], ids=sorted(claim.id for claim in own))


def notebook(path: str, figures: list[Figure]) -> Recipe:
    modules = {figure.module for figure in figures if figure.folder == "tables"}
    modules.add("dpbandits.pipeline.figures")  # the notebook imports it
    modules |= {paper.package for paper in papers().values()}  # their looks
    said = [(f.name, f.title, f.paper_says, f.alt, f.reads) for f in figures]
    return recipe(sorted(modules), [LOCK, _script("draw"), path], figures=said)


def report(config: dict, figures: list[Figure]) -> Recipe:
    """The page shows the text of the code behind figures and claims, and its rule."""
    exact = sorted({figure.module for figure in figures})
    files = [LOCK, _script("report"), "workflow/rules/notebooks.smk", "Snakefile"]
    files += sorted(Path("workflow/report").iterdir())
    return recipe([], files, exact, config=config)


def other(name: str, **said) -> Recipe:
    """A job of the whole run: typeset, ledger, publish."""
    return recipe([], [LOCK, _script(name)], **said)


def up_to_date(path: str | Path, wanted: Recipe) -> bool:
    """Is an output there, made by this recipe? (Whoever reads it checks its content.)"""
    seal = read_seal(path)
    return Path(path).is_file() and seal is not None and seal["recipe"] == wanted.digest


def table_is_up_to_date(plan: Plan, paper: str, name: str) -> bool:
    """Was a table made by the code, config and simulations that would make it now?"""
    made = plan.table_path(paper, name)
    if name in plan.papers[paper].studies:
        return up_to_date(made, study(plan, paper, name))
    if not up_to_date(made, aggregation(plan, paper, name)):
        return False
    inputs = read_seal(made)["inputs"]
    for job in plan.jobs_of(paper, name):
        part = plan.part_path(job)
        if not up_to_date(part, simulation(job)):
            return False
        if inputs.get(str(part)) != read_seal(part)["content"]:
            return False
    return len(inputs) == len(plan.jobs_of(paper, name))


def explained(wanted: dict[str, Recipe], kept: Path) -> str:
    """Which files and parameters changed since outputs were made: a line for people, or nothing."""
    changed: Counter[str] = Counter()
    for path, new in wanted.items():
        seal = read_seal(path)
        old = _kept(kept, seal["recipe"]) if seal and seal["recipe"] != new.digest else None
        changed.update(differences(old, new) if old else ())
    if not changed:
        return ""
    said = [f"{name} (behind {count} files)" for name, count in changed.most_common(8)]
    more = f" and {len(changed) - 8} more" if len(changed) > 8 else ""
    return f"Changed since results were made: {', '.join(said)}{more}"


@cache
def _kept(folder: Path, digest: str) -> dict | None:
    path = folder / f"{digest}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
