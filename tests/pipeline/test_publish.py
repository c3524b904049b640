"""Only what changed is published; a run of some papers leaves the others alone."""

import pandas as pd
import pytest

from dpbandits.core.files import write_csv
from dpbandits.core.ledger import COLUMNS
from dpbandits.pipeline.compare import compare
from dpbandits.pipeline.publish import publish


@pytest.fixture
def folders(tmp_path):
    made, published = tmp_path / "made", tmp_path / "published"
    (made / "hu").mkdir(parents=True)
    for suffix, text in ((".csv", "t,mean,sem\n1,2,0.5\n"), (".png", "picture"), (".pdf", "page")):
        (made / "hu" / f"fig1{suffix}").write_text(text)
    return made, published


def test_publish_copies_what_is_new(folders):
    made, published = folders
    assert "3 files differ" in publish(made, published, ["hu"])
    assert (published / "hu/fig1.png").read_text() == "picture"
    assert "0 files differ, 3 are the same" in publish(made, published, ["hu"])


def test_a_picture_is_replaced_whenever_it_differs(folders):
    made, published = folders
    publish(made, published, ["hu"])
    (made / "hu/fig1.png").write_text("a better look")
    assert "1 files differ" in publish(made, published, ["hu"])
    assert (published / "hu/fig1.png").read_text() == "a better look"
    (made / "hu/fig1.csv").write_text("t,mean,sem\n1,3,0.5\n")
    assert "at most 1.4 standard errors" in publish(made, published, ["hu"])


def test_what_is_not_made_any_more_is_said_and_kept(folders):
    made, published = folders
    publish(made, published, ["hu"])
    (made / "hu/fig1.png").unlink()
    assert "gone     hu/fig1.png" in publish(made, published, ["hu"])
    assert (published / "hu/fig1.png").exists()


def ledger(*rows: str) -> pd.DataFrame:
    """Rows like "HU-T8 violated"; all other columns empty."""
    found = [dict.fromkeys(COLUMNS, "") | {"reading": "printed"} for _ in rows]
    for line, text in zip(found, rows, strict=True):
        line["id"], line["verdict"] = text.split()
        line["paper"] = line["id"].split("-")[0]
    return pd.DataFrame(found)


def test_a_run_of_some_papers_leaves_the_others_alone(folders):
    """Neither the figures of the other papers nor their rows of the ledger are touched or lost."""
    made, published = folders
    (published / "kl").mkdir(parents=True)
    (published / "kl/loss.csv").write_text("x\n1\n")
    write_csv(ledger("HU-T2 holds", "HU-T4 holds", "KL-C1 violated"), published / "claims.csv")
    write_csv(ledger("HU-T2 holds", "HU-T8 violated"), made / "claims.csv")
    said = publish(made, published, ["hu"])
    assert "kl/" not in said
    assert (published / "kl/loss.csv").exists()
    rows = pd.read_csv(published / "claims.csv")
    assert list(rows["id"]) == ["HU-T2", "HU-T8", "KL-C1"]
    assert "HU-T4, printed: holds -> none" in said
    assert "## KL-C1, printed: violated" in (published / "claims.md").read_text()
    assert "0 files differ" in publish(made, published, ["hu"])


def test_of_results_only_tables_and_figures_are_compared(tmp_path):
    for folder in ("old", "new"):
        for name in ("tables/hu/fig1.csv", "figures/hu/fig1.csv", "logs/x.log"):
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True)
            path.write_text(f"x\n{folder if 'logs' in name else 1}\n")
    changes = compare(tmp_path / "old", tmp_path / "new")
    assert [(c.path, c.status) for c in changes] == [
        ("figures/hu/fig1.csv", "same"),
        ("tables/hu/fig1.csv", "same"),
    ]
