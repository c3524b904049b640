"""Published files that are edited or lost are brought back by the next run, and nothing else is."""

import re

import pytest
from scratch import mini_project, notebook

pytestmark = pytest.mark.pipeline

FIGURE = '''"""A figure of the tests."""

from dpbandits.core.figures import Drawing, figure
from dpbandits.core.style import panels


@figure("hu/one", notebook="one", reads=("tiny",), title="One", alt="A curve.")
def drawn(tables):
    canvas, axes = panels(1, 1)
    data = tables("tiny")
    axes[0, 0].plot(data["t"], data["mean"])
    return Drawing(canvas, data, "A curve.")
'''
CELLS = [
    ("code", "tables = None\nfigures = None", ["parameters"]),
    ("code", "from dpbandits.pipeline.figures import show", []),
    ("code", 'show("hu/one", tables, figures)', []),
]


@pytest.fixture
def project(tmp_path):
    project = mini_project(tmp_path, own_source=True)
    for kind in ("figures", "claims"):
        for path in project.folder.glob(f"src/dpbandits/*/{kind}/*.py"):
            if path.name != "__init__.py":
                path.unlink()
    project.write("src/dpbandits/stochastic/figures/one.py", FIGURE)
    project.write("notebooks/hu/one.ipynb", notebook(CELLS))
    project.run("--cores", "2", "publish")
    return project


def test_an_edited_and_a_lost_figure(project):
    before = project.files("figures/hu/*")
    assert set(before) == {f"figures/hu/one.{suffix}" for suffix in ("pdf", "png", "csv", "txt")}
    assert "Nothing to be done" in project.run("--cores", "1", "publish")
    (project.folder / "figures/hu/one.png").unlink()
    (project.folder / "figures/hu/one.csv").write_text("edited")
    output = project.run("--cores", "1", "publish")
    assert "figures/hu/one.csv is no longer what it was made of" in output
    assert project.files("figures/hu/*") == before
    assert set(re.findall(r"Job \d+: (\w+)", output)) == {"Compare"}
    assert "Nothing to be done" in project.run("--cores", "1", "publish")
