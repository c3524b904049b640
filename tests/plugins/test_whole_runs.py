"""Three installed papers, and one that `dpbandits new` wrote, run as far as the report."""

import base64
import gzip
import html
import os
import re
import shutil

import pandas as pd
import pytest
from outside import ALIGNMENT, EXAMPLE, SMALL, SMOKE, dpbandits, install
from scratch import Project

pytestmark = pytest.mark.pipeline
ALL = [word.replace("[ts]", "[ts,lp,pp,my]") for word in SMOKE]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("run"), own_source=True)
    installed = install(tmp_path_factory.mktemp("outside"), EXAMPLE, SMALL, ALIGNMENT)
    _, site = installed["PYTHONPATH"].split(os.pathsep)
    path = f"{project.folder / 'src'}{os.pathsep}{site}"
    project.environment = installed | {"PYTHONPATH": path}
    dpbandits(project.environment, "new", "paper", "my", cwd=project.folder)
    project.run(*ALL)
    return project


def test_tables_figures_and_ledger_rows(project):
    results = project.folder / "results/smoke"
    for name in (
        "tables/ts/regret.csv", "tables/ts/privacy.csv", "figures/ts/regret_vs_privacy.pdf",
        "tables/lp/commit.csv", "figures/lp/regret.pdf",
        "tables/pp/central.csv", "figures/pp/central.pdf", "figures/pp/local.pdf",
        "tables/my/regret.csv", "figures/my/regret.pdf",
    ):  # fmt: skip
        assert (results / name).stat().st_size > 0
    assert (results / "published/ts/regret_vs_privacy.png").is_file()
    ledger = pd.read_csv(results / "figures/claims.csv", dtype=str)
    printed = ledger[ledger["reading"] == "printed"]
    assert dict(zip(printed["id"], printed["verdict"], strict=True)) == {
        "TS-GDP": "holds", "LP-RR": "holds", "LP-ERR": "holds", "PP-RR": "holds",
        "PP-UNBIASED": "holds", "PP-VPO": "holds", "PP-RATE": "violated", "MY-1": "violated",
    }  # fmt: skip


def test_report_shows_them_and_their_code(project):
    report = (project.folder / "results/smoke/report.html").read_text()
    for name in ("TS-GDP", "regret_vs_privacy", "MY-1"):
        assert name in report
    packed = re.findall(r'<script type="application/gzip;base64" id="\w+">(.*?)</script>', report)
    inside = "".join(gzip.decompress(base64.b64decode(part)).decode() for part in packed)
    text = html.unescape(inside).replace('\\"', '"')
    assert 'check = "claims/privacy.py::thompson_sampling_is_private"' in text
    assert "def thompson_sampling_is_private(tables)" in text


@pytest.mark.parametrize("moved", [False, True])
def test_one_paper_alone_reruns_only_the_rules_that_join_papers(
    moved, project, tmp_path, monkeypatch
):
    """With the command of its README; also if it is now installed elsewhere (pip install -e)."""
    if moved:
        ours, site = project.environment["PYTHONPATH"].split(os.pathsep)
        other = shutil.copytree(site, tmp_path / "src")
        monkeypatch.setitem(project.environment, "PYTHONPATH", f"{ours}{os.pathsep}{other}")
    planned = re.findall(r"Job \d+: (\w+ [\w ]+)", project.run("--dry-run", *SMOKE))
    assert {*planned} == {
        "Put the claims ledger together",
        "Typeset the tables in Markdown and LaTeX",
        "Compare with what is published and copy what changed",
        "Write the report",
    }
