# Names that the rules use: the plan of the run, and functions that give paths and inputs.
import fcntl
import json
import os
import re
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError

# The code beside this file, also if another Snakefile imports it as a module; not the path of a
# link, as compiled code is kept by path.
SRC = os.path.realpath(os.path.join(workflow.current_basedir, "../../src"))
sys.path.insert(0, SRC)

from dpbandits.core.errors import InputError
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.papers import OWN, papers
from dpbandits.reproduction.pipeline import CONFIG, compiled, provenance
from dpbandits.core.documents import read_yaml
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.ledger.formal import THEOREMS
from dpbandits.reproduction.pipeline.notebooks import NOTEBOOK
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.plots.figures import SUFFIXES
from dpbandits.reproduction.studies import table_of

STARTED = time.time()
# for --software-deployment-method conda; Snakemake formats it, so braces of the path stand twice
ENVIRONMENT = os.path.join(os.path.dirname(SRC), "envs/environment.yaml")
ENVIRONMENT = re.sub("([{}])", r"\1\1", ENVIRONMENT)
try:
    PLAN = Plan(config)
    FIGURES = [f for f in figures().values() if f.paper in PLAN.papers]
    CLAIMS = {key: [*claims(key).values()] for key in PLAN.papers if claims(key)}
except InputError as error:
    raise WorkflowError(str(error)) from None
COMPILED = compiled.groups(PLAN)
LETTERS = [key for key in CLAIMS if key != OWN]  # to authors
NOTEBOOKS = sorted({(figure.paper, NOTEBOOK) for figure in FIGURES})
DEFAULTS = read_yaml(CONFIG)
OVERRIDES = {key: value for key, value in config.items() if value != DEFAULTS.get(key)}
# Jobs use the library of this checkout, this Python, and packages on PYTHONPATH (such as plug-ins).
# They read config/config.yaml; DPBANDITS_CONFIG has the changes by --config and --configfile.
os.environ.update(
    PYTHONPATH=os.pathsep.join([SRC, os.getenv("PYTHONPATH", "")]).rstrip(os.pathsep),
    PATH=os.pathsep.join([os.path.dirname(sys.executable), os.getenv("PATH", "")]),
    DPBANDITS_CONFIG=json.dumps(OVERRIDES),
    # for the runtimes in workflow/profiles/slurm
    DPBANDITS_MINUTES="200" if PLAN.run.scale == "extended" else "10",
)


LOCK = os.open(".", os.O_RDONLY)  # the folder itself: nothing is left behind


def refuse_second_run():
    """One run at a time in a folder, of `make` or `snakemake`. The operating system holds the lock
    as long as this process lives, so a killed run leaves none (where it has no locks, none holds).
    """
    try:
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("Another run is under way in this folder.") from None
    except OSError:
        pass


def results(*parts):
    return os.path.join(PLAN.places.results, *parts)


def one_of(names):
    """A pattern that matches these names alone; without names it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"


def job(wildcards):
    return PLAN.jobs["{paper}/{experiment}/{part}".format(**wildcards)]


def table(paper, name):
    return str(PLAN.table_path(paper, name))


def compiled_for(algorithms):
    """What the jobs that compile them write."""
    groups = [first for first, own in COMPILED.items() if {*own} & {*algorithms}]
    return [results("compiled", f"{first}.txt") for first in groups]


def compiled_for_study(wildcards):
    return compiled_for(PLAN.study(*wildcards.table.split("/"))[0].runs)


def tables_of_claims(wildcards):
    names = {name for claim in CLAIMS[wildcards.paper] for name in claim.reads}
    return [table(*table_of(wildcards.paper, name)) for name in sorted(names)]


def of_claims(name):
    """That file of the claims of all papers."""
    return expand(results("claims/{paper}", name), paper=CLAIMS)


def letters():
    return expand(results("figures/{paper}/letter.md"), paper=LETTERS)


def figures_of(notebook):
    return [f for f in FIGURES if f.paper == notebook[0]]


def tables_of(notebook):
    """The tables that the figures of a notebook read, and the rows of their claims."""
    return sorted({results(path) for f in figures_of(notebook) for path in f.needs})


def figure_files(figure):
    """The files of a figure; Snakemake's own report (snakemake --report) shows its PNG."""
    files = {suffix: results("figures", f"{figure.name}.{suffix}") for suffix in SUFFIXES}
    look = {"category": figure.paper.upper(), "labels": {"figure": figure.title}}
    files["png"] = report(files["png"], caption="../report/figure.rst", **look)
    return [*files.values()]


def pictures():
    return [results("figures", f"{figure.name}.png") for figure in FIGURES]
