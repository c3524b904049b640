"""A small pipeline of its own, with a figure or two and a claim of every verdict."""

import sys
from pathlib import Path

from scratch import Project, mini_project, notebook

from dpbandits.reproduction.ledger.verdicts import VERDICTS

OTHER = """
  other:
    about: another small experiment of the tests
    algorithms: [ftl]
    settings: {two: {means: [0.7, 0.5]}}
    epsilon: [inf]
    horizon: 100
    seeds: 3
    checkpoints: 3
    metrics: [regret]
    sources: {settings: "assumed: a test", epsilon: "assumed: a test", horizon: "assumed: a test",
              seeds: "assumed: a test", checkpoints: "assumed: a test"}
"""

FIGURES = '''
"""Two figures of the tests."""

from dpbandits.reproduction.plots.figures import Drawing, figure

from dpbandits.reproduction.plots.style import band, panels

SAID = dict(reads=("tiny",))


@figure("hu/narrow", title="One panel <b>", claims=("HU-X0",), alt="A curve.", **SAID)
def narrow(tables):
    return draw(tables("tiny"), 1)


@figure("hu/wide", title="Three panels", alt="Three times a curve.", **SAID)
def wide(tables):
    return draw(tables("tiny"), 3)


def draw(data, columns):
    data = data[(data["metric"] == "regret") & (data["setting"] == "two")]
    figure, axes = panels(1, columns)
    for ax in axes[0]:
        for name, rows in data[data["epsilon"] == data["epsilon"].min()].groupby("algorithm"):
            band(ax, rows, "t", name)
        ax.set(xlabel="rounds t", ylabel="regret", xscale="log")
    return Drawing(figure, data, f"at most {data['mean'].max():.3g} <i>regret</i>")
'''

CHECKS = """
"Checks of five claims, one of each verdict."

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of


def found(verdict, tables):
    count = 20 if verdict == "violated" else 3
    regret = 20 if verdict in ("violated", "rejected") else 3
    measured = points_of([regret] * count, at_most=17, repaired=20, series="<b>measured</b>")
    return Finding(verdict, {"mean": tables("tiny")["mean"].max()}, measured)
"""
CHECK = """

def {verdict}(tables):
    return found("{verdict}", tables)
"""
CLAIM = r"""
[[claims]]
id = "HU-X{number}"
where = "Theorem {number}"
statement = 'The regret is at most $24\sum\ln T/\varepsilon$ <script>alert(1)</script>'
kind = "{kind}"
neighbours = "one reward vector replaced"
reads = ["tiny"]
check = "claims/checks.py::{verdict}"

[[claims.readings]]
method = "{method}"
severity = "constant"
scope = "K = 2, T = 3,000"
measured = "{measured}"
bound = "17"
confidence = "{confidence}"
evidence = ["figures/hu/wide.csv", "figures/hu/elsewhere.csv"]
counterexample = "{counterexample}"
repaired = "The regret is at most 20"
repaired_verdict = "open"
untestable = "the tests say so"
"""


def claim(number: int, verdict: str) -> str:
    exact = verdict in ("holds", "violated")
    return CLAIM.format(
        number=number,
        verdict=verdict,
        kind="privacy" if exact else "regret",
        method="exact" if exact else "statistical",
        measured="[[mean:.3g]] rounds, " * 60,
        confidence="" if exact else "1 - 1e-7",
        counterexample="means (0.7, 0.5)" if verdict == "violated" else "",
    )


CELLS = [
    ("markdown", "# A notebook\n\nWith a formula, $\\epsilon = 1$.", []),
    ("code", "run = None", ["parameters"]),
    ("code", "from dpbandits.reproduction.pipeline.notebooks import Notebook", []),
    ("code", 'draw = Notebook("hu", run)', []),
    ("code", 'draw["narrow"]', []),
    ("code", "draw()", []),  # what is left
]


def run_all(folder: Path, prefix: str = sys.prefix, arguments: tuple[str, ...] = ()) -> Project:
    """The project after a whole run, with these figures and claims in place of all others.

    By an interpreter inside it: Snakemake hands both paths to a shell. prefix: of its Python.
    arguments: of snakemake."""
    project = mini_project(folder, own_source=True)
    without_pictures(project)
    with (folder / "config/hu.yaml").open("a") as config:
        config.write(OTHER)
    project.write("src/dpbandits/reproduction/hu/figures/over_time.py", FIGURES)
    checks = CHECKS + "".join(CHECK.format(verdict=verdict) for verdict in VERDICTS)
    project.write("src/dpbandits/reproduction/hu/claims/checks.py", checks)
    data = "".join(claim(number, verdict) for number, verdict in enumerate(VERDICTS))
    project.write("src/dpbandits/reproduction/hu/claims.toml", data)
    project.write("notebooks/hu/figures.ipynb", notebook(CELLS))
    (folder / ".venv").symlink_to(prefix)
    project.interpreter = folder / ".venv/bin/python"
    project.environment.pop("PYTHONPATH", None)
    project.output = project.run("--cores", "2", *arguments)
    return project


def without_pictures(project: Project) -> None:
    """No paper has a figure or a claim any more."""
    for kind in ("figures", "claims"):
        for path in project.folder.glob(f"src/dpbandits/reproduction/*/{kind}/*.py"):
            if path.name != "__init__.py":
                path.unlink()
    for path in project.folder.glob("src/dpbandits/reproduction/*/claims.toml"):
        path.unlink()
