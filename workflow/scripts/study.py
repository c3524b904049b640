"""snakemake -> a registered study -> CSV, or rows of it -> parquet."""

from dpbandits.core.files import write_csv, write_parquet
from dpbandits.pipeline.jobs import compute_study
from dpbandits.pipeline.work import work

with work(snakemake):
    table = compute_study(snakemake.params.study, snakemake.params.params)
    write = write_parquet if snakemake.output[0].endswith(".parquet") else write_csv
    write(table, snakemake.output[0])
