"""snakemake -> the checks of one paper's claims -> CSV: verdicts, and the points of the plots."""

from pathlib import Path

from dpbandits.core.files import write_csv
from dpbandits.pipeline.ledger import check_claims
from dpbandits.pipeline.work import work

with work(snakemake):
    paper = Path(snakemake.output.verdicts).parent
    tables = paper.parents[1] / "tables" / paper.name
    verdicts, points = check_claims(snakemake.params.ids, tables)
    write_csv(verdicts, snakemake.output.verdicts)
    write_csv(points, snakemake.output.points)
