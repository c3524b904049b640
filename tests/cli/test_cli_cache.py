"""Answers that depend on files alone are cached until one of these files changes."""

import csv
import os
from pathlib import Path

import pytest
from outside import python
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.core.files import write_text
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline import tables

# --- what is registered ---------------------------------------------------------------------------
ASK = """
import sys
from dpbandits.cli import main
sys.stderr = sys.stdout
main(sys.argv[1:])
print(*sys.modules)
"""
HEAVY = {"numba", "numpy", "pandas", "pydantic", "scipy"}  # not imported for a cached answer
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
    """Run a command in a new process, with an installed package: the printed lines, and whether the
    answer was computed (not read from the cache)."""
    for name, text in PACKAGE.items():
        write_text(text, tmp_path / "site" / name)

    def ask(*words, site="site"):
        path = os.pathsep.join([str(ROOT / "src"), str(tmp_path / site)])
        environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        *lines, modules = python(environment, "-c", ASK, *words, cwd=tmp_path).splitlines()
        return lines, bool(HEAVY & {*modules.split()})

    return ask


def test_lists_and_completions_are_computed_once(ask):
    lines, computed = ask(*LIST)
    assert computed
    assert ask(*LIST) == (lines, False)
    words, computed = ask("completion", "words", "check")
    assert "SOME-1" in words
    assert not computed


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("some/claims.toml", "first", "second", "SOME-1  here  second  site/some/claims.toml:2"),
        ("some/__init__.py", "'some'", "'other'", "dpbandits: --paper = some: allowed: fl, hu"),
        ("some-1.dist-info/entry_points.txt", "some = some", "", "dpbandits: --paper = some: "),
    ],
)
def test_edit_of_a_package_changes_the_list(ask, tmp_path, name, old, new, expected):
    assert ask(*LIST)[0] == ["SOME-1  here  first  site/some/claims.toml:2"]
    path = tmp_path / "site" / name
    path.write_text(path.read_text().replace(old, new, 1))
    (line,), _ = ask(*LIST)
    assert line.startswith(expected)


def test_moved_package_is_listed_at_its_new_place(ask, tmp_path):
    ask(*LIST)
    (tmp_path / "site").rename(tmp_path / "moved")
    assert ask(*LIST, site="moved")[0] == ["SOME-1  here  first  moved/some/claims.toml:2"]


def test_broken_package_is_reported_each_time(ask, tmp_path):
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
    "src/dpbandits/stochastic/ftl.py", "src/dpbandits/reproduction/hu/claims.toml",
    "results/simulations/hu/fig1/0.parquet", "results/tables/hu/fig1.csv",
    "results/claims/hu/points.csv",
)  # fmt: skip
VERDICTS = "results/claims/hu/verdicts.csv"


@pytest.fixture
def queries(tmp_path, monkeypatch):
    """A small checkout with verdicts of HU, which Snakemake calls up to date: the list of its
    queries, each as the first file asked about."""
    queries = []

    def up_to_date(plan, paths):
        queries.append(sorted(paths)[0])
        return {*paths}

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
    return queries


def check(capsys, id="HU-C11"):
    assert main(["check", id]) == 0
    return capsys.readouterr().out.splitlines()[0]


def test_snakemake_is_asked_once_about_verdicts(queries, capsys):
    assert check(capsys) == check(capsys) == check(capsys, "hu-c11") == "HU-C11, printed: made up"
    assert queries == [VERDICTS]


@pytest.mark.parametrize("name", [*FILES, VERDICTS, "config/config.yaml"])
def test_snakemake_is_asked_again_after_an_edit(queries, name, capsys):
    check(capsys)
    with open(name, "a") as file:
        file.write("\n")
    check(capsys)
    check(capsys)
    assert queries == [VERDICTS] * 2


def test_snakemake_is_asked_again_after_a_result_was_renamed(queries, capsys):
    check(capsys)
    Path("results/tables/hu/fig1.csv").rename("results/tables/hu/fig2.csv")
    check(capsys)
    assert len(queries) == 2


def test_outdated_or_edited_verdicts_are_not_recorded(queries, monkeypatch, capsys):
    def edited(plan, paths):
        queries.append("")
        write_text(f"# {len(queries)}", "src/dpbandits/stochastic/ftl.py")
        return {*paths}

    monkeypatch.setattr(tables, "up_to_date", edited)
    check(capsys)
    write_text("studies: {}\n", "src/dpbandits/stochastic/ftl.py")
    monkeypatch.setattr(tables, "up_to_date", lambda plan, paths: queries.append("") or set())
    for _ in range(2):
        assert main(["check", "HU-T8"]) == 0  # judged now
    assert len(queries) == 3
