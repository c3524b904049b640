"""Files are written whole or not at all; only what changed is published."""

import pandas as pd
import pytest

from dpbandits.core.files import write_csv
from dpbandits.core.ledger import COLUMNS
from dpbandits.pipeline.publish import compare, compare_tables, publish


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


COMPARED = {
    "a gap in standard errors, and where": (
        "algorithm,t,mean,sem\na,1,2,0.3\nb,9,2,0.3\n",
        "algorithm,t,mean,sem\na,1,2,0.3\nb,9,3,0.4\n",
        "at most 2 standard errors; there: algorithm b, t 9",
    ),
    "a gap without an error is not hidden by the others": (
        "t,mean,sem\n1,2,0.3\n9,2,0\n",
        "t,mean,sem\n1,2.1,0.3\n9,3,0\n",
        "at most inf standard errors; there: t 9",
    ),
    "only the errors differ": ("t,mean,sem\n1,2,0.4\n", "t,mean,sem\n1,2,0.5\n", "at most 20%"),
    # sd = 0.5 sqrt(16) = 2, so the error is 2 sqrt(1/4 - 1/16) = 0.866 and z = 2/sqrt(3); Student's
    # t with 3 degrees: p = 1 - (2/pi) (atan(2/3) + (2/3) / (1 + 4/9)) = 0.33184, for two rows twice
    "more runs, among them the fewer; other rows left out, rounding no difference": (
        "t,runs,mean,sem,low\n1,4,2,0.4,7\n5,4,1,0,8\n9,4,2,0.3,8\n",
        "t,runs,mean,sem,low\n2,16,5,0.3,9\n1.0,16,3,0.5,9\n5,16,1.0000000000001,0,9\n",
        "of rows in both (3 before, 3 now) at most 1.2 standard errors; there: t 1; "
        "4 and 16 runs, p = 0.66 for 2 rows",
    ),
    "more runs: a unit in the sixth digit is the rounding of tables": (
        "t,runs,mean,sem\n1,4,1.53987,1e-7\n2,4,15,2\n",
        "t,runs,mean,sem\n1,16,1.53988,1e-7\n2,16,16,0.5\n",
        "at most 1.2 standard errors; there: t 2; 4 and 16 runs, p = 0.66 for 2 rows",
    ),
    "fewer runs than before": (
        "t,runs,mean,sem\n1,16,3,0.5\n",
        "t,runs,mean,sem\n1,4,2,0.4\n",
        "at most 1.2 standard errors; there: t 1; 16 and 4 runs, p = 0.33 for 1 rows",
    ),
    "a verdict": (
        "id,verdict,scope\nA,holds,s\nB,holds,s\n",
        "id,verdict,scope\nA,violated,s\nC,holds,s\n",
        "verdicts: A: holds -> violated; B: holds -> none; C: none -> holds",
    ),
}


@pytest.mark.parametrize("name", COMPARED)
def test_tables_are_compared_by_what_matters(name, tmp_path):
    old, new, expected = COMPARED[name]
    (tmp_path / "old.csv").write_text(old)
    (tmp_path / "new.csv").write_text(new)
    assert compare_tables(tmp_path / "old.csv", tmp_path / "new.csv") == expected


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
