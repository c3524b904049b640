"""snakemake -> the claims ledger of all papers, with what Coq has checked -> CSV and Markdown."""

import pandas as pd

from dpbandits.core.files import write_csv, write_text
from dpbandits.pipeline.formal import formally, theorems
from dpbandits.pipeline.ledger import as_markdown
from dpbandits.pipeline.work import work

with work(snakemake):
    papers = snakemake.input.verdicts
    ledger = pd.concat([pd.read_csv(path, dtype=str, keep_default_na=False) for path in papers])
    proved = [theorem for path in snakemake.input.theorems for theorem in theorems(path)]
    rows = [formally(row, proved) for row in ledger.to_dict("records")]
    ledger = pd.DataFrame(rows, columns=ledger.columns)
    write_csv(ledger, snakemake.output.csv)
    write_text(as_markdown(ledger), snakemake.output.markdown)
