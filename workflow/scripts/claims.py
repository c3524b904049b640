"""snakemake -> the checks of one paper's claims -> verdicts, points of the plots, certificates."""

import json
from pathlib import Path

from dpbandits.core.files import write_csv, write_text
from dpbandits.pipeline.ledger import check_all
from dpbandits.pipeline.work import work

with work(snakemake):
    paper = Path(snakemake.output.verdicts).parent
    tables = paper.parents[1] / "tables" / paper.name
    verdicts, points, refuted = check_all(snakemake.params.ids, tables)
    write_csv(verdicts, snakemake.output.verdicts)
    write_csv(points, snakemake.output.points)
    write_text(json.dumps(refuted, indent=1), snakemake.output.certificates)
