"""snakemake -> the claims ledger of all papers -> CSV and Markdown."""

import pandas as pd

from dpbandits.core.files import write_csv, write_text
from dpbandits.pipeline.ledger import as_markdown
from dpbandits.pipeline.work import work

with work(snakemake):
    papers = [path for path in snakemake.input if path.endswith(".csv")]
    ledger = pd.concat([pd.read_csv(path, dtype=str, keep_default_na=False) for path in papers])
    write_csv(ledger, snakemake.output.csv)
    write_text(as_markdown(ledger), snakemake.output.markdown)
