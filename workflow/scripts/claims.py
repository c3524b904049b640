"""snakemake -> the checks of one paper's claims -> CSV."""

from dpbandits.core.files import write_csv
from dpbandits.core.jobs import check_claims
from dpbandits.core.timing import logged

with logged(snakemake.log[0]):
    write_csv(
        check_claims(snakemake.params.ids, snakemake.params.tables),
        snakemake.output[0],
    )
