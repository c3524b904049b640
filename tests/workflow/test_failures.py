"""A job that fails half-way leaves no output; wrong config stops a run with one clear line."""

import pytest
from scratch import MINI, mini_project, notebook

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


def test_failing_job_leaves_nothing_and_shows_why(tmp_path):
    project = mini_project(tmp_path, own_source=True)
    project.write("src/dpbandits/stochastic/fails_late.py", BROKEN)
    project.write(
        "config/hu.yaml", MINI.replace("[anytime-lazy-ucb, dp-se, adap-ucb]", "[fails-late]")
    )
    done = project.snakemake("--cores", "1", "tables")
    assert done.returncode != 0
    assert "RuntimeError: half-way" in done.stdout + done.stderr
    assert not project.files("results/simulations/**/*")
    assert not project.files("results/tables/**/*.csv")


def test_wrong_config_is_one_clear_line(tmp_path):
    """What is wrong in which way: tests/pipeline/test_wrong_config.py."""
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
from dpbandits.core.figures import Drawing, figure
from dpbandits.core.style import panels


def make(name, fails):
    @figure(name, notebook="two", reads=("tiny",), title="One", alt="A curve.")
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
    ("tables = None\nfigures = None", ["parameters"]),
    ("from dpbandits.pipeline.figures import show", []),
    ('show("hu/bad", tables, figures)', []),
    ('show("hu/good", tables, figures)', []),
]


@pytest.fixture
def two_figures(tmp_path):
    project = mini_project(tmp_path, own_source=True)
    for kind in ("figures", "claims"):
        for path in project.folder.glob(f"src/dpbandits/*/{kind}/*.py"):
            if path.name != "__init__.py":
                path.unlink()
    project.write("src/dpbandits/stochastic/figures/two.py", f'"""Two."""\n{FIGURES}')
    return project


def test_a_notebook_that_fails_in_one_figure_keeps_the_others(two_figures):
    project = two_figures
    cells = [("code", source, tags) for source, tags in CELLS]
    project.write("notebooks/hu/two.ipynb", notebook(cells))
    done = project.snakemake("--cores", "2", "results/notebooks/hu/two.html")
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "not drawn: bad" in said
    assert "ValueError: no such column" in said
    kept = {path for path in project.files("results/figures/hu/*") if "/." not in path}
    assert kept == {f"results/figures/hu/good.{s}" for s in ("pdf", "png", "csv", "txt")}


def test_a_figure_without_its_cell_is_one_line_at_once(two_figures):
    project = two_figures
    project.write("notebooks/hu/two.ipynb", notebook([("code", CELLS[0][0], ["parameters"])]))
    done = project.snakemake("--cores", "1", "tables")
    assert done.returncode != 0
    assert "is not drawn: notebooks/hu/two.ipynb needs show(" in done.stderr
    assert not project.files("results/simulations/**/*.parquet")
