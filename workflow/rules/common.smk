# Functions of the workflow: config -> plan -> paths and inputs. No rules here.
import gc
import os
import shlex
import subprocess
import sys
import time
import warnings
from collections import Counter
from contextlib import suppress
from functools import cache, reduce
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

# The library of this checkout, whatever is installed: what jobs run is what their inputs name. What
# else PYTHONPATH names, a paper's package say, the jobs shall find too.
sys.path.insert(0, os.path.realpath("src"))
others = os.getenv("PYTHONPATH", "").split(os.pathsep)
path = [sys.path[0], *(other for other in others if other and other != sys.path[0])]
os.environ.update(PYTHONPATH=os.pathsep.join(path))

# What Snakemake has loaded stays: to look through it for garbage again and again took a seventh of each
# start, here and inside every cluster job.
gc.freeze()

# Many containers forbid Python to keep what it compiles. Here 300 jobs would compile our modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Snakemake hands the interpreter to a shell as it is: in a folder with a space it needs quotes.
sys.executable = shlex.quote(sys.executable)

# Snakemake loads NumPy itself, before core/processor.py can pin the processor for it. This process
# computes no result; the jobs are processes of their own and inherit the pinned environment.
warnings.filterwarnings("ignore", "NumPy was imported before dpbandits", RuntimeWarning)

from dpbandits.pipeline import CONFIG
from dpbandits.pipeline import kept as kept_results
from dpbandits.pipeline import recipes, seals, starts
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.provenance import raw
from dpbandits.pipeline.figures import figures as registered_figures
from dpbandits.core.errors import InputError
from dpbandits.pipeline.formal import THEOREMS
from dpbandits.core.ledger import claims as registered_claims
from dpbandits.pipeline.resources import Measured, series_name, urgency
from dpbandits.pipeline.notebooks import undrawn
from dpbandits.pipeline.progress import Progress
from dpbandits.core.registry import papers
from dpbandits.pipeline.timing import summary
from dpbandits.core.plaintext import plain

STARTED = time.time()
ENVIRONMENT = "../../envs/environment.yaml"  # used by: snakemake --software-deployment-method conda

# Snakemake imports nbformat, whose validator would build 38 grammars of web addresses (1.4 s at each
# start, here and inside every cluster job) to check what no notebook of ours contains.
sys.modules.setdefault("rfc3987_syntax", None)

# Its report parses the environment of each job's record, 340 times the same file: in C, if there is one.
yaml.Loader = getattr(yaml, "CLoader", yaml.Loader)

try:
    PLAN = Plan.load(config)
except InputError as error:
    raise WorkflowError(str(error)) from None

MEASURED = Measured.load()
RESULTS = PLAN.places.results
FIGURES = {
    name: figure
    for name, figure in registered_figures().items()
    if figure.paper in PLAN.papers
}
NOTEBOOKS = sorted({f"{figure.paper}/{figure.notebook}" for figure in FIGURES.values()})
CLAIMS = {
    id: claim
    for id, claim in registered_claims().items()
    if claim.paper.lower() in PLAN.papers
}


missing = undrawn(FIGURES.values())
if missing:
    raise WorkflowError(missing)


wildcard_constraints:
    paper="[a-z0-9]+",
    experiment=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    series=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    part=r"\d+",


def results(*parts):
    return os.path.join(RESULTS, *parts)


def needs(kind, name=None):
    """Memory and time to ask for; they double with each attempt: a job killed at its limit gets more."""

    def growing(resource):
        def ask(wildcards, attempt):
            found = (
                MEASURED.of(kind, name.format(**wildcards), PLAN.run.scale)
                if name
                else MEASURED.of_simulation(job_of(wildcards))
            )
            return getattr(found, resource) * 2 ** (attempt - 1)

        return ask

    return {resource: growing(resource) for resource in ("mem_mb", "runtime")}


def as_name(path):
    return "_".join(path.split(os.sep))


def job_of(wildcards):
    return PLAN.jobs["/".join(wildcards)]


def part(job):
    return str(PLAN.part_path(job))


def study_part(wildcards):
    return results("studies", *wildcards) + ".parquet"


def table(paper, name):
    return str(PLAN.table_path(paper, name))


def figure_files(name):
    """PDF and PNG, the data drawn, and what we see in it."""
    return [
        results("figures", f"{name}.{suffix}")
        for suffix in ("pdf", "png", "csv", "txt")
    ]


def reported(path, paper, title, shown):
    """An output that the report shows, under its paper. Without a caption: to each Snakemake would
    add links to all, and docutils read them every time; ours are put in by dpbandits.report.inner.
    """
    package = papers()[paper].package.rpartition(".")[2] if paper else ""
    category = f"{paper.upper()} ({package})" if paper else "Claims"
    labels = {"title": plain(title), "shown": shown}
    return report(path, category=category, labels=labels)


def reported_figure(figure):
    """The files of a figure; the report takes its picture and its data."""
    pdf, png, csv, txt = figure_files(figure.name)
    return [
        pdf,
        reported(png, figure.paper, figure.title, "figure"),
        reported(csv, figure.paper, figure.title, "data"),
        txt,
    ]


def figures_of(notebook):
    return [f for f in FIGURES.values() if f"{f.paper}/{f.notebook}" == notebook]


def tables_of(notebook):
    """Tables behind the figures of a notebook; behind those of claims: verdicts and points."""
    names = {
        (f.folder, f.paper, name) for f in figures_of(notebook) for name in f.reads
    }
    return sorted(results(*places, f"{name}.csv") for *places, name in names)


def claims_of(paper):
    return sorted(id for id, claim in CLAIMS.items() if claim.paper.lower() == paper)


def claims_files(paper):
    """What a paper's claims leave, by name."""
    files = {"verdicts": "csv", "points": "csv", "certificates": "json"}
    return {
        name: results("claims", paper, f"{name}.{suffix}")
        for name, suffix in files.items()
    }


def tables_of_claims(paper):
    return sorted(
        {table(paper, t) for id in claims_of(paper) for t in CLAIMS[id].reads}
    )


def notebook_file(notebook):
    paper, name = notebook.split("/")
    return str(papers()[paper].file("notebooks", paper, f"{name}.ipynb"))


def jobs_backwards():
    """Seconds, outputs and inputs of each job, the last ones first."""
    scale = PLAN.run.scale
    for notebook in NOTEBOOKS:
        drawn = [results("notebooks", f"{notebook}.ipynb")]
        yield MEASURED.seconds("draw", notebook, scale), drawn, tables_of(notebook)
    for paper in filter(claims_of, PLAN.papers):
        files = [*claims_files(paper).values()]
        yield MEASURED.seconds("claims", paper, scale), files, tables_of_claims(paper)
    for paper, name in (key.split("/") for key in PLAN.tables()):
        made, parts = [table(paper, name)], PLAN.parts(paper, name)
        kind = "aggregate" if parts else "study"
        yield MEASURED.seconds(kind, f"{paper}/{name}", scale), made, parts
        pieces = parts if name in PLAN.papers[paper].studies else []
        for place, piece in enumerate(pieces):
            yield MEASURED.seconds("study", f"{paper}/{name}/{place}", scale), [
                piece
            ], []
    jobs = Counter(map(series_name, PLAN.jobs.values()))
    for job in PLAN.jobs.values():
        alone = jobs[series_name(job)] == 1
        yield MEASURED.work(job, alone), [part(job)], []


def notebook_recipes():
    """The notebook that is drawn -> the recipe of its job."""
    return {
        results("notebooks", f"{notebook}.ipynb"): recipes.notebook(
            PLAN, notebook_file(notebook), figures_of(notebook)
        )
        for notebook in NOTEBOOKS
    }


raw_once = cache(raw)  # 300 recipes name 60 files each


def keep(recipe):
    """Write a recipe down; its place is the parameter that changes when anything behind it does."""
    folder = Path(results(".recipes"))
    return str(folder / f"{recipe.keep(folder, raw_once)}.json")


def kept(output):
    return KEPT[output]


def head():
    """The commit that is checked out, if any: an archive holds its code."""
    try:
        asked = ["git", "rev-parse", "--quiet", "--verify", "HEAD"]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    except OSError:  # no git
        return ""


def at_a_time():
    """How many jobs may run at once: here on the cores, on a cluster as many as may be submitted."""
    here = workflow.cores or 1
    return here if workflow.local_exec else workflow.resource_settings.nodes or here


def start_jobs_quickly():
    """Here they are forks of one process; on a cluster's nodes, and without Linux, they start anew."""
    if workflow.local_exec and sys.platform == "linux":
        with suppress(OSError):
            scripts = {
                Path(str(job.rule.script)).stem for job in workflow.dag.needrun_jobs()
            }
            words, workflow.serving = starts.begin(
                shlex.split(sys.executable)[0], *sorted(scripts)
            )
            sys.executable = shlex.join(words)


def sleep_between_jobs():
    """Snakemake's limit of jobs per second wakes the scheduler once a second for each time that it has
    started something: after 200 jobs it runs all the time. Here nothing needs a limit.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def show_progress():
    """Say after each job how much time is left."""
    rules = [job.rule.name for job in workflow.dag.needrun_jobs() if job.output]
    logger.addHandler(Progress(rules, RESULTS, at_a_time()))


def print_summary():
    print(summary(RESULTS, STARTED, workflow.cores if workflow.local_exec else None))


def answer_questions_too():
    """`dpbandits check` and `draw` need not find out again what every output should be made of."""
    for scale in (None, PLAN.run.scale):
        if config == read_yaml(CONFIG) | ({"scale": scale} if scale else {}):
            for paper, found in MADE_BY.items():
                own = lambda: recipes.described(PLAN, found)
                kept_results.wanted(paper, scale, lambda: (RESULTS, own()))


# The rules' priorities: what most work hangs on starts first.
URGENCY = urgency(jobs_backwards())

# First output -> the recipe of its job, for all jobs but the last few.
MADE_BY = {paper: recipes.wanted(PLAN, [paper]) for paper in PLAN.papers}
WANTED = reduce(dict.__or__, MADE_BY.values(), notebook_recipes())
KEPT = {output: keep(recipe) for output, recipe in WANTED.items()}
if workflow.is_main_process:
    seals.sweep(RESULTS, say=logger.warning)
    answer_questions_too()
    changed = recipes.explained(WANTED, Path(results(".recipes")))
    if changed:
        logger.info(changed)
