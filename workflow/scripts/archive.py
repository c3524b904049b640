"""snakemake -> dpbandits.pipeline.archive -> one zip."""

from dpbandits.pipeline import archive
from dpbandits.pipeline.work import work

with work(snakemake):
    params = snakemake.params
    archive.write(params.results, params.config, snakemake.output[0])
