"""snakemake -> dpbandits.core.jobs.summarise -> CSV."""

from dpbandits.core.files import read_table, write_csv
from dpbandits.core.jobs import summarise
from dpbandits.core.timing import logged

with logged(snakemake.log[0]):
    parts = [read_table(path) for path in snakemake.input.parts]
    write_csv(summarise(parts, snakemake.params.labels), snakemake.output[0])
