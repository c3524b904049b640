"""A job that fails leaves no output; a wrong config stops a run with one line."""

import pytest
from scratch import MINI, mini_project, notebook
from tiny_pipeline import OTHER, without_pictures

pytestmark = pytest.mark.pipeline

BROKEN = '''
"""Fails after it has done some work."""

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("fails-late", setting=StochasticSetting, source="a test")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    if len(setting.means) == 3:
        raise RuntimeError("half-way")
    import numpy as np

    return Trajectories(np.ones((len(streams), len(checkpoints))))
'''


def test_wrong_config_is_one_clear_line(tmp_path):
    """Other errors: tests/reproduction/pipeline/test_plan_by_hand.py."""
    project = mini_project(tmp_path)
    project.write("config/hu.yaml", MINI.replace("epsilon: [0.5, 2]", "epsilonn: [0.5, 2]", 1))
    done = project.snakemake("--cores", "1", "tables")
    assert done.returncode != 0
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "config/hu.yaml:" in line]
    assert len(lines) == 1, done.stderr
    assert "did you mean 'epsilon'" in lines[0]
    assert not (project.folder / "results").exists()
    assert "Traceback" not in done.stderr


def test_wrong_run_config_is_one_clear_line(tmp_path):
    project = mini_project(tmp_path)
    done = project.snakemake("--cores", "1", "--config", "scale=tiny", "--", "tables")
    assert done.returncode != 0
    assert "'smoke', 'paper' or 'extended'" in done.stderr, done.stderr
    assert "config/config.yaml" in done.stderr
    assert not (project.folder / "results").exists()


FIGURES = """
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import panels


def make(name, fails):
    @figure(name, reads=("tiny",), title="One", alt="A curve.")
    def drawn(tables):
        if fails:
            raise ValueError("no such column")
        canvas, axes = panels(1, 1)
        data = tables("tiny")
        axes[0, 0].plot(data["t"], data["mean"])
        return Drawing(canvas, data, "A curve.")


make("hu/good", False)
make("hu/bad", True)
"""
CELLS = [
    ("results = None", ["parameters"]),
    ("from dpbandits.reproduction.pipeline.figures import notebook", []),
    ('draw, tables = notebook("hu", results)', []),
    ("draw.good(tables)", []),
    ("draw.bad(tables)", []),
]


PICTURES = "results/figures/hu/*.*"
LATE = (
    OTHER.replace("other:", "late:", 1)
    .replace("[ftl]", "[fails-late]")
    .replace("[inf]", "[0.5, 2]")
    .replace("{two: {means: [0.7, 0.5]}}", "{two: {means: [0.7, 0.5]}, three: {means: [0, 0, 0]}}")
)


@pytest.fixture(scope="module")
def failed(whole_run, tmp_path_factory):
    """What is left, and was said, of a run with a job and a notebook that fail half-way."""
    project = whole_run.copied(tmp_path_factory.mktemp("failed"))
    without_pictures(project)
    project.write("src/dpbandits/stochastic/fails_late.py", BROKEN)
    project.write("src/dpbandits/reproduction/hu/figures/two.py", f'"""Two."""\n{FIGURES}')
    project.write("notebooks/hu/figures.ipynb", notebook([("code", *cell) for cell in CELLS]))
    settings = (project.folder / "config/hu.yaml").read_text()
    assert OTHER in settings
    project.write("config/hu.yaml", settings.replace(OTHER, OTHER + LATE))
    wanted = ("results/tables/hu/late.csv", "results/notebooks/hu/figures.ipynb")
    (project.folder / wanted[1]).unlink()  # of the run before, which drew other figures
    done = project.snakemake("--cores", "1", "--keep-going", "--", *wanted)
    assert done.returncode != 0, done.stdout + done.stderr
    project.output = done.stdout + done.stderr
    return project


def test_failing_job_leaves_nothing_and_shows_why(failed):
    assert "RuntimeError: half-way" in failed.output
    assert not failed.files("results/simulations/hu/late/*")
    assert not failed.files("results/tables/hu/*late*")


def test_notebook_that_fails_in_one_figure_keeps_those_before(failed, whole_run):
    assert "ValueError: no such column" in failed.output
    new = {*failed.files(PICTURES)} - {*whole_run.files(PICTURES)}
    kept = {path for path in new if "/." not in path}
    assert kept == {f"results/figures/hu/good.{s}" for s in ("pdf", "png", "csv", "txt")}
