"""The whole pipeline at toy sizes: every rule of every paper, against committed golden tables."""

import pandas as pd
import pytest
from processors import FARTHEST, PROCESSORS
from scratch import ROOT, Project

from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.plots.figures import SUFFIXES

pytestmark = pytest.mark.smoke
GOLDEN = ROOT / "tests/golden"


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("smoke"))
    project.environment |= PROCESSORS[FARTHEST[0]]  # which every job has to overrule
    as_make = ("--quiet", "reason", "--cores", "2", "--config", "scale=smoke")
    project.output = project.run(*as_make)
    return project


def test_every_figure_is_published_with_its_data(smoke):
    published = smoke.folder / "results/smoke/published"
    missing = [
        f"{name}.{suffix}"
        for name in figures()
        for suffix in SUFFIXES
        if not (published / f"{name}.{suffix}").stat().st_size
    ]
    assert not missing


def test_tables_are_the_golden_ones(smoke):
    tables = smoke.folder / "results/smoke/tables"
    made = sorted(path.relative_to(tables) for path in tables.rglob("*.csv"))
    golden = sorted(path.relative_to(GOLDEN) for path in GOLDEN.rglob("*.csv"))
    assert made == golden
    other = [str(n) for n in golden if (tables / n).read_bytes() != (GOLDEN / n).read_bytes()]
    assert not other


def test_the_ledger_has_every_registered_claim(smoke):
    from dpbandits.reproduction.ledger.claims import claims

    ledger = smoke.folder / "results/smoke/published/claims.csv"
    frame = pd.read_csv(ledger, dtype=str, keep_default_na=False)
    assert list(frame.columns) == list(COLUMNS)
    assert sorted(set(frame["id"])) == sorted(claims())
    assert not frame.duplicated(["id", "reading"]).any()
    assert (frame["verdict"] != "").all()


def test_a_second_run_has_nothing_to_do(smoke):
    output = smoke.run("--cores", "2", "--config", "scale=smoke")
    assert "Nothing to be done" in output
