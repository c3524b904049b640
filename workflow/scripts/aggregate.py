"""snakemake -> dpbandits.pipeline.jobs.summarise -> CSV."""

from dpbandits.core.files import read_table, write_csv
from dpbandits.pipeline.jobs import summarise
from dpbandits.pipeline.work import work

with work(snakemake):
    parts = map(read_table, snakemake.input.parts)
    write_csv(summarise(parts, snakemake.params.labels), snakemake.output[0])
