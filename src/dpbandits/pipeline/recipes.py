"""The recipe of each kind of job: the same one for the workflow, and for `dpbandits check`."""

import json
from collections import Counter
from collections.abc import Iterable
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


def labels(plan: Plan, paper: str, name: str) -> list[str] | None:
    """Columns that tell the cells of an experiment apart; None: rows of a study, made in parts."""
    if name in plan.papers[paper].studies:
        return None
    return list(plan.jobs_of(paper, name)[0].cells[0].labels)


def study(plan: Plan, paper: str, name: str, params: dict | None = None) -> Recipe:
    entry, whole = plan.study(paper, name)
    params = params or whole
    runs = entry.algorithms(params)
    modules = [entry.module]
    modules += [get_algorithm(algorithm).module for algorithm in runs]
    return recipe(modules, [LOCK, _script("study")], study=entry.name, params=params)


def checks(paper: str) -> Recipe:
    """The claims of one paper."""
    own = claims(paper).values()
    modules = sorted({name for c in own for name in (c.module, c.certificates) if name})
    modules += [get_algorithm(name).module for claim in own for name in claim.runs]
    return recipe(modules, [LOCK, _script("claims")], ids=sorted(claim.id for claim in own))


def notebook(plan: Plan, path: str, figures: list[Figure]) -> Recipe:
    modules = {figure.module for figure in figures if figure.folder == "tables"}
    modules.add("dpbandits.pipeline.figures")  # the notebook imports it
    modules |= {package for figure in figures for package in _looks(plan, figure)}
    return recipe(sorted(modules), [LOCK, _script("draw"), path], figures=_said(figures))


def _said(figures: list[Figure]) -> list[tuple]:
    return [(f.name, f.title, f.paper_says, f.alt, f.reads) for f in figures]


def _looks(plan: Plan, figure: Figure) -> set[str]:
    """The papers' packages that say how the algorithms in a figure's tables look."""
    drawn: set[str] = set()
    config = plan.papers[figure.paper]  # which may leave out the table of a figure
    for name in figure.reads if figure.folder == "tables" else ():
        if name in config.experiments:
            drawn.update(series.name for series in plan.experiment(figure.paper, name).algorithms)
        elif name in config.studies:
            entry, params = plan.study(figure.paper, name)
            drawn.update(entry.algorithms(params))
    return {papers()[get_algorithm(name).paper].package for name in drawn}


def report(plan: Plan, config: dict, figures: list[Figure]) -> Recipe:
    """The page shows the text of the code behind figures and claims, its rule, and what the config
    says of each experiment."""
    exact = sorted({figure.module for figure in figures})
    files = [LOCK, _script("report"), "workflow/rules/notebooks.smk", "Snakefile"]
    files += sorted(Path("workflow/report").iterdir())
    said = {key: paper.model_dump() for key, paper in plan.papers.items()}
    return recipe([], files, exact, config=config, papers=said)


def paper(plan: Plan, figures: list[Figure]) -> Recipe:
    """The paper and the errata print titles, and what is said of figures, from the code."""
    titles = {key: papers()[key].title for key in plan.papers}
    return recipe([], [LOCK, _script("paper")], titles=titles, figures=_said(figures))


def other(name: str, **said) -> Recipe:
    """A job of the whole run: typeset, ledger, publish."""
    return recipe([], [LOCK, _script(name)], **said)


def wanted(plan: Plan, papers: Iterable[str] = ()) -> dict[str, Recipe]:
    """The recipes of all parts, tables and verdicts, by (first) output; of some papers, or all."""
    papers = set(papers or plan.papers)
    jobs = [job for job in plan.jobs.values() if job.paper in papers]
    found = {str(plan.part_path(job)): simulation(job) for job in jobs}
    for paper, name in _tables(plan, papers):
        is_study = name in plan.papers[paper].studies
        for path, params in plan.study_parts(paper, name).items() if is_study else ():
            found[str(path)] = study(plan, paper, name, params)
        made_by = aggregation if plan.parts(paper, name) else study
        found[str(plan.table_path(paper, name))] = made_by(plan, paper, name)
    return found | {plan.verdicts_path(paper): checks(paper) for paper in papers}


def _tables(plan: Plan, papers: set[str]) -> list[list[str]]:
    return [pair for pair in (key.split("/") for key in plan.tables()) if pair[0] in papers]


def described(plan: Plan, recipes: dict[str, Recipe]) -> dict[str, tuple[str, list[str]]]:
    """The same as plain data: output -> (the recipe's digest, its inputs), for pipeline.kept."""
    inputs = {
        str(plan.table_path(*pair)): plan.parts(*pair) for pair in _tables(plan, set(plan.papers))
    }
    for paper in plan.papers:
        if (verdicts := plan.verdicts_path(paper)) in recipes:
            reads = {name for claim in claims(paper).values() for name in claim.reads}
            inputs[verdicts] = sorted(str(plan.table_path(paper, name)) for name in reads)
    return {path: (made.digest, inputs.get(path, [])) for path, made in recipes.items()}


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
