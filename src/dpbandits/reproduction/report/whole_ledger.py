"""Put the ledger of a run together from the verdicts of its papers, and write the letters."""

import pandas as pd

from dpbandits.core.files import write_text
from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.ledger.formal import theorems, with_coq_result
from dpbandits.reproduction.ledger.rows import read_ledger
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.report.letters import letter


def write_ledger(
    papers: list[str], verdicts: list[str], coq: list[str], letters: list[str], out: str
) -> None:
    """papers: keys, each with a file of verdicts and of a letter. coq: files of what it proved."""
    proved = [theorem for path in coq for theorem in theorems(path)]
    rows = [with_coq_result(row, proved) for path in verdicts for row in read_ledger(path)]
    write_csv(pd.DataFrame(rows, columns=list(COLUMNS)), out)
    for key, path in zip(papers, letters, strict=True):
        write_text(letter(key, rows), path)
