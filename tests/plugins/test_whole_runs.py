"""A paper from outside and one that `dpbandits new` has just written run to their report."""

import base64
import gzip
import html
import os
import re

import pandas as pd
import pytest
from outside import SMOKE, install, python
from scratch import Project

pytestmark = pytest.mark.pipeline
BOTH = [word.replace("[ts]", "[ts,my]") for word in SMOKE]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("run"), own_source=True)
    installed = install(tmp_path_factory.mktemp("outside"))
    _, site = installed["PYTHONPATH"].split(os.pathsep)
    path = f"{project.folder / 'src'}{os.pathsep}{site}"
    project.environment = installed | {"PYTHONPATH": path}
    words = ("-m", "dpbandits.cli", "new", "paper", "my")
    python(project.environment, *words, cwd=project.folder)
    project.run(*BOTH)
    return project


def test_tables_figures_and_ledger_rows(project):
    results = project.folder / "results/smoke"
    for name in (
        "tables/ts/regret.csv",
        "tables/ts/privacy.csv",
        "figures/ts/regret_vs_privacy.pdf",
        "tables/my/regret.csv",
        "figures/my/regret.pdf",
    ):
        assert (results / name).stat().st_size > 0
    assert (results / "published/ts/regret_vs_privacy.png").is_file()
    ledger = pd.read_csv(results / "figures/claims.csv", dtype=str)
    said = dict(zip(ledger["id"], ledger["verdict"], strict=True))
    assert said == {"TS-GDP": "holds", "MY-1": "violated"}


def test_the_report_shows_both_and_their_code(project):
    report = (project.folder / "results/smoke/report.html").read_text()
    for name in ("TS-GDP", "regret_vs_privacy", "MY-1"):
        assert name in report
    packed = re.findall(r'<script type="application/gzip;base64" id="\w+">(.*?)</script>', report)
    inside = "".join(gzip.decompress(base64.b64decode(part)).decode() for part in packed)
    text = html.unescape(inside).replace('\\"', '"')
    assert 'check = "privacy.thompson_sampling_is_private"' in text


def test_alone_it_has_nothing_to_do_but_what_joins_papers(project):
    """By the command of its README, word for word."""
    planned = re.findall(r"Job \d+: (\w+ [\w ]+)", project.run("--dry-run", *SMOKE))
    assert {*planned} == {
        "Put the claims ledger together",
        "Typeset the tables in Markdown and LaTeX",
        "Compare with what is published and copy what changed",
        "Write the report",
    }
