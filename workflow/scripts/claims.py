"""snakemake -> the checks of one paper's claims -> CSV."""

from pathlib import Path

from dpbandits.core.files import write_csv
from dpbandits.core.jobs import check_claims
from dpbandits.core.timing import logged

with logged(snakemake.log[0]):
    ledger = Path(snakemake.output[0])
    tables = ledger.parents[1] / "tables" / ledger.stem
    write_csv(check_claims(snakemake.params.ids, tables), ledger)
