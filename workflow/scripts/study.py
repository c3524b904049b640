"""snakemake -> a registered study -> CSV."""

from dpbandits.core.files import write_csv
from dpbandits.pipeline.jobs import compute_study
from dpbandits.pipeline.timing import logged

with logged(snakemake.log[0]):
    table = compute_study(snakemake.params.study, snakemake.params.params)
    write_csv(table, snakemake.output[0])
