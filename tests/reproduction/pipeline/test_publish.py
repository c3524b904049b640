"""A run of some papers publishes without touching the others; the rest: tests/workflow."""

import pandas as pd

from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.report.publish import publish


def ledger(*rows: str) -> pd.DataFrame:
    """Rows like "HU-T8 violated"; most other columns are empty."""
    known = {"reading": "printed", "method": "exact", "repaired_verdict": "open"}
    table = [dict.fromkeys(COLUMNS, "") | known for _ in rows]
    for line, text in zip(table, rows, strict=True):
        line["id"], line["verdict"] = text.split()
        line["paper"] = line["id"].split("-")[0]
    return pd.DataFrame(table)


def test_run_of_some_papers_keeps_the_others(tmp_path):
    """Neither figures of other papers nor their rows of the ledger are touched or lost."""
    made, published = tmp_path / "made", tmp_path / "published"
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
