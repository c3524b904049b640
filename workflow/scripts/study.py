"""snakemake -> a registered study -> CSV."""

from dpbandits.core.files import write_csv
from dpbandits.pipeline.jobs import compute_study
from dpbandits.pipeline.work import work

with work(snakemake):
    table = compute_study(snakemake.params.study, snakemake.params.params)
    write_csv(table, snakemake.output[0])
