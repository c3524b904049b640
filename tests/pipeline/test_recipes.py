"""Provenance has no holes: every file of the library is behind some job, and counts by meaning."""

import dataclasses
import re
from copy import copy
from fnmatch import fnmatch

import pytest
from scratch import ROOT

from dpbandits.core import style
from dpbandits.core.algorithms import Study, run
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
from dpbandits.core.registry import Paper
from dpbandits.pipeline import provenance, recipes
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.figures import figures
from dpbandits.pipeline.plan import Plan

SRC = ROOT / "src/dpbandits"
NO_RESULT_DEPENDS_ON = {
    "what only answers one-off questions": [
        "cli/*",
        "*/mechanisms/*",
        "audit/blackbox.py",
        "audit/function.py",
        "audit/calibrate*",
        "pdf/__main__.py",
        "pipeline/kept.py",
        "pipeline/tables.py",
        "pipeline/pairs.py",
        "pipeline/verify.py",
    ],
    "what runs jobs without shaping what they make": [
        "pipeline/progress.py",
        "pipeline/resources.py",
        "pipeline/recipes.py",
        "pipeline/seals.py",
        "pipeline/ask.py",
        "pipeline/starts.py",
    ],
}


@pytest.fixture(scope="module")
def plan():
    config = read_yaml(ROOT / "config/config.yaml") | {"scale": "smoke"}
    return Plan.load(config, ROOT / "config")


@pytest.fixture(scope="module")
def behind(plan):
    """Every file that is in the recipe of some job."""
    found = [recipes.simulation(job) for job in plan.jobs.values()]
    for paper, name in (table.split("/") for table in plan.tables()):
        is_study = name in plan.papers[paper].studies
        found.append((recipes.study if is_study else recipes.aggregation)(plan, paper, name))
    found += [recipes.checks(paper) for paper in plan.papers]
    found.append(recipes.notebook(plan, "notebooks/hu/regret.ipynb", [*figures().values()]))
    found += [recipes.other(name) for name in ("publish", "typeset", "ledger", "archive")]
    found += [recipes.report(plan, {}, []), recipes.paper(plan, [])]
    return {path for recipe in found for path in recipe.paths}


def test_every_file_of_the_library_is_behind_a_job(behind):
    files = {p.resolve() for p in SRC.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    files = {p for p in files if "__pycache__" not in p.parts}
    patterns = [pattern for group in NO_RESULT_DEPENDS_ON.values() for pattern in group]
    names = {p.relative_to(SRC).as_posix() for p in files - behind}
    alone = sorted(n for n in names if not any(fnmatch(n, pattern) for pattern in patterns))
    assert not alone, f"an edit of these would rerun nothing: {alone}"


def test_scripts_and_captions_are_behind_a_job(behind):
    """What lies beside the library: each script of a rule, each caption of the report."""
    beside = {p.resolve() for name in ("scripts", "report") for p in _files(f"workflow/{name}")}
    assert beside <= behind


def _files(folder: str):
    return [path for path in (ROOT / folder).iterdir() if path.is_file()]


def test_a_study_depends_on_the_algorithms_that_it_runs(plan):
    code = recipes.study(plan, "hu", "full_information").code
    for name in ("rnm_ftnl", "ftnl", "ftl"):
        assert f"src/dpbandits/stochastic/{name}.py" in code
    assert "src/dpbandits/stochastic/dp_se.py" not in code


def test_every_simulation_of_hu_depends_on_what_draws_its_noise(plan):
    for job in [job for job in plan.jobs.values() if job.paper == "hu"]:
        assert "src/dpbandits/core/noise.py" in recipes.simulation(job).code


def test_a_notebook_depends_on_the_looks_that_it_draws(plan):
    """Of the papers whose algorithms stand in its tables: installing another redraws nothing."""
    drawn = [f for f in figures().values() if (f.paper, f.notebook) == ("hu", "regret")]
    code = recipes.notebook(plan, "notebooks/hu/regret.ipynb", drawn).code
    assert "src/dpbandits/stochastic/__init__.py" in code
    assert not {f"src/dpbandits/{p}/__init__.py" for p in ("sparse", "kernel", "offline")} & {*code}


def test_what_is_said_of_an_experiment_is_part_of_the_report_alone(plan):
    """And what is said of a figure part of the paper: they print it from config and code."""
    before = recipes.report(plan, {}, []), recipes.study(plan, "hu", "full_information")
    other, hu = copy(plan), plan.papers["hu"]
    told = hu.studies["full_information"].model_copy(update={"about": "In other words."})
    hu = hu.model_copy(update={"studies": hu.studies | {"full_information": told}})
    other.papers = plan.papers | {"hu": hu}
    after = recipes.report(other, {}, []), recipes.study(other, "hu", "full_information")
    assert before[0].digest != after[0].digest
    assert before[1].digest == after[1].digest
    drawn = figures()["hu/fig1"]
    renamed = dataclasses.replace(drawn, paper_says="Otherwise.")
    assert recipes.paper(plan, [drawn]).digest != recipes.paper(plan, [renamed]).digest


def test_two_papers_cannot_give_one_algorithm_two_looks(monkeypatch):
    twice = {key: Paper(key, "A title", key, looks={"ftl": slot}) for slot, key in enumerate("ab")}
    monkeypatch.setattr(style, "papers", lambda: twice)
    with pytest.raises(InputError, match="ftl has another paper's look"):
        style._slots.__wrapped__()


def test_data_files_count():
    code = recipes.checks("fl").code
    assert "src/dpbandits/sparse/published/fig3_right.csv" in code


class Nothing(Model):
    pass


def test_running_what_is_not_declared_is_refused():
    def compute(params):
        return run("ftl", {"means": [0.6, 0.5]}, float("inf"), 8, range(1))

    with pytest.raises(InputError, match="runs="):
        Study("hu/none", compute, Nothing, __name__).table({})
    assert Study("hu/none", compute, Nothing, __name__, runs=("ftl",)).table({}).regret.size


MEANS_THE_SAME = [
    ("x = 1  # one\n", "x = 1\n"),
    ('"""Old."""\nx = 1\n', '"""New."""\n\n\nx = 1\n'),
    ('def f():\n    """Old."""\n    return 1\n', "def f():\n    return (1)\n"),
]
MEANS_ELSE = [("x = 1\n", "x = 2\n"), ("f(1)\n", "f(1.0)\n"), ("x = 1\n", "x = 1\ny = 2\n")]


@pytest.mark.parametrize(("old", "new"), MEANS_THE_SAME + MEANS_ELSE)
def test_a_file_counts_by_what_it_means(old, new, tmp_path):
    (tmp_path / "old.py").write_text(old)
    (tmp_path / "new.py").write_text(new)
    same = provenance.meaning(tmp_path / "old.py") == provenance.meaning(tmp_path / "new.py")
    assert same == ((old, new) in MEANS_THE_SAME)


def test_relative_imports_are_followed(tmp_path, monkeypatch):
    package = tmp_path / "somebody"
    (package / "sub").mkdir(parents=True)
    for name, text in {
        "__init__.py": "",
        "near.py": "import dpbandits.core.noise",
        "sub/__init__.py": "",
        "sub/here.py": "from . import there\nfrom ..near import x",
        "sub/there.py": "",
        "sub/data.csv": "1",
        "far.py": "",
    }.items():
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    names = {p.relative_to(tmp_path).as_posix() for p in provenance.files_of("somebody.sub.here")
             if p.is_relative_to(tmp_path)}  # fmt: skip
    assert names == {
        *("somebody/__init__.py", "somebody/near.py", "somebody/sub/__init__.py"),
        *("somebody/sub/here.py", "somebody/sub/there.py", "somebody/sub/data.csv"),
    }
    behind = map(provenance.shown, provenance.files_of("somebody.near"))
    assert "src/dpbandits/core/noise.py" in behind


def test_differences_name_the_file():
    new = provenance.Recipe({"a.py": "1", "b.py": "2"}, {"job": "x"})
    old = {"code": {"a.py": "1", "b.py": "3"}, "said": {"job": "y"}}
    assert provenance.differences(old, new) == ["b.py", "job"]


def test_recipes_follow_from_wildcards_alone():
    """Snakemake does not rerun a job for a parameter that it derives from input or output."""
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    given = re.findall(r"recipe=(.*)", rules)
    assert len(given) > 5
    assert not [text for text in given if re.match(r"lambda (?!wildcards:)", text)]
