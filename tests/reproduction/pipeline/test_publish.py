"""Publishing copies what changed; a run of some papers does not touch the others."""

import pandas as pd
import pytest

from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline.publish import publish


@pytest.fixture
def folders(tmp_path):
    made, published = tmp_path / "made", tmp_path / "published"
    (made / "hu").mkdir(parents=True)
    for suffix, text in ((".csv", "t,mean,sem\n1,2,0.5\n"), (".png", "picture"), (".pdf", "page")):
        (made / "hu" / f"fig1{suffix}").write_text(text)
    return made, published


def test_new_changed_and_missing_files(folders):
    """What is not made any more is named and stays."""
    made, published = folders
    assert "3 files differ" in publish(made, published, ["hu"])
    assert (published / "hu/fig1.png").read_text() == "picture"
    assert "0 files differ, 3 are the same" in publish(made, published, ["hu"])
    (made / "hu/fig1.png").write_text("a better look")
    assert "1 files differ" in publish(made, published, ["hu"])
    assert (published / "hu/fig1.png").read_text() == "a better look"
    (made / "hu/fig1.csv").write_text("t,mean,sem\n1,3,0.5\n")
    assert "at most 1.4 standard errors" in publish(made, published, ["hu"])
    (made / "hu/fig1.png").unlink()
    assert "extra    hu/fig1.png  (made by no job" in publish(made, published, ["hu"])
    assert (published / "hu/fig1.png").exists()


def ledger(*rows: str) -> pd.DataFrame:
    """Rows like "HU-T8 violated"; all other columns are empty."""
    table = [dict.fromkeys(COLUMNS, "") | {"reading": "printed"} for _ in rows]
    for line, text in zip(table, rows, strict=True):
        line["id"], line["verdict"] = text.split()
        line["paper"] = line["id"].split("-")[0]
    return pd.DataFrame(table)


def test_run_of_some_papers_keeps_the_others(folders):
    """Neither figures of other papers nor their rows of the ledger are touched or lost."""
    made, published = folders
    (published / "kl").mkdir(parents=True)
    (published / "kl/loss.csv").write_text("x\n1\n")
    write_csv(ledger("HU-T2 holds", "HU-T4 holds", "KL-C1 violated"), published / "claims.csv")
    write_csv(ledger("HU-T2 holds", "HU-T8 violated"), made / "claims.csv")
    summary = publish(made, published, ["hu"])
    assert "kl/" not in summary
    assert (published / "kl/loss.csv").exists()
    rows = pd.read_csv(published / "claims.csv")
    assert list(rows["id"]) == ["HU-T2", "HU-T8", "KL-C1"]
    assert "changed  claims.csv" in summary
    assert "## KL-C1, printed: violated" in (published / "claims.md").read_text()
    assert "0 files differ" in publish(made, published, ["hu"])
