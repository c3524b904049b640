"""snakemake -> dpbandits.pipeline.jobs.simulated -> parquet."""

from dpbandits.core.files import write_parquet
from dpbandits.pipeline.jobs import simulated
from dpbandits.pipeline.plan import Job
from dpbandits.pipeline.work import work

with work(snakemake):
    write_parquet(simulated(Job.from_spec(snakemake.params.job)), snakemake.output[0])
