"""Answers that follow from files alone are found once, and anew after any edit of these files."""

import csv
import os
from pathlib import Path

import pytest
from outside import python
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.core.files import write_text
from dpbandits.core.ledger import COLUMNS
from dpbandits.pipeline import tables

# --- what is registered ---------------------------------------------------------------------------
ASK = """
import sys
from dpbandits.cli import main
sys.stderr = sys.stdout
main(sys.argv[1:])
print(*sys.modules)
"""
FINDING = {"numba", "numpy", "pandas", "pydantic", "scipy"}  # what it takes to find an answer
PACKAGE = {
    "some/__init__.py": "from dpbandits.core.registry import Paper\n"
    "PAPER = Paper(key='some', title='Some', package=__name__)\n",
    "some/claims.toml": '[[claims]]\nid = "SOME-1"\nwhere = "here"\nstatement = "first"\n'
    'check = "c.f"\n[[claims.readings]]\n',
    "broken/__init__.py": "def broken(:\n",
    "some-1.dist-info/entry_points.txt": "[dpbandits.papers]\nsome = some\n",
    "some-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: some\nVersion: 1\n",
}
LIST = ("list", "claims", "--paper", "some")


@pytest.fixture
def ask(tmp_path):
    """A command in a new process, where a package brings a paper: the lines that it says, and
    whether the answer had to be found."""
    for name, text in PACKAGE.items():
        write_text(text, tmp_path / "site" / name)

    def ask(*words, site="site"):
        path = os.pathsep.join([str(ROOT / "src"), str(tmp_path / site)])
        said = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        *lines, modules = python(said, "-c", ASK, *words, cwd=tmp_path).splitlines()
        return lines, bool(FINDING & {*modules.split()})

    return ask


def test_a_list_and_the_words_of_completion_are_found_once(ask):
    first, again = ask(*LIST), ask(*LIST)
    assert (first, again) == ((first[0], True), (first[0], False))
    words, found = ask("completion", "words", "check")
    assert "SOME-1" in words
    assert not found


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("some/claims.toml", "first", "second", "SOME-1  here  second  site/some/claims.toml:2"),
        ("some/__init__.py", "'some'", "'other'", "dpbandits: --paper = some: allowed: fl, hu"),
        ("some-1.dist-info/entry_points.txt", "some = some", "", "dpbandits: --paper = some: "),
    ],
)
def test_an_edit_is_seen(ask, tmp_path, name, old, new, said):
    assert ask(*LIST)[0] == ["SOME-1  here  first  site/some/claims.toml:2"]
    path = tmp_path / "site" / name
    path.write_text(path.read_text().replace(old, new, 1))
    (line,), _ = ask(*LIST)
    assert line.startswith(said)


def test_a_moved_package_is_listed_where_it_is(ask, tmp_path):
    ask(*LIST)
    (tmp_path / "site").rename(tmp_path / "moved")
    assert ask(*LIST, site="moved")[0] == ["SOME-1  here  first  moved/some/claims.toml:2"]


def test_a_broken_package_is_reported_each_time(ask, tmp_path):
    write_text(
        "[dpbandits.papers]\nsome = some\nbad = broken\n",
        tmp_path / "site/some-1.dist-info/entry_points.txt",
    )
    first = ask(*LIST)
    assert "broken is left out" in first[0][0]
    assert ask(*LIST) == first


# --- verdicts -------------------------------------------------------------------------------------
FILES = (
    "Snakefile", "workflow/rules/claims.smk", "envs/requirements.lock", "config/hu.yaml",
    "src/dpbandits/stochastic/ftl.py", "src/dpbandits/stochastic/claims.toml",
    "results/simulations/hu/fig1/0.parquet", "results/tables/hu/fig1.csv",
    "results/claims/hu/points.csv",
)  # fmt: skip
VERDICTS = "results/claims/hu/verdicts.csv"


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """The files of which Snakemake was asked whether they are up to date, in a small checkout with
    verdicts of HU; they are, unless the list ends with None."""
    found = []

    def up_to_date(plan, wanted):
        found.append(sorted(wanted)[0])
        return {*wanted}

    for name in FILES:
        write_text("studies: {}\n", tmp_path / name)
    config = (ROOT / "config/config.yaml").read_text().replace("papers: all", "papers: [hu]")
    write_text(config, tmp_path / "config/config.yaml")
    row = dict.fromkeys(COLUMNS, "") | {"id": "HU-C11", "reading": "printed", "verdict": "made up"}
    with open(tmp_path / VERDICTS, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, row.values()])
    monkeypatch.setattr(tables, "up_to_date", up_to_date)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return found


def check(capsys, id="HU-C11"):
    assert main(["check", id]) == 0
    return capsys.readouterr().out.splitlines()[0]


def test_snakemake_is_asked_once_about_verdicts(asked, capsys):
    assert check(capsys) == check(capsys) == check(capsys, "hu-c11") == "HU-C11, printed: made up"
    assert asked == [VERDICTS]


@pytest.mark.parametrize("name", [*FILES, VERDICTS, "config/config.yaml"])
def test_snakemake_is_asked_again_after_an_edit(asked, name, capsys):
    check(capsys)
    with open(name, "a") as file:
        file.write("\n")
    check(capsys)
    check(capsys)
    assert asked == [VERDICTS] * 2


def test_snakemake_is_asked_again_when_a_result_is_gone_or_new(asked, capsys):
    check(capsys)
    Path("results/tables/hu/fig1.csv").rename("results/tables/hu/fig2.csv")
    check(capsys)
    assert len(asked) == 2


def test_what_is_not_up_to_date_or_was_edited_meanwhile_is_not_kept(asked, monkeypatch, capsys):
    def edited(plan, wanted):
        asked.append("")
        write_text(f"# {len(asked)}", "src/dpbandits/stochastic/ftl.py")
        return {*wanted}

    monkeypatch.setattr(tables, "up_to_date", edited)
    check(capsys)
    write_text("studies: {}\n", "src/dpbandits/stochastic/ftl.py")
    monkeypatch.setattr(tables, "up_to_date", lambda plan, wanted: asked.append("") or set())
    for _ in range(2):
        assert main(["check", "HU-T8"]) == 0  # judged now
    assert len(asked) == 3
