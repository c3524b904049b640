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


WRONG = {
    "a misspelt key": ("epsilon: [0.5, 2]", "epsilonn: [0.5, 2]", "did you mean 'epsilon'"),
    "epsilon 0": ("epsilon: [0.5, 2]", "epsilon: [0]", "allowed: a number above 0, or inf"),
    "a mean above 1": ("[0.7, 0.5]", "[1.7, 0.5]", "less than or equal to 1"),
    "one arm": ("[0.7, 0.5]", "[0.7]", "at least 2"),
    "an unknown setting": ("{means: [0.7, 0.5]}", "{meens: [0.7, 0.5]}", "did you mean 'means'"),
    "an unknown algorithm": ("dp-se", "dp-sse", "did you mean 'dp-se'"),
    "no seeds": ("seeds: 9", "seeds: 0", "greater than or equal to 1"),
    "half a round": ("horizon: 3000", "horizon: 3000.5", "integer"),
    "late checkpoint": ("checkpoints: 7", "checkpoints: [5, 3001]", "past the horizon 3000"),
    "no source": ('seeds: "assumed: a test"', "", "'seeds' needs an entry in sources"),
    "idle source": ('seeds: "assumed: a test"', 'seeds: "dunno"', "must name a place"),
    "not YAML": ("experiments:", "experiments: [", "not valid YAML"),
    "a list": ("experiments:\n  tiny:", "experiments:\n  - tiny:", "dictionary"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_config_is_one_clear_line(name, tmp_path):
    old, new, expected = WRONG[name]
    project = mini_project(tmp_path)
    assert old in MINI
    project.write("config/hu.yaml", MINI.replace(old, new, 1))
    done = project.snakemake("--cores", "1", "tables")
    assert done.returncode != 0
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "config/hu.yaml:" in line]
    assert len(lines) == 1, done.stderr
    assert expected in lines[0]
    assert not (project.folder / "results").exists()
    assert "Traceback" not in done.stderr


def test_wrong_run_config_is_one_clear_line(tmp_path):
    project = mini_project(tmp_path)
    for setting, expected in {
        "scale=tiny": "'smoke', 'paper' or 'extended'",
        "papers=[xx]": "allowed: ",
        "seeds_per_block=0": "seeds_per_block",
        "colour=red": "unknown key 'colour'",
    }.items():
        done = project.snakemake("--cores", "1", "--config", setting, "--", "tables")
        assert done.returncode != 0
        assert expected in done.stderr, done.stderr
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
