"""snakemake -> dpbandits.pdf.build -> reproduction.pdf, errata/*.pdf and a list of these."""

from pathlib import Path

from dpbandits.pdf.build import build
from dpbandits.pipeline.work import work

with work(snakemake):
    paper, index = map(Path, snakemake.output)
    build(Path(snakemake.input.ledger), paper, index, snakemake.params.papers)
