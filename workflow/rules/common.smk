# Functions of the workflow: config -> plan -> paths and inputs. No rules here.
import json
import os
import re
import sys
import time
import warnings

from snakemake.exceptions import WorkflowError

# Jobs use the library of this checkout and the Python that runs Snakemake, whatever is activated;
# they also find what else PYTHONPATH names, a plug-in paper's package say.
sys.path.insert(0, os.path.abspath("src"))
for name, first in (("PYTHONPATH", sys.path[0]), ("PATH", os.path.dirname(sys.executable))):
    os.environ[name] = os.pathsep.join(filter(None, [first, os.getenv(name)]))
# Snakemake has imported NumPy before dpbandits: this process computes no results.
warnings.filterwarnings("ignore", "NumPy was imported before dpbandits")

from dpbandits.core.errors import InputError
from dpbandits.core.claims import claims
from dpbandits.core.registry import papers
from dpbandits.pipeline import CONFIG, provenance
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.figures import figures
from dpbandits.pipeline.formal import THEOREMS
from dpbandits.pipeline.notebooks import undrawn
from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.publish import published_since
from dpbandits.plots.plaintext import plain

STARTED = time.time()
ENVIRONMENT = "../../envs/environment.yaml"  # for --software-deployment-method conda
try:
    PLAN = Plan.load(config)
    FIGURES = [f for f in figures().values() if f.paper in PLAN.papers]
    CLAIMS = {key: [*claims(key).values()] for key in PLAN.papers if claims(key)}
    if problem := undrawn(FIGURES):
        raise InputError(problem)
except InputError as error:
    raise WorkflowError(str(error)) from None
LONGER = 20 if PLAN.run.scale == "extended" else 1  # a job's time
NOTEBOOKS = sorted({(figure.paper, figure.notebook) for figure in FIGURES})
# The commands that rules run are told what differs from config/config.yaml.
FILE = read_yaml(CONFIG)
CHANGED = {key: value for key, value in config.items() if value != FILE.get(key)}
os.environ.update(DPBANDITS_CONFIG=json.dumps(CHANGED))


def results(*parts):
    return os.path.join(PLAN.places.results, *parts)


def growing(amount):
    """Memory or time to ask a cluster for; a job that is killed at its limit gets twice as much."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)


def one_of(names):
    """A pattern for these names; without names one that nothing matches."""
    return "|".join(map(re.escape, names)) or "(?!)"


def job(wildcards):
    return PLAN.jobs["{paper}/{experiment}/{part}".format(**wildcards)]


def table(paper, name):
    return str(PLAN.table_path(paper, name))


def tables_of_claims(wildcards):
    names = {name for claim in CLAIMS[wildcards.paper] for name in claim.reads}
    return [table(wildcards.paper, name) for name in sorted(names)]


def figures_of(notebook):
    return [f for f in FIGURES if (f.paper, f.notebook) == notebook]


def tables_of(notebook):
    """Tables behind the figures of a notebook; behind those of claims: verdicts and points."""
    read = {(f.folder, name) for f in figures_of(notebook) for name in f.reads}
    return [results(folder, notebook[0], f"{name}.csv") for folder, name in sorted(read)]


def reported(path, paper, title, shown):
    """An output that the report shows, under its paper."""
    package = papers()[paper].package.rpartition(".")[2] if paper else ""
    category = f"{paper.upper()} ({package})" if paper else "Claims"
    return report(path, category=category, labels={"title": plain(title), "shown": shown})


def figure_files(figure):
    """PDF, PNG, the data drawn, and what we see in it; the report takes picture and data."""
    pdf, png, csv, txt = (
        f"{results('figures', figure.name)}.{x}" for x in ("pdf", "png", "csv", "txt")
    )
    picture = reported(png, figure.paper, figure.title, "figure")
    return [pdf, picture, reported(csv, figure.paper, figure.title, "data"), txt]
