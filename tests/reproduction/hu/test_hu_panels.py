"""What is judged of HU's Figures 1 and 2 if the config has another epsilon, as the page
docs/how-to/change-an-experiment.md changes it: what is printed and run, and nothing else."""

import re
import shutil

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.core.documents import read_yaml
from dpbandits.core.models import parse
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.pipeline.config import PaperConfig
from dpbandits.reproduction.pipeline.figures import beside, drawn, get_figure
from dpbandits.reproduction.plots.figures import reader
from dpbandits.reproduction.report.markdown import published_figures

GOLDEN = reader(ROOT / "tests/golden/hu")
PAGE = (ROOT / "docs/how-to/change-an-experiment.md").read_text(encoding="utf-8")
BEFORE, AFTER = re.findall(r"```yaml\n(.*?\n)```", PAGE, re.S)


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """A folder with the config as the page changes it: the first line of that text, of fig1."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    path = tmp_path / "config/hu.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.index("fig1:") < text.index(BEFORE) < text.index("fig2:")
    path.write_text(text.replace(BEFORE, AFTER, 1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def after(name: str) -> pd.DataFrame:
    """The tables of a run with that config: made up, the numbers of 0.25 at 0.1."""
    table = GOLDEN(name)
    return table.assign(epsilon=table["epsilon"].replace(0.25, 0.1)) if name == "fig1" else table


def ledger(tables) -> list[Row]:
    claim = get_claim("HU-S6")
    return [Row.of(claim, verdict) for verdict in claim.verdicts(tables)]


def test_the_edit_changes_one_experiment(changed):
    old, new = (
        parse(PaperConfig, read_yaml(folder), "hu").experiments
        for folder in (ROOT / "config/hu.yaml", "config/hu.yaml")
    )
    assert {name for name in old if old[name] != new[name]} == {"fig1"}
    assert new["fig1"].epsilon == (0.1, 0.5, 1)


def test_the_text_beside_the_figure_names_what_is_drawn(changed):
    rows = pd.DataFrame(ledger(after))

    def tables(name):
        return rows if name == "verdicts" else after(name)

    entry = get_figure("hu/fig1")
    drawing = drawn(entry, tables)
    titles = [ax.get_title() for ax in drawing.figure.axes]
    assert titles == ["ε = 0.1", "(b) ε = 0.5", "(c) ε = 1"]  # 0.1 is not in the paper
    text = beside(entry, drawing, tables, "smoke")
    assert "ε = 0.1, 0.5, 1;" in text["Settings"]
    assert "ε = 0.25" not in text["Settings"] + text["We see"].split("Figure 2")[0]
    assert "in 5 of 5 panels" in text["We see"]
    assert "ε = 0.1" not in text["We see"]


def test_what_is_not_in_a_run_is_not_judged(changed):
    names = {entry["panel"]: entry["picture"] for entry in published_figures(ledger(after))}
    printed = {entry["panel"]: entry["picture"] for entry in published_figures(ledger(GOLDEN))}
    assert len(printed) == 6
    assert names == {name: shown for name, shown in printed.items() if "1 (a)" not in name}
    assert names["Figure 1 (b), ε = 0.5"] == "hu/fig1"
    assert not [line for line in ledger(after) if "not in this run" in str(line)]


def test_a_run_without_any_published_panel_is_not_judged():
    def elsewhere(name):
        return GOLDEN(name).assign(epsilon=GOLDEN(name)["epsilon"] / 10)

    for line in ledger(elsewhere):
        assert (line["verdict"], line["published"]) == ("untestable", "")
        assert "none of the published panels" in line["scope"]


@pytest.mark.parametrize(("factor", "verdict"), [(1, "consistent"), (100, "rejected")])
def test_similarity_is_rejected_if_no_alpha_is_near(factor, verdict):
    """AdaP-KLUCB a hundred times worse at every alpha; the intervals of few runs are wide."""

    def tables(name):
        table = GOLDEN(name)
        return table.assign(mean=table["mean"] * factor) if name == "adap_alpha" else table

    similar, _ = ledger(tables)
    assert similar["verdict"] == verdict
    assert similar["severity"] == ("experiment" if verdict == "rejected" else "")
